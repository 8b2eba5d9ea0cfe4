package render

import (
	"tribunal/plan"
)

// Plans is the table of formats of a plan.
var Plans = Table[*plan.Plan]{
	{Name: Default, Doc: "tables and pictures for the terminal", Lost: "view only", Endings: []string{".txt"}, Write: drawPretty[*plan.Plan]},
	{Name: "json", Doc: "the whole plan as one JSON document (tribunal schema plan)", Lost: "nothing", Endings: []string{".json"}, Write: writeJSON[plan.Plan]},
	{Name: "markdown", Doc: "tables and sentences for a comment or a wiki", Lost: "view only", Endings: comments, Options: markdownOptions, Write: drawMarkdown[*plan.Plan]},
	{Name: "html", Doc: "one offline page with the pictures", Lost: "view only", Endings: pages, Write: drawHTML[*plan.Plan]},
}

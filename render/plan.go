package render

import (
	"io"

	"tribunal/plan"
	"tribunal/render/html"
	"tribunal/render/markdown"
	"tribunal/render/ndjson"
	"tribunal/render/pretty"
)

// Plans is the table of formats of a plan.
var Plans = Table[*plan.Plan]{
	{Name: Default, Doc: "tables and pictures for the terminal", Lost: "view only", Endings: []string{".txt"}, Write: writePrettyPlan},
	{Name: "json", Doc: "the whole plan as one JSON document (tribunal schema plan)", Lost: "nothing", Endings: []string{".json"}, Write: writeJSONPlan},
	{Name: "markdown", Doc: "tables and sentences for a comment or a wiki", Lost: "view only", Endings: comments, Write: writeMarkdownPlan},
	{Name: "html", Doc: "one offline page with the pictures", Lost: "view only", Endings: pages, Write: writeHTMLPlan},
}

func writeHTMLPlan(w io.Writer, p *plan.Plan, _ Settings) error { return html.WritePlan(w, p) }

func writePrettyPlan(w io.Writer, p *plan.Plan, s Settings) error {
	return pretty.WritePlan(w, p, prettyOptions(s))
}

func writeMarkdownPlan(w io.Writer, p *plan.Plan, _ Settings) error { return markdown.WritePlan(w, p) }

func writeJSONPlan(w io.Writer, p *plan.Plan, _ Settings) error { return ndjson.WriteDocument(w, p) }

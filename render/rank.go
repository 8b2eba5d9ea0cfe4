package render

import (
	"tribunal/compare/rank"
	"tribunal/render/csv"
)

// Rankings is the table of formats of a ranking.
var Rankings = Table[*rank.Ranking]{
	{Name: Default, Doc: "who is the best and how sure that is, for the terminal", Lost: "pairs beyond ten variants, tests not ranked beyond twenty", Endings: []string{".txt"}, Write: drawPretty[*rank.Ranking]},
	{Name: "json", Doc: "the whole ranking as one JSON document (tribunal schema ranking)", Lost: "nothing", Endings: []string{".json"}, Write: writeJSON[rank.Ranking]},
	{Name: "markdown", Doc: "a table for a comment or a wiki", Lost: "pairs, tests not ranked beyond twenty", Endings: comments, Options: markdownOptions, Write: drawMarkdown[*rank.Ranking]},
	{Name: "html", Doc: "one offline page: rates with their intervals, all pairs, cost against rate", Lost: "pairs beyond thirty variants", Endings: pages, Write: drawHTML[*rank.Ranking]},
	{Name: "csv", Doc: "a row per variant", Lost: "pairs, tests not ranked", Endings: []string{".csv"}, Write: plain(csv.WriteRanking)},
}

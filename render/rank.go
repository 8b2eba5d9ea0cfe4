package render

import (
	"io"

	"tribunal/compare/rank"
	"tribunal/render/csv"
	"tribunal/render/html"
	"tribunal/render/markdown"
	"tribunal/render/ndjson"
	"tribunal/render/pretty"
)

// Rankings is the table of formats of a ranking.
var Rankings = Table[*rank.Ranking]{
	{Name: Default, Doc: "who is the best and how sure that is, for the terminal", Lost: "pairs beyond ten variants, tests not ranked beyond twenty", Endings: []string{".txt"}, Write: writePrettyRanking},
	{Name: "json", Doc: "the whole ranking as one JSON document (tribunal schema ranking)", Lost: "nothing", Endings: []string{".json"}, Write: writeJSONRanking},
	{Name: "markdown", Doc: "a table for a comment or a wiki", Lost: "pairs, tests not ranked beyond twenty", Endings: comments, Options: markdownOptions, Write: writeMarkdownRanking},
	{Name: "html", Doc: "one offline page: rates with their intervals, all pairs, cost against rate", Lost: "pairs beyond thirty variants", Endings: pages, Write: writeHTMLRanking},
	{Name: "csv", Doc: "a row per variant", Lost: "pairs, tests not ranked", Endings: []string{".csv"}, Write: writeCSVRanking},
}

func writePrettyRanking(w io.Writer, r *rank.Ranking, s Settings) error {
	return pretty.WriteRanking(w, r, prettyOptions(s))
}

func writeJSONRanking(w io.Writer, r *rank.Ranking, _ Settings) error {
	return ndjson.WriteRanking(w, r)
}

func writeMarkdownRanking(w io.Writer, r *rank.Ranking, s Settings) error {
	return markdown.WriteRanking(w, r, markdown.Options{Limit: s.number("markdown-limit")})
}

func writeHTMLRanking(w io.Writer, r *rank.Ranking, _ Settings) error { return html.WriteRanking(w, r) }

func writeCSVRanking(w io.Writer, r *rank.Ranking, _ Settings) error { return csv.WriteRanking(w, r) }

package render

import (
	"io"

	"tribunal/history/trend"
	"tribunal/render/csv"
	"tribunal/render/html"
	"tribunal/render/ndjson"
	"tribunal/render/pretty"
)

// Trends is the table of formats of a trend.
var Trends = Table[*trend.Trend]{
	{Name: Default, Doc: "tests that changed or are not stable, with sparklines, for the terminal", Lost: "stable tests, counted", Endings: []string{".txt"}, Write: writePrettyTrend},
	{Name: "html", Doc: "one offline page: every state, and the course of every test that is not stable", Lost: "stable tests beyond 2,000, others beyond 200 of a state, counted", Endings: pages, Write: writeHTMLTrend},
	{Name: "json", Doc: "the whole trend as one JSON document (tribunal schema trend)", Lost: "nothing", Endings: []string{".json"}, Write: writeJSONTrend},
	{Name: "csv", Doc: "a row per test: its state, the evidence, rate and drift", Lost: "single runs", Endings: []string{".csv"}, Write: writeCSVTrend},
	{Name: "csv-runs", Doc: "a row per test and run", Lost: "states", Write: writeRunsCSVTrend},
}

func writePrettyTrend(w io.Writer, t *trend.Trend, s Settings) error {
	return pretty.WriteTrend(w, t, prettyOptions(s))
}

func writeHTMLTrend(w io.Writer, t *trend.Trend, _ Settings) error { return html.WriteTrend(w, t) }

func writeJSONTrend(w io.Writer, t *trend.Trend, _ Settings) error { return ndjson.WriteTrend(w, t) }

func writeCSVTrend(w io.Writer, t *trend.Trend, _ Settings) error { return csv.WriteTrend(w, t) }

func writeRunsCSVTrend(w io.Writer, t *trend.Trend, _ Settings) error {
	return csv.WriteTrendRuns(w, t)
}

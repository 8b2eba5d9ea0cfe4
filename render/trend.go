package render

import (
	"tribunal/history/trend"
	"tribunal/render/csv"
	"tribunal/render/html"
	"tribunal/render/ndjson"
	"tribunal/render/pretty"
)

// Trends is the table of formats of a trend.
var Trends = Table[*trend.Trend]{
	{Name: Default, Doc: "tests that changed or are not stable, with sparklines, for the terminal", Lost: "stable tests, counted", Endings: []string{".txt"}, Write: with(pretty.WriteTrend, prettyOptions)},
	{Name: "html", Doc: "one offline page: every state, and the course of every test that is not stable", Lost: "stable tests beyond 2,000, others beyond 200 of a state, counted", Endings: pages, Write: plain(html.WriteTrend)},
	{Name: "json", Doc: "the whole trend as one JSON document (tribunal schema trend)", Lost: "nothing", Endings: []string{".json"}, Write: plain(ndjson.WriteTrend)},
	{Name: "csv", Doc: "a row per test: its state, the evidence, rate and drift", Lost: "single runs", Endings: []string{".csv"}, Write: plain(csv.WriteTrend)},
	{Name: "csv-runs", Doc: "a row per test and run", Lost: "states", Write: plain(csv.WriteTrendRuns)},
}

// History and Released are what WriteHistory writes as pages.
type (
	History  = html.History
	Released = html.Released
)

// HistoryIndex is the page of a history that is opened first; HistoryMark is near the
// beginning of all of its pages.
const (
	HistoryIndex = html.HistoryIndex
	HistoryMark  = html.HistoryMark
)

// WriteHistory writes the pages of a history into files that create makes.
var WriteHistory = html.WriteHistory

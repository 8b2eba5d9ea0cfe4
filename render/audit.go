package render

import (
	"tribunal/audit"
	"tribunal/render/csv"
)

// GateAudits is the table of formats of an audit of a gate.
var GateAudits = Table[*audit.Gate]{
	{Name: Default, Doc: "how often the gate is red by chance, why, and what helps, for the terminal", Lost: "tests beyond thirty",
		Endings: []string{".txt"}, Write: drawPretty[*audit.Gate]},
	{Name: "json", Doc: "the whole audit as one JSON document (tribunal schema gate-audit)", Lost: "nothing", Endings: []string{".json"},
		Write: writeJSON[audit.Gate]},
	{Name: "markdown", Doc: "tables for a comment or a wiki", Lost: "tests beyond thirty", Endings: comments, Options: markdownOptions,
		Write: drawMarkdown[*audit.Gate]},
	{Name: "html", Doc: "one offline page", Lost: "tests beyond thirty", Endings: pages, Write: drawHTML[*audit.Gate]},
	{Name: "csv", Doc: "a row per test", Lost: "the build, options", Endings: []string{".csv"}, Write: plain(csv.WriteGateAudit)},
}

// TestsAudits is the table of formats of an audit of tests.
var TestsAudits = Table[*audit.Tests]{
	{Name: Default, Doc: "tests that say nothing, or something odd, and the few that are enough", Lost: "tests beyond thirty",
		Endings: []string{".txt"}, Write: drawPretty[*audit.Tests]},
	{Name: "json", Doc: "the whole audit as one JSON document (tribunal schema tests-audit)", Lost: "nothing", Endings: []string{".json"},
		Write: writeJSON[audit.Tests]},
	{Name: "markdown", Doc: "tables for a comment or a wiki", Lost: "tests beyond thirty", Endings: comments, Options: markdownOptions,
		Write: drawMarkdown[*audit.Tests]},
	{Name: "html", Doc: "one offline page", Lost: "tests beyond thirty", Endings: pages, Write: drawHTML[*audit.Tests]},
	{Name: "csv", Doc: "a row per test", Lost: "checks, pairs, evidence", Endings: []string{".csv"}, Write: plain(csv.WriteTestsAudit)},
}

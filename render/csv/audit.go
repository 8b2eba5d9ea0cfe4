package csv

import (
	"errors"
	"io"
	"strconv"

	"tribunal/audit"
)

// WriteGateAudit writes a row per test, the one that is red most often first. The error is
// that of the writer.
func WriteGateAudit(w io.Writer, g *audit.Gate) error {
	if g == nil {
		return errors.New("csv: no audit to write")
	}
	out := newTable(w, gateAuditColumns)
	for i := range g.Tests {
		out.row(cells(gateAuditColumns, &g.Tests[i]))
	}
	return out.end()
}

var gateAuditColumns = []column[audit.GateTest]{
	{"suite", func(t *audit.GateTest) string { return words(t.Suite) }},
	{"test", func(t *audit.GateTest) string { return words(t.Test) }},
	{"variant", func(t *audit.GateTest) string { return words(t.Variant) }},
	{"by", func(t *audit.GateTest) string { return t.By }},
	{"trials", func(t *audit.GateTest) string { return strconv.Itoa(t.Trials) }},
	{"counted", func(t *audit.GateTest) string { return strconv.Itoa(t.Counted) }},
	{"passed", func(t *audit.GateTest) string { return strconv.Itoa(t.Passed) }},
	{"rate", func(t *audit.GateTest) string { return optional(t.Rate) }},
	{"predicted", func(t *audit.GateTest) string { return number(t.Predicted.Value) }},
	{"predicted_lo", func(t *audit.GateTest) string { return number(t.Predicted.Lo) }},
	{"predicted_hi", func(t *audit.GateTest) string { return number(t.Predicted.Hi) }},
	{"red_runs", func(t *audit.GateTest) string { return strconv.Itoa(t.Red) }},
	{"runs", func(t *audit.GateTest) string { return strconv.Itoa(t.Runs) }},
	{"steady", func(t *audit.GateTest) string { return strconv.FormatBool(t.Steady) }},
}

// WriteTestsAudit writes a row per test, the one that says most for its cost first. The error
// is that of the writer.
func WriteTestsAudit(w io.Writer, a *audit.Tests) error {
	if a == nil {
		return errors.New("csv: no audit to write")
	}
	out := newTable(w, testsAuditColumns)
	for i := range a.Tests {
		out.row(cells(testsAuditColumns, &a.Tests[i]))
	}
	return out.end()
}

var testsAuditColumns = []column[audit.Item]{
	{"suite", func(t *audit.Item) string { return words(t.Suite) }},
	{"test", func(t *audit.Item) string { return words(t.Test) }},
	{"variant", func(t *audit.Item) string { return words(t.Variant) }},
	{"trials", func(t *audit.Item) string { return strconv.Itoa(t.Trials) }},
	{"passed", func(t *audit.Item) string { return strconv.Itoa(t.Passed) }},
	{"says", func(t *audit.Item) string { return t.Says }},
	{"discrimination", ofCorrelation(func(c *audit.Correlation) float64 { return c.Value })},
	{"discrimination_lo", ofCorrelation(func(c *audit.Correlation) float64 { return c.Lo })},
	{"discrimination_hi", ofCorrelation(func(c *audit.Correlation) float64 { return c.Hi })},
	{"index", func(t *audit.Item) string { return number(t.Index) }},
	{"cost_usd", func(t *audit.Item) string { return optional(t.CostUSD) }},
	{"index_per_usd", func(t *audit.Item) string { return optional(t.PerUSD) }},
	{"in_subset", func(t *audit.Item) string { return strconv.FormatBool(t.Kept) }},
}

func ofCorrelation(part func(*audit.Correlation) float64) func(*audit.Item) string {
	return func(t *audit.Item) string {
		if t.Discrimination == nil {
			return ""
		}
		return number(part(t.Discrimination))
	}
}

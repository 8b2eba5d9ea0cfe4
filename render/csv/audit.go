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

package csv

import (
	"strconv"
	"time"

	"tribunal/envelope"
)

// trial is one row of a test.
type trial struct {
	*envelope.Test
	row     int
	id      string
	message map[int]string // of the kept details, by row
}

// trialColumns is the table of trials. trial is the place in the test, from 1;
// attempt is what the runner said, from 0, as in a stream of trials.
var trialColumns = []column[trial]{
	{"suite", func(t *trial) string { return words(t.Suite) }},
	{"test", func(t *trial) string { return words(t.Test.Test) }},
	{"variant", func(t *trial) string { return words(t.Variant) }},
	{"id", func(t *trial) string { return t.id }},
	{"trial", func(t *trial) string { return strconv.Itoa(t.row + 1) }},
	{"attempt", func(t *trial) string { return integer(t.Rows.Attempt().At(t.row)) }},
	{"run", func(t *trial) string { return words(t.Rows.Run().At(t.row)) }},
	{"outcome", func(t *trial) string { return outcomes[t.Rows.Outcome[t.row]] }},
	{"status", func(t *trial) string { return words(string(t.given())) }},
	{"raw_status", func(t *trial) string { return words(t.Rows.RawStatus().At(t.row)) }},
	{"error_class", func(t *trial) string { return words(t.Rows.ErrorClass().At(t.row)) }},
	{"retry", func(t *trial) string { return strconv.FormatBool(t.Rows.Retry().At(t.row)) }},
	{"score", func(t *trial) string { return decimal(t.Rows.Score(), t.row) }},
	{"category", func(t *trial) string { return integer(t.Rows.Category().At(t.row)) }},
	{"duration_ms", func(t *trial) string { return decimal(t.Rows.DurationMS(), t.row) }},
	{"setup_ms", func(t *trial) string { return decimal(t.Rows.SetupMS(), t.row) }},
	{"cost_usd", func(t *trial) string { return decimal(t.Rows.CostUSD(), t.row) }},
	{"setup_cost_usd", func(t *trial) string { return decimal(t.Rows.SetupCost(), t.row) }},
	{"tokens", func(t *trial) string { return integer(t.Rows.Tokens().At(t.row)) }},
	{"tool_calls", func(t *trial) string { return integer(t.Rows.ToolCalls().At(t.row)) }},
	{"started_at", (*trial).startedAt},
	{"message", func(t *trial) string { return t.message[t.row] }},
}

var outcomes = map[envelope.Outcome]string{
	envelope.Passed: "passed", envelope.Failed: "failed", envelope.Errored: "errored", envelope.Excluded: "excluded", envelope.Skipped: "skipped",
}

// given is the status the trial came with, "" when it came with a score only.
func (t *trial) given() envelope.Status {
	if t.row >= len(t.Rows.Given) {
		return ""
	}
	return t.Rows.Given[t.row].Status()
}

func (t *trial) startedAt() string {
	ns, ok := t.Rows.StartedAt().At(t.row)
	if !ok {
		return ""
	}
	return time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
}

func decimal(c envelope.Column[float64], row int) string {
	v, ok := c.At(row)
	return optional(envelope.Opt[float64]{V: v, OK: ok})
}

// messages are what the kept trials said, by row.
func messages(t *envelope.Test) map[int]string {
	if len(t.Details) == 0 {
		return nil
	}
	out := make(map[int]string, len(t.Details))
	for i := range t.Details {
		out[t.Details[i].Trial] = words(t.Details[i].Message)
	}
	return out
}

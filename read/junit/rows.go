package junit

import (
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
)

// fill fills in what the columns say of a trial.
func fill(t *envelope.Trial, rows *envelope.Rows, i int) {
	t.Status, t.Run, t.Retry = rows.Given[i].Status(), rows.Run().At(i), rows.Retry().At(i)
	t.Truth = rows.Truth().At(i)
	t.RawStatus, t.ErrorClass = rows.RawStatus().At(i), rows.ErrorClass().At(i)
	if t.Attempt = cell(rows.Attempt(), i); t.Attempt.V < 0 {
		t.Attempt = envelope.Opt[int32]{}
	}
	t.Score, t.Category = cell(rows.Score(), i), cell(rows.Category(), i)
	t.DurationMS, t.SetupMS = cell(rows.DurationMS(), i), cell(rows.SetupMS(), i)
	t.CostUSD, t.SetupCostUSD = cell(rows.CostUSD(), i), cell(rows.SetupCost(), i)
	t.Tokens, t.ToolCalls = cell(rows.Tokens(), i), cell(rows.ToolCalls(), i)
	if ns, ok := rows.StartedAt().At(i); ok {
		t.StartedAt = time.Unix(0, ns).UTC()
	}
}

func cell[T envelope.Cell](c envelope.Column[T], i int) envelope.Opt[T] {
	v, ok := c.At(i)
	return envelope.Opt[T]{V: v, OK: ok}
}

// detail is what a body says of one trial.
type detail struct{ message, output string }

// headline is how render/junit starts what it writes of a trial: the trial
// counted from 1, and its status. What follows is indented by two, and the
// output below "output:" by four.
var headline = regex.Of(`^trial ([1-9][0-9]{0,8})[ ,:]`)

// texts are the texts of trials in the bodies of a testcase, by row. A text
// that was cut when it was written stays cut.
func texts(c *testcase) map[int]detail {
	out := map[int]detail{}
	bodies := c.out
	for i := range c.failures {
		bodies += "\n" + c.failures[i].body
	}
	if c.skipped != nil {
		bodies += "\n" + c.skipped.body
	}
	row, inOutput := -1, false
	var d detail
	for line := range strings.Lines(bodies) {
		line = strings.TrimSuffix(line, "\n")
		if m := headline().FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1]) // of nine digits at most
			row, inOutput, d = n-1, false, detail{}
			continue
		}
		if row < 0 || !strings.HasPrefix(line, "  ") {
			row = -1
			continue
		}
		inOutput = inOutput || line == "  output:"
		switch {
		case line == "  output:":
		case inOutput:
			d.output = below(d.output, strings.TrimPrefix(line, "    "))
		default:
			d.message = below(d.message, strings.TrimPrefix(line, "  "))
		}
		out[row] = d
	}
	return out
}

// below puts a line below a text.
func below(text, line string) string {
	if text == "" {
		return line
	}
	return text + "\n" + line
}

// Package agent writes an envelope as compact text for a language model: the
// verdict, then what failed and why, then what is undecided, then what is flaky,
// within a budget of bytes.
//
// It exists because a model that is to mend something pays for every byte and
// reads all of them. So the most telling comes first, what is left out is
// counted, and the last line is a command that shows more. Passed and skipped
// tests are numbers in the first line, and notes on the input are left out.
//
// A model obeys what it reads. Every text of a test, of an agent or of an input
// is a string in quotes on one line that begins with a word of ours, so that
// none can pass for a line of the report, and the report says what quotes mean.
// The package cannot keep a model from believing what is inside them.
//
//	verdict: FAIL  3 of 9 tests fail: 1 never passes, 2 flaky · …; exit 1
//	also: on similar tests 74 % [52–88]
//	note: …
//	gate: "2 errors in the input"
//	FAIL "weather/fails" 1/5 passed, rate 0.200 (0.036 to 0.624), trials FPFEF, at "tests/weather_test.py:42"
//	  reason: "…"
//	  trial 1 said: "expected rain, got <sun>"
//	  trial 1 output: "step 1\nstep 2"
//	INCONC …
//	FLAKY …
//	problem warning: "…"
//	left out: 3 failed tests, 5 outputs
//	more: tribunal report RUN.json --explain 'weather/fails'
package agent

import (
	"fmt"
	"io"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// DefaultBudget is how many bytes the text may have when nothing else is said.
const DefaultBudget = 8192

// Options of the format. The zero value is the default budget.
type Options struct {
	Budget int    // the most bytes; 0 is DefaultBudget
	Report string // the words behind tribunal report that give the same run again; "" for unknown
}

// Write writes the envelope as lines of text. The error is that of the writer,
// or says that the budget is negative.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	if o.Budget < 0 {
		return fmt.Errorf("agent budget %d: give 0 or more bytes", o.Budget)
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	_, err := io.WriteString(w, compose(e, o))
	return err
}

// compose writes as much as the budget allows, and if that is not all, a line on
// what is missing.
func compose(e *envelope.Envelope, o Options) string {
	const share = 16 // of the budget, the most that the command has
	tests, budget := ranked(e.Tests), o.Budget
	if len(o.Report) > budget/share {
		o.Report = ""
	}
	all, hint := items(e, tests), more(o.Report, tests)
	if taken, whole := choose(all, budget-len(hint)); whole {
		return join(all, taken) + hint
	}
	rest := len(missing(all, make([]bool, len(all)))) // the longest that line can be
	if taken, _ := choose(all, budget-len(hint)-rest); taken[0] {
		return join(all, taken) + missing(all, taken) + hint
	}
	short := fmt.Sprintf("%s, exit %d\n", standing.Mark(e.Gate.Status), e.Gate.ExitCode)
	for _, s := range []string{all[0].text() + "left out: everything else\n", "verdict: " + short, short} {
		if len(s) <= budget {
			return s
		}
	}
	return ""
}

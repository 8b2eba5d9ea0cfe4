package verdict

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/words"
)

const codeOverflow = "total-too-large" // totals that are no number any more

// quantity is something that the trials report and that is summed, first over a
// test, then over a suite and the run.
type quantity struct {
	name    string
	present func(*envelope.Rows) bool
	known   func(*envelope.Test) bool
	summed  func(*envelope.Summary) bool
	forget  func(*envelope.Summary)
	unsuite func(*envelope.Suite) // forgets it in a suite, where suites have it
}

var quantities = []quantity{
	{"duration", func(r *envelope.Rows) bool { return r.DurationMS() != nil }, func(t *envelope.Test) bool { return t.DurationMS != nil },
		func(s *envelope.Summary) bool { return s.DurationMS.OK }, func(s *envelope.Summary) { s.DurationMS = envelope.Opt[float64]{} },
		func(s *envelope.Suite) { s.DurationMS = envelope.Opt[float64]{} }},
	{"setup time", func(r *envelope.Rows) bool { return r.SetupMS() != nil }, func(t *envelope.Test) bool { return t.SetupMS.OK },
		func(s *envelope.Summary) bool { return s.SetupMS.OK }, func(s *envelope.Summary) { s.SetupMS = envelope.Opt[float64]{} }, nil},
	{"cost", func(r *envelope.Rows) bool { return r.CostUSD() != nil }, func(t *envelope.Test) bool { return t.CostUSD.OK },
		func(s *envelope.Summary) bool { return s.CostUSD.OK }, forgetCost,
		func(s *envelope.Suite) { s.CostUSD = envelope.Opt[float64]{} }},
	{"setup cost", func(r *envelope.Rows) bool { return r.SetupCost() != nil }, func(t *envelope.Test) bool { return t.SetupCost.OK },
		func(s *envelope.Summary) bool { return s.SetupCostUSD.OK }, func(s *envelope.Summary) { s.SetupCostUSD = envelope.Opt[float64]{} }, nil},
	{"number of tokens", func(r *envelope.Rows) bool { return r.Tokens() != nil }, func(t *envelope.Test) bool { return t.Tokens.OK },
		func(s *envelope.Summary) bool { return s.Tokens.OK }, func(s *envelope.Summary) { s.Tokens = envelope.Opt[int64]{} }, nil},
	{"number of tool calls", func(r *envelope.Rows) bool { return r.ToolCalls() != nil }, func(t *envelope.Test) bool { return t.ToolCalls.OK },
		func(s *envelope.Summary) bool { return s.ToolCalls.OK }, func(s *envelope.Summary) { s.ToolCalls = envelope.Opt[int64]{} }, nil},
}

func forgetCost(s *envelope.Summary) {
	none := envelope.Opt[float64]{}
	s.CostUSD, s.CostToVerdict, s.CostPerSuccess = none, none, none
	for _, saved := range []*envelope.Savings{s.Saved, s.Beyond, s.EarlySaves} {
		if saved != nil {
			saved.CostUSD = none
		}
	}
}

// dropOverflows removes totals that are too large for a number, because a part is not the
// total, and returns a problem for each.
func dropOverflows(env *envelope.Envelope) (found []envelope.Problem) {
	for i := range quantities {
		if p, ok := quantities[i].overflowed(env); ok {
			found = append(found, p)
		}
	}
	return found
}

func (q *quantity) overflowed(env *envelope.Envelope) (p envelope.Problem, ok bool) {
	present := false
	lost := sign{}
	suites := map[string]bool{}
	for i := range env.Tests {
		t := &env.Tests[i]
		if !q.present(t.Rows) {
			continue
		}
		present = true
		if !q.known(t) {
			lost.add(1, t)
			suites[t.Suite] = true
		}
	}
	if !present || lost.tests == 0 && q.summed(&env.Summary) {
		return p, false
	}
	q.forget(&env.Summary)
	for i := range env.Suites {
		if q.unsuite != nil && suites[env.Suites[i].Name] {
			q.unsuite(&env.Suites[i])
		}
	}
	message := fmt.Sprintf("the total %s of the run is too large to be a number and is left out", q.name)
	if lost.tests > 0 {
		message = fmt.Sprintf("the total %s of %s is too large for a number, first in %s; it is left out, also for the run", q.name, words.Plural(lost.tests, "test", "tests"), lost.first)
	}
	return envelope.Problem{Severity: envelope.SeverityWarning, Code: codeOverflow, Stage: envelope.StageJudge, Message: message}, true
}

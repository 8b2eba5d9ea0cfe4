package verdict

import (
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
)

const (
	manyForAll = 10   // trials from which rule all asks a poor question
	nearlyAll  = 0.8  // of its trials a flaky test passes, for a rate to be the better question
	goodRate   = 0.98 // of the test that the advice speaks of
	fewestWald = 20   // trials below which Wald's interval is too short
	adviceAll  = "under rule all, a test that passes %.0f %% of the time fails %.0f %% of runs of %s trials; `--threshold 0.9` requires a " +
		"rate instead"
	adviceShort = "rule wald is too optimistic below %d trials; `--rule wilson` answers the same question with better intervals"
)

func ruleAdvice(env *envelope.Envelope) (notes []envelope.Problem) {
	flaky, wald := 0, false
	for i := range env.Tests {
		t := &env.Tests[i]
		n, passed := t.Trials.Counted, t.Trials.Passed
		switch {
		case t.Verdict.Rule == "all" && n >= manyForAll && passed < n && float64(passed) >= nearlyAll*float64(n):
			flaky = max(flaky, n)
		case t.Verdict.Rule == "wald" && n > 0 && n < fewestWald:
			wald = true
		}
	}
	note := func(format string, args ...any) {
		notes = append(notes, envelope.Problem{Severity: envelope.SeverityInfo, Code: envelope.CodeAdvice, Stage: envelope.StageJudge,
			Message: fmt.Sprintf(format, args...)})
	}
	if flaky > 0 && !env.Policy.RunJudgedAlone() {
		note(adviceAll, 100*goodRate, 100*(1-math.Pow(goodRate, float64(flaky))), words.Count(flaky))
	}
	if wald {
		note(adviceShort, fewestWald)
	}
	return notes
}

// exclusionProblems warns of tests whose rates may be biased: many trials were excluded, or outcomes decided how many trials there are.
func exclusionProblems(env *envelope.Envelope) (found []envelope.Problem) {
	var thin anomaly
	var first *envelope.Test
	for i := range env.Tests {
		t := &env.Tests[i]
		const mostExcluded = 0.20 // the share of the trials of a test that may be excluded before its rates are in doubt
		if left := excluded(t.Trials); t.Trials.Counted > 0 && float64(left) > mostExcluded*float64(left+t.Trials.Counted) {
			if thin.add(true, left, t); thin.tests == 1 {
				first = t
			}
		}
	}
	if first != nil {
		c := first.Trials
		found = append(found, envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeExcluded, Stage: envelope.StageJudge,
			Message: fmt.Sprintf("in %s more than a fifth of the trials is excluded; in %s, %s %% of the counted trials passed, %s %% of all; "+
				"if the test itself causes these errors, report them as failures", words.Plural(thin.tests, "test", "tests"), thin.first,
				words.Percent(share(c.Passed, c.Counted)), words.Percent(share(c.Passed, c.Counted+excluded(c))))})
	}
	if p := stoppedProblem(env.Summary.Stopped); p != nil {
		p.Message += words.If(envelope.AnyTest(env.Tests, func(t *envelope.Test) bool { return t.Variant != "" && rule.ByPairs(t) }),
			"; for a comparison of its two variants (--rule paired), use tribunal compare --by variant")
		found = append(found, *p)
	}
	return found
}

func share(part, of int) float64 { return float64(part) / float64(of) }

// quantity is something that the trials report and that is summed, first over a test, then over a suite and the run.
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
	{"number of tool calls", func(r *envelope.Rows) bool { return r.ToolCalls() != nil },
		func(t *envelope.Test) bool { return t.ToolCalls.OK },
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

func (q *quantity) overflowed(env *envelope.Envelope) []envelope.Problem {
	present, lost, suites := false, anomaly{}, map[string]bool{}
	for i := range env.Tests {
		t := &env.Tests[i]
		if !q.present(t.Rows) {
			continue
		}
		present = true
		lost.add(!q.known(t), 1, t)
		suites[t.Suite] = suites[t.Suite] || !q.known(t)
	}
	if !present || lost.tests == 0 && q.summed(&env.Summary) {
		return nil
	}
	q.forget(&env.Summary)
	for i := range env.Suites {
		if q.unsuite != nil && suites[env.Suites[i].Name] {
			q.unsuite(&env.Suites[i])
		}
	}
	message := fmt.Sprintf("the total %s of the run is too large to be a number and is left out", q.name)
	if lost.tests > 0 {
		message = fmt.Sprintf("the total %s of %s is too large for a number, first in %s; it is left out, also for the run", q.name,
			words.Plural(lost.tests, "test", "tests"), lost.first)
	}
	const codeOverflow = "total-too-large" // totals that are no number any more
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: codeOverflow, Stage: envelope.StageJudge, Message: message}}
}

package verdict

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// Policies finds the policy that each test of an envelope is judged under, its
// overrides applied.
type Policies struct{ overrides *overrider }

// NewPolicies reads the policy of an envelope.
func NewPolicies(e *envelope.Envelope) Policies { return Policies{newOverrider(e.Policy)} }

// Of returns the policy of a test. The error is that of a policy that cannot be
// used.
func (p Policies) Of(t *envelope.Test) (envelope.Effective, error) {
	r, err := p.overrides.of(t)
	return r.policy, err
}

// tooFewTrials gathers the tests that could not have passed, however their trials
// had turned out: a policy asks for more of them than are planned.
type tooFewTrials struct {
	planned int // trials of a test, 0 when nobody planned
	tests   int
	others  int // tests under other policies than the first
	most    int // trials of the test that has the most
	able    int // tests that could pass, or of which nobody knows
	first   *ruled
}

// findTooFewTrials looks for such tests. It spreads the planned trials evenly over the
// tests: that is how runners plan.
func findTooFewTrials(env *envelope.Envelope, rules []*ruled) *tooFewTrials {
	s := &tooFewTrials{}
	if p := env.Run.PlannedTrials; p.OK && len(env.Tests) > 0 && p.V < farthestPlan {
		s.planned = (int(p.V) + len(env.Tests) - 1) / len(env.Tests)
	}
	for i := range env.Tests {
		s.add(&env.Tests[i], rules[i])
	}
	return s
}

// add looks at a judged test. One that a sequential rule failed may have stopped
// early for that, and says nothing.
func (s *tooFewTrials) add(t *envelope.Test, r *ruled) {
	rule := &r.rule
	if t.Trials.Counted == 0 {
		return
	}
	if t.Ended == envelope.EndedDecided || t.Ended == envelope.EndedEarly || t.Ended == envelope.EndedAdaptive {
		s.able++
		return
	}
	if rule.Sequential && t.Verdict.Rule == rule.Name && t.Status == envelope.Fail {
		return
	}
	trials := max(s.planned, int(t.Trials.Planned.V), t.Trials.Total-t.Trials.Excluded[string(envelope.Skip)])
	if !rule.ThreeWay || r.leastPass == 0 || t.Verdict.Rule != rule.Name || trials >= r.leastPass {
		s.able++
		return
	}
	if s.tests == 0 {
		s.first = r
	}
	if s.tests++; r.leastPass != s.first.leastPass {
		s.others++
		return
	}
	s.most = max(s.most, trials)
}

// problem is one warning for the run.
func (s *tooFewTrials) problem() []envelope.Problem {
	if s.tests == 0 {
		return nil
	}
	message := fmt.Sprintf("%s cannot pass, whatever the outcomes are: %s", words.Plural(s.tests, "test", "tests"), s.words())
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeTooFew, Stage: envelope.StageJudge, Message: message}}
}

// nobody says why no test at all of the run could have passed; empty where one
// could have.
func (s *tooFewTrials) nobody() string {
	if s.tests == 0 || s.able > 0 {
		return ""
	}
	return s.words()
}

// words say how many trials a pass takes, and how many there are.
func (s *tooFewTrials) words() string {
	p := s.first.policy
	asks := fmt.Sprintf("rule %s at threshold %s", p.Rule, words.Number(p.Threshold.V))
	if s.first.leastPass == p.MinTrials.V {
		asks = fmt.Sprintf("rule %s with min_trials %d", p.Rule, p.MinTrials.V)
	}
	words := fmt.Sprintf("%s passes a test after %s at the earliest, and they have %d at most; run more trials or ask for less (see tribunal plan)",
		asks, words.Plural(s.first.leastPass, "trial", "trials"), s.most)
	if s.others > 0 {
		words += fmt.Sprintf("; %d of them have other policies, which need other numbers", s.others)
	}
	return words
}

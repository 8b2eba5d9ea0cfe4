package verdict

import (
	"tribunal/envelope"
	"tribunal/stats"
)

// Decide is what a rule says of counts alone. For a sequential rule it is what
// it says at one look: whoever stops at its first decision needs no more. For
// trials that go on after it, see Onward.
type Decide = func(passed, failed int) stats.Decision

// DecideFor returns what a resolved policy says of counts of passes and
// failures, from its minimum of trials on. It is nil for the rules that judge
// scores: mean and t-interval.
func DecideFor(p envelope.Policy) Decide {
	rule, err := RuleByName(p.Rule)
	if err != nil || rule.counts == nil {
		return nil
	}
	decide := rule.counts(p)
	if !rule.ThreeWay || rule.Sequential {
		return decide // a sequential rule decides first and speaks later
	}
	return func(passed, failed int) stats.Decision {
		if passed+failed < p.MinTrials.V {
			return stats.Undecided
		}
		return decide(passed, failed)
	}
}

// Onward returns what a sequential rule says of a judged test when further trials
// come after its own: a decision of their passes and failures, taken as if all
// of them came in one look. It keeps what the trials so far decided as the rule
// does: a fail for ever; a pass of anytime up to a fail; a pass of sprt as long as
// the trials after it do not contradict it, whatever min_trials says. It is nil
// for other rules.
func Onward(t *envelope.Test, p envelope.Policy) Decide {
	rule, err := RuleByName(p.Rule)
	if err != nil || rule.onward == nil {
		return nil
	}
	return rule.onward(sampleFrom(t), p)
}

// ScoresFor returns what a resolved policy says of the scores of the counted
// trials, from its minimum of trials on; nil for the rules that judge counts.
func ScoresFor(p envelope.Policy) func(scores []float64) stats.Decision {
	rule, err := RuleByName(p.Rule)
	if err != nil || rule.scores == nil {
		return nil
	}
	return func(scores []float64) stats.Decision {
		if rule.ThreeWay && len(scores) < p.MinTrials.V {
			return stats.Undecided
		}
		return rule.scores(&Sample{Scores: scores}, p)
	}
}

// InOrderFor returns the status that a sequential rule gives outcomes in their
// order, also those after its first decision; nil for other rules.
func InOrderFor(p envelope.Policy) func(outcomes []bool) envelope.Status {
	rule, err := RuleByName(p.Rule)
	if err != nil || !rule.Sequential {
		return nil
	}
	return func(outcomes []bool) envelope.Status {
		s := &Sample{}
		for _, passed := range outcomes {
			s.add(passed)
		}
		return rule.judge(s, p).status
	}
}

// UnaskedFor returns the status that a resolved policy gives a test without
// asking its rule, by how many trials count and how many were tried and excluded:
// where none counts, the coverage is too low or a rule of three answers has too
// few. It is false from where on the rule is asked.
func UnaskedFor(p envelope.Policy) func(counted, excluded int) (envelope.Status, bool) {
	rule, err := RuleByName(p.Rule)
	if err != nil {
		return func(int, int) (envelope.Status, bool) { return envelope.Error, true }
	}
	return func(counted, excluded int) (envelope.Status, bool) {
		return standingOf(&rule, &p, counted, excluded).status()
	}
}

// farthestPlan is how many trials a verdict is looked for up to.
const farthestPlan = 1_000_000_000

// SmallestPass returns the fewest trials, all of them passes, after which a
// resolved policy passes a test; ok is false for the rules that judge scores,
// and where a thousand million trials are not enough.
func SmallestPass(p envelope.Policy) (trials int, ok bool) {
	decide := DecideFor(p)
	if decide == nil {
		return 0, false
	}
	trials, ok = stats.SmallestPass(decide, farthestPlan)
	return max(trials, p.MinTrials.Or(1)), ok
}

// decisionOf compares an interval with a threshold, strictly.
func decisionOf(lo, hi, threshold float64) stats.Decision {
	switch {
	case lo > threshold:
		return stats.Pass
	case hi < threshold:
		return stats.Fail
	}
	return stats.Undecided
}

// statusOf is the status a decision gives.
func statusOf(d stats.Decision) envelope.Status {
	switch d {
	case stats.Pass:
		return envelope.Pass
	case stats.Fail:
		return envelope.Fail
	}
	return envelope.Inconclusive
}

// either decides at once.
func either(pass bool) stats.Decision {
	if pass {
		return stats.Pass
	}
	return stats.Fail
}

// HypothesesOf are the pass rates that a sequential rule tells apart under a
// resolved policy; nil for other rules.
func HypothesesOf(p envelope.Policy) *envelope.Hypotheses {
	rule, err := RuleByName(p.Rule)
	if err != nil || !rule.Sequential {
		return nil
	}
	if test, err := sprtOf(p); rule.Name == sprtRule.Name && err == nil {
		return &envelope.Hypotheses{P0: test.P0, P1: test.P1, Alpha: test.Alpha, Beta: test.Beta}
	}
	if test, err := anytimeOf(p); err == nil {
		return &envelope.Hypotheses{P0: test.P0, P1: test.P1, Alpha: test.Alpha, Beta: test.Beta}
	}
	return nil
}

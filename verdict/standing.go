package verdict

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/verdict/rule"
	"tribunal/stats"
)

// standing is where the numbers of a test put it before its rule is asked.
type standing int

const (
	ready   standing = iota // the rule decides
	untried                 // every trial was skipped
	voided                  // every trial that was tried is excluded
	thin                    // too many trials are excluded
	few                     // a rule of three answers has not enough to decide
)

// standingOf is the standing of a test of which so many trials count and so many were tried and excluded.
func standingOf(by *rule.Rule, p *envelope.Effective, counted, left int) standing {
	switch {
	case counted == 0 && left == 0:
		return untried
	case counted == 0:
		return voided
	case float64(counted)/float64(counted+left) < p.MinCoverage.V:
		return thin
	case by.ThreeWay && counted < p.MinTrials.V:
		return few
	}
	return ready
}

// status is that of a test whose rule is not asked.
func (s standing) status() (status envelope.Status, known bool) {
	switch s {
	case untried:
		return envelope.Skip, true
	case voided:
		return envelope.Error, true
	case thin, few:
		return envelope.Inconclusive, true
	}
	return "", false
}

func word(status envelope.Status, format string, args ...any) rule.Judgement {
	return rule.Judgement{Status: status, Verdict: envelope.Verdict{Reason: fmt.Sprintf(format, args...)}}
}

// DecideFor returns what a policy says of counts of passes and failures, from its minimum of trials
// on. It is nil for the rules that judge scores: mean and t-interval.
func DecideFor(p envelope.Effective) func(passed, failed int) stats.Decision {
	by, err := rule.ByName(p.Rule)
	if err != nil || by.Counts == nil {
		return nil
	}
	decide := by.Counts(p)
	if !by.ThreeWay || by.Sequential {
		return decide // a sequential rule decides first and speaks later
	}
	return func(passed, failed int) stats.Decision {
		if passed+failed < p.MinTrials.V {
			return stats.Undecided
		}
		return decide(passed, failed)
	}
}

// Onward returns what a sequential rule says of a judged test when further trials come after its own: a decision of
// their passes and failures, taken as if all of them came in one look. It keeps what the trials so far decided as the
// rule does: a fail for ever; a pass of anytime up to a fail; a pass of sprt as long as the trials after it do not
// contradict it, whatever min_trials says. It is nil for other rules.
func Onward(t *envelope.Test, p envelope.Effective) func(passed, failed int) stats.Decision {
	by, err := rule.ByName(p.Rule)
	if err != nil || by.Onward == nil {
		return nil
	}
	return by.Onward(rule.SampleOf(t.Rows), p)
}

// ScoresFor returns what a policy says of the scores of the counted
// trials, from its minimum of trials on; nil for the rules that judge counts.
func ScoresFor(p envelope.Effective) func(scores []float64) stats.Decision {
	by, err := rule.ByName(p.Rule)
	if err != nil || by.Scores == nil {
		return nil
	}
	return func(scores []float64) stats.Decision {
		if by.ThreeWay && len(scores) < p.MinTrials.V {
			return stats.Undecided
		}
		return by.Scores(rule.Summarise(scores), p)
	}
}

// InOrderFor returns the status that a sequential rule gives outcomes in their
// order, also those after its first decision; nil for other rules.
func InOrderFor(p envelope.Effective) func(outcomes []bool) envelope.Status {
	by, err := rule.ByName(p.Rule)
	if err != nil || !by.Sequential {
		return nil
	}
	return func(outcomes []bool) envelope.Status {
		s := &rule.Sample{}
		for _, passed := range outcomes {
			s.Add(passed)
		}
		return by.Judge(s, p).Status
	}
}

// UnaskedFor returns the status that a policy gives a test without asking its rule, by how many
// trials count and how many were tried and excluded: where none counts, the coverage is too low or
// a rule of three answers has too few. It is false from where on the rule is asked.
func UnaskedFor(p envelope.Effective) func(counted, excluded int) (envelope.Status, bool) {
	by, err := rule.ByName(p.Rule)
	if err != nil {
		return func(int, int) (envelope.Status, bool) { return envelope.Error, true }
	}
	return func(counted, excluded int) (envelope.Status, bool) {
		return standingOf(&by, &p, counted, excluded).status()
	}
}

// farthestPlan is how many trials a verdict is looked for up to.
const farthestPlan = 1_000_000_000

// SmallestPass returns the fewest trials, all of them passes, after which a policy passes a test;
// ok is false for the rules that judge scores, and where a thousand million trials are not enough.
func SmallestPass(p envelope.Effective) (trials int, ok bool) {
	decide := DecideFor(p)
	if decide == nil {
		return 0, false
	}
	trials, ok = stats.SmallestPass(decide, farthestPlan)
	return max(trials, p.MinTrials.Or(1)), ok
}

// HypothesesOf are the pass rates that a sequential rule decides between under a policy; nil for other rules.
func HypothesesOf(p envelope.Effective) *envelope.Hypotheses {
	by, err := rule.ByName(p.Rule)
	if err != nil || by.Hypotheses == nil {
		return nil
	}
	return by.Hypotheses(p)
}

// fillInside says what is to be said of the checks of a test.
func fillInside(t *envelope.Test, p *envelope.Effective) {
	if len(t.Rows.Checks()) == 0 {
		return
	}
	t.Rows.ClassifyChecks(envelope.CountingRules{ScoreThreshold: p.ScoreThreshold.V})
	t.Checks = make(map[string]envelope.CheckRate, len(t.Rows.Checks()))
	for i := range t.Rows.Checks() {
		c := &t.Rows.Checks()[i]
		t.Checks[c.Name] = checkRate(t, c, p)
	}
}

func checkRate(t *envelope.Test, c *envelope.CheckColumn, p *envelope.Effective) envelope.CheckRate {
	var out envelope.CheckRate
	var scores []float64
	for i, outcome := range t.Rows.Outcome {
		if !outcome.Counted() || !c.At(i).Counted() {
			continue
		}
		out.N++
		if c.At(i) == envelope.Passed {
			out.Passed++
		}
		if score, ok := c.Score.At(i); ok {
			scores = append(scores, score)
		}
	}
	out.Rate = rule.RateOf(out.Passed, out.N, p.Confidence.V)
	out.Score = rule.Rule{}.Score(&rule.Sample{HasScores: len(scores) > 0, Scores: scores}, p.Confidence.V)
	return out
}

// Package rule has the table of rules that judge a test.
//
// A rule takes a Sample, the counted trials of a test in order, and a policy. It returns a
// Judgement: a status and the reason for it. Its row in Table has everything the program
// says of the rule, so no other code depends on its name.
//
// Package verdict decides which trials count, resolves policies, and adjusts for many
// tests. The numerics are in package stats.
package rule

import (
	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/stats"
)

// Rule is a row of the table of rules: how counted trials become a status.
type Rule struct {
	Name    string
	Aliases []string
	Doc     string // one line
	// ThreeWay rules can be inconclusive, and are below min_trials.
	ThreeWay bool
	// Sequential rules check after every trial and stop at the first decision.
	Sequential bool
	// Reports is the score to report: best, worst or mean.
	Reports string

	Scored bool // judges scores, not outcomes
	Ranged bool // needs the range of scores

	// Asks is the rule in words with its parameters, for the title of a report.
	Asks func(envelope.Effective) string
	// Explains is a sentence on how the rule decides, for verdicts whose reason does not say
	// it; nil for other rules.
	Explains func(*envelope.Verdict) string

	Check  func(envelope.Policy) error // valid ranges of the parameters
	Fill   func(*envelope.Policy)      // defaults of the parameters; nil when there are none
	Judge  func(*Sample, envelope.Effective) Judgement
	Counts func(envelope.Effective) Decide                  // decision on counts; nil if scores decide
	Onward func(*Sample, envelope.Effective) Decide         // decision on trials after the sample, for sequential rules
	Scores func(Summary, envelope.Effective) stats.Decision // decision on scores; nil for other rules
	// Hypotheses are the pass rates that a sequential rule decides between. It is nil for
	// other rules, and returns nil for an unusable policy.
	Hypotheses func(envelope.Effective) *envelope.Hypotheses
	PValue     func(*Sample, envelope.Effective) float64 // against a rate or mean at the threshold; nil without one
}

// Judgement is the result of a rule. The caller sets the name of the rule, n and passed.
type Judgement struct {
	Status  envelope.Status
	Verdict envelope.Verdict
}

// WithThreshold adds the fields of rules for a fixed number of trials, whose error rates hold
// for one look.
func (j Judgement) WithThreshold(p envelope.Effective) Judgement {
	j.Verdict.Threshold, j.Verdict.Confidence = p.Threshold, p.Confidence
	j.Verdict.ValidUnderPeeking = envelope.Some(false)
	return j
}

// Restorable reports whether threshold, defaults and outcomes in order are enough to judge a
// test again.
func (r Rule) Restorable() bool { return r.ThreeWay && !r.Scored }

// Claim returns the p-value against a rate at the threshold, and the level at which a fail
// stands: alpha for sequential rules, half of 1 - confidence for others. ok is false without
// an error rate or without trials.
func (r Rule) Claim(s *Sample, p envelope.Effective) (pValue, level float64, ok bool) {
	if r.PValue == nil || s.N() == 0 {
		return 0, 0, false
	}
	level = complement(p.Confidence.V) / 2
	if r.Sequential {
		level = p.Alpha.V
	}
	return r.PValue(s, p), level, true
}

// MinTrials is the default of min_trials. Sequential rules need no minimum.
func (r Rule) MinTrials() int {
	if r.Sequential {
		return 1
	}
	const usualMinTrials = 5
	return usualMinTrials
}

// complement is 1 - v rounded to 12 digits: 0.05, not 0.050000000000000044.
func complement(v float64) float64 { return float64(int64((1-v)*1e12+0.5)) / 1e12 }

// Decide is the decision of a rule on counts. For a sequential rule it is that of one look,
// which is enough to stop at the first decision. For later trials see Rule.Onward.
type Decide = func(passed, failed int) stats.Decision

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

// StatusOf is the status of a decision.
func StatusOf(d stats.Decision) envelope.Status {
	switch d {
	case stats.Pass:
		return envelope.Pass
	case stats.Fail:
		return envelope.Fail
	}
	return envelope.Inconclusive
}

// either decides without being undecided.
func either(pass bool) stats.Decision {
	if pass {
		return stats.Pass
	}
	return stats.Fail
}

// says describes a rule without parameters.
func says(text string) func(envelope.Effective) string {
	return func(envelope.Effective) string { return text }
}

// asks describes a rule that compares a number with a threshold at a confidence.
func asks(text string) func(envelope.Effective) string {
	return func(p envelope.Effective) string {
		return text + p.Threshold.Text(" ", words.Fraction) + sureness(p)
	}
}

// asksSequential describes a rule that decides between two pass rates.
func asksSequential(name string, rates func(envelope.Effective) *envelope.Hypotheses) func(envelope.Effective) string {
	return func(p envelope.Effective) string {
		h := rates(p)
		return name + words.If(h.P0 > 0, ": PASS shows a pass rate above "+words.Fraction(h.P1)+", FAIL one below "+words.Fraction(h.P0))
	}
}

// sureness describes the confidence and the least number of trials.
func sureness(p envelope.Effective) string {
	s := p.Confidence.Text(" at ", words.Level)
	s += words.If(s != "", " confidence")
	s += words.If(p.MinTrials.V > 1, ", at least "+words.Plural(p.MinTrials.V, "trial", "trials"))
	return s
}

// explainInterval explains rules that compare an interval with the threshold.
func explainInterval(v *envelope.Verdict) string {
	return words.If(v.Threshold.OK, "Passes when the whole interval is above "+words.Number(v.Threshold.V)+
		", fails when it is below, and is undecided otherwise.")
}

func explainHypotheses(v *envelope.Verdict) string {
	h := v.Hypotheses
	if h == nil {
		return ""
	}
	return "Tests a pass rate of " + words.Number(h.P0) + " against " + words.Number(h.P1) + ": a test at " + words.Number(h.P0) +
		" fails by chance at most " + words.Level(h.Alpha) + " of the time, one at " + words.Number(h.P1) + " passes at most " +
		words.Level(h.Beta) + "."
}

package rule

import (
	"tribunal/envelope"
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
	return usualMinTrials
}

const usualMinTrials = 5

// complement is 1 - v rounded to 12 digits: 0.05, not 0.050000000000000044.
func complement(v float64) float64 {
	return float64(int64((1-v)*1e12+0.5)) / 1e12
}

package rule

import (
	"tribunal/envelope"
	"tribunal/stats"
)

// Rule is one row of the table of rules: how the counted trials of a test
// become a status.
type Rule struct {
	Name    string
	Aliases []string
	Doc     string // one line
	// ThreeWay rules can find a test inconclusive, and do so below min_trials.
	ThreeWay bool
	// Sequential rules look after every trial and stop at the first decision.
	Sequential bool
	// Reports says which score the rule reports: best, worst or mean.
	Reports string

	// Scored rules judge scores and not outcomes.
	Scored bool
	// Ranged rules need the range of the scores.
	Ranged bool

	// Asks is the rule in words, with the parameters it has under a policy: what the
	// title of a report says of it.
	Asks func(envelope.Effective) string
	// Explains is a sentence on a verdict that its reason leaves out: between what
	// the rule decides, and how. nil for rules of which the reason says it all.
	Explains func(*envelope.Verdict) string

	Check  func(envelope.Policy) error // valid ranges of the parameters
	Fill   func(*envelope.Policy)      // defaults of the parameters; nil when there are none
	Judge  func(*Sample, envelope.Effective) Judgement
	Counts func(envelope.Effective) Decide                  // what it says of counts alone; nil when scores decide
	Onward func(*Sample, envelope.Effective) Decide         // what a sequential rule says of trials that come after those of the sample
	Scores func(Summary, envelope.Effective) stats.Decision // what it says of scores, without words; nil for other rules
	// Hypotheses are the pass rates that a sequential rule decides between; nil for
	// other rules, and under a policy that cannot be used.
	Hypotheses func(envelope.Effective) *envelope.Hypotheses
	PValue     func(*Sample, envelope.Effective) float64 // against the threshold being held; nil when there is none
}

// Judgement is what a rule found. The rule's name, n and passed are filled in
// by whoever asked.
type Judgement struct {
	Status  envelope.Status
	Verdict envelope.Verdict
}

// WithThreshold adds what every rule of a fixed number of trials records. Its
// error rate holds for one look at the end, not for looking after every trial.
func (j Judgement) WithThreshold(p envelope.Effective) Judgement {
	j.Verdict.Threshold, j.Verdict.Confidence = p.Threshold, p.Confidence
	j.Verdict.ValidUnderPeeking = envelope.Some(false)
	return j
}

// Restorable reports a rule that needs no more than its threshold, defaults and the
// outcomes in their order to judge a test again as it did.
func (r Rule) Restorable() bool { return r.ThreeWay && !r.Scored }

// Claim is what the counted trials say against the threshold being held: a
// p-value, and the level at which a fail stands. A rule of a fixed number of
// trials claims at half of its error rate, the side of the fail; a sequential one
// at alpha. It is false for rules without an error rate and for no trials.
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

// MinTrials is the default minimum: five for rules of a fixed number of trials.
// A sequential rule decides by its own error rates and needs none.
func (r Rule) MinTrials() int {
	if r.Sequential {
		return 1
	}
	return usualMinTrials
}

const usualMinTrials = 5

// complement is 1 - v to 12 digits: 0.05 and not 0.050000000000000044.
func complement(v float64) float64 {
	return float64(int64((1-v)*1e12+0.5)) / 1e12
}

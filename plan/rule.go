package plan

import (
	"math"

	"tribunal/envelope"
	"tribunal/stats"
)

// Rule is the rule of a policy, whose chances are known at every pass rate.
type Rule struct {
	by    *decider
	known map[tried]Chance
}

// tried is what the chances of a rule depend on.
type tried struct {
	trials    int
	rate, icc float64
}

// RuleOf is the rule that judges tests under a policy. The error is that of a rule which
// counts alone do not decide.
func RuleOf(p envelope.Effective) (*Rule, error) {
	by, err := Question{}.decider(p)
	return &Rule{by: by, known: map[tried]Chance{}}, err
}

// Sequential reports a rule that looks after every trial.
func (r *Rule) Sequential() bool { return r.by.rule.Sequential }

// leastICC is a correlation that changes nothing.
const leastICC = 1e-9

// Chance is what the rule does with so many trials whose rate is drawn around the given one
// for all of them at once, from the beta law: then two of them correlate by icc.
func (r *Rule) Chance(trials int, rate, icc float64) Chance {
	asked := tried{trials, rate, icc}
	c, known := r.known[asked]
	if known {
		return c
	}
	switch {
	case icc < leastICC || rate <= 0 || rate >= 1:
		c = r.by.chance(trials, rate)
	default:
		size := 1/math.Min(icc, 1-leastICC) - 1
		c = r.correlated(trials, stats.Beta{Passes: rate * size, Failures: (1 - rate) * size})
		c.Rate = rate
	}
	if !c.Mean.OK {
		c.Mean = envelope.Some(float64(trials))
	}
	r.known[asked] = c
	return c
}

func (r *Rule) correlated(trials int, law stats.Beta) (c Chance) {
	if r.Sequential() {
		mean, before := 0., 1.
		for _, at := range r.by.boundary.Foresee(law, stats.Start{}, trials) {
			c.Pass, c.Fail = c.Pass+at.Pass, c.Fail+at.Fail
			mean, before = mean+before, at.Undecided
		}
		c.Inconclusive, c.Mean = math.Max(0, 1-c.Pass-c.Fail), envelope.Some(mean)
		return c
	}
	at := r.by.boundary.At(trials)
	for passed, mass := range stats.BetaBinomial(nil, trials, law.Passes, law.Failures) {
		switch {
		case passed >= at.Pass:
			c.Pass += mass
		case passed <= at.Fail:
			c.Fail += mass
		default:
			c.Inconclusive += mass
		}
	}
	return c
}

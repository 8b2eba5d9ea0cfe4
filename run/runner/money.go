package runner

import "tribunal/envelope"

// Limits are in US dollars; absent ones are none. CostPerTrialUSD is what a trial
// is taken to cost before any has said it.
type Limits struct {
	MaxCostUSD, MaxCostPerTestUSD, CostPerTrialUSD envelope.Opt[float64]
}

// budget knows what was spent and what what runs will cost at most, as far as the
// trials so far can tell. Trials that do not say their cost are free.
type budget struct {
	limits  Limits
	spent   float64
	largest envelope.Opt[float64]
	known   int // trials that said their cost
	told    int // trials that ended, with or without it
	said    float64
}

// pay takes an ended trial and returns what it cost.
func (p *budget) pay(cost envelope.Opt[float64]) float64 {
	p.told++
	if !cost.OK {
		return 0
	}
	p.known++
	p.said += cost.V
	p.spent += cost.V
	p.largest = envelope.Some(max(cost.V, p.largest.Or(cost.V)))
	return cost.V
}

// lose takes a trial that was cut off: what it cost, or the mean.
func (p *budget) lose(cost envelope.Opt[float64]) float64 {
	v := cost.Or(p.mean())
	p.spent += v
	return v
}

func (p *budget) mean() float64 {
	if p.known == 0 {
		return p.limits.CostPerTrialUSD.Or(0)
	}
	return p.said / float64(p.known)
}

// reserve is what one more running trial is taken to cost.
func (p *budget) reserve() float64 {
	if p.known > 0 {
		return p.largest.V
	}
	return p.limits.CostPerTrialUSD.Or(0)
}

// allows reports whether the run has money for one more start.
func (p *budget) allows(inFlight int) bool {
	limited := p.limits.MaxCostUSD.OK || p.limits.MaxCostPerTestUSD.OK
	if limited && inFlight > 0 && p.told == 0 && !p.limits.CostPerTrialUSD.OK {
		return false // nobody knows what a trial costs: the first one runs alone
	}
	return within(p.spent+float64(inFlight)*p.reserve(), p.limits.MaxCostUSD)
}

// allowsTest reports whether a test has money for one more trial.
func (p *budget) allowsTest(t *test) bool {
	return within(t.spent+float64(t.inFlight)*p.reserve(), p.limits.MaxCostPerTestUSD)
}

// cent is the share of a limit that sums of decimals may be short of it: 50 times
// 0.10 is 5.00, whatever floats make of it.
const cent = 1e-9

func within(spent float64, limit envelope.Opt[float64]) bool {
	return !limit.OK || spent < limit.V-cent*limit.V
}

package stats

import (
	"fmt"
	"math"
)

// Anytime is a pair of e-processes for one pass rate. EFail grows when the rate is below P0, EPass
// when it is above P1. Fail once EFail >= 1/Alpha, pass once EPass >= 1/Beta. Whoever stops at the
// first crossing has the verdict; where trials go on, a later fail overrides an earlier pass, and
// nothing overrides a fail. Neither error rate grows by that: Alpha bounds that EFail reaches
// 1/Alpha at any time, and there are only fewer passes.
//
// docs/statistics/sequential.md has the formulas and what they promise.
//
// J. Ville (1939); A. Ramdas, P. Grünwald, V. Vovk, G. Shafer, Statistical
// Science 38 (2023) 576-601.
type Anytime struct {
	P0, P1, Alpha, Beta float64
}

// NewAnytime returns the pair for P0 = threshold and P1 = threshold - gap, at least 0.01. A gap of
// 0 is allowed: then one of the two errors is controlled on either side of the threshold. It is an
// error unless 0.01 <= threshold < 1, gap >= 0 and alpha and beta lie between 0 and 1.
func NewAnytime(threshold, gap, alpha, beta float64) (Anytime, error) {
	if !(threshold >= lowestRate && threshold < 1) {
		return Anytime{}, fmt.Errorf("anytime threshold is %v: it must be at least 0.01 and below 1", threshold)
	}
	if !(gap >= 0) {
		return Anytime{}, fmt.Errorf("anytime gap is %v: it must be 0 or more", gap)
	}
	if err := checkErrorRates(alpha, beta); err != nil {
		return Anytime{}, err
	}
	return Anytime{P0: threshold, P1: alternative(threshold, gap), Alpha: alpha, Beta: beta}, nil
}

// EValues are the two log e-values after some trials.
type EValues struct {
	LogFail, LogPass float64
}

// Bounds returns the log e-values at which the test stops: log(1/Alpha) for
// LogFail and log(1/Beta) for LogPass.
func (a Anytime) Bounds() EValues {
	return EValues{LogFail: -math.Log(a.Alpha), LogPass: -math.Log(a.Beta)}
}

// LogE returns the log e-values after the given outcomes. Their order does not matter.
func (a Anytime) LogE(passed, failed int) EValues {
	c, f := float64(passed), float64(failed)
	return EValues{LogFail: logMixtureBelow(c, f, a.P0), LogPass: logMixtureBelow(f, c, 1-a.P1)}
}

// Decide compares e-values with the bounds. It looks at one moment only;
// [Anytime.Run] remembers what was crossed before. Where both e-values are over
// their bounds, which takes a rate between P1 and P0, it is a fail.
func (a Anytime) Decide(e EValues) Decision {
	bound := a.Bounds()
	switch {
	case e.LogFail >= bound.LogFail:
		return Fail
	case e.LogPass >= bound.LogPass:
		return Pass
	}
	return Undecided
}

// logMixtureBelow returns the logarithm of
//
//	1/p integral_0^p (q/p)^c ((1-q)/(1-p))^f dq,
//
// the uniform mixture over rates below p against p itself. The incomplete beta function's continued
// fraction gives the integral without its prefix, so nothing underflows.
func logMixtureBelow(c, f, p float64) float64 {
	a, b := c+1, f+1
	if p < (a+1)/(a+b+2) {
		return math.Log((1 - p) / betaFraction(a, b, p, 1-p))
	}
	// Most of the mass lies below p: the mixture over all rates, which is
	// 1/((n+1) C(n,c)), minus the part above.
	whole := -math.Log1p(c+f) - logBinomial(c, c+f, p)
	above := math.Log(p * (1 - p) / betaFraction(b, a, 1-p, p))
	return whole + math.Log1p(-math.Exp(above-whole)) - math.Log(p)
}

// AnytimeResult is where an anytime-valid test stopped, and the most evidence it ever saw.
type AnytimeResult struct {
	Decision Decision
	// Trials is the trial, counted from 1, at which the bound of the decision was first crossed, or
	// the number of outcomes if none was. Passed counts passes up to there.
	Trials, Passed int
	// Overruled is the trial at which the bound of a pass was crossed that a
	// later fail overrides; 0 where there is none.
	Overruled int
	// At holds the log e-values after Trials, Bounds those that stop the test.
	At, Bounds EValues
	// Sup holds the largest log e-values over all outcomes, also those after
	// the stop. Both are at least 0, the e-value of no trial.
	Sup EValues
}

// PFail returns 1/sup EFail, at most 1: a p-value against "the rate is at least P0" that is valid
// at any stopping time and may enter a multiplicity adjustment.
func (r AnytimeResult) PFail() float64 { return math.Exp(-r.Sup.LogFail) }

// Run feeds outcomes, true for a pass, to the test. The decision is that of the first crossing,
// unless it is a pass and a fail comes after it; outcomes after that only add to Sup.
func (a Anytime) Run(outcomes []bool) AnytimeResult {
	r := AnytimeResult{Bounds: a.Bounds()}
	passed := 0
	a.walk(outcomes, func(trial int, pass bool, e EValues) {
		if pass {
			passed++
		}
		r.Sup.LogFail = math.Max(r.Sup.LogFail, e.LogFail)
		r.Sup.LogPass = math.Max(r.Sup.LogPass, e.LogPass)
		now := a.Decide(e)
		switch {
		case r.Decision == Undecided:
			r.Decision = now
		case r.Decision == Pass && now == Fail:
			r.Decision, r.Overruled = Fail, r.Trials
		default:
			return
		}
		r.Trials, r.Passed, r.At = trial, passed, e
	})
	return r
}

// Path returns the log e-values after each outcome, also beyond the stop, for drawing.
func (a Anytime) Path(outcomes []bool) []EValues {
	path := make([]EValues, len(outcomes))
	a.walk(outcomes, func(trial int, _ bool, e EValues) { path[trial-1] = e })
	return path
}

// walk visits the log e-values after each trial, counted from 1.
func (a Anytime) walk(outcomes []bool, visit func(trial int, pass bool, e EValues)) {
	below, above := newMixtureWalk(a.P0), newMixtureWalk(1-a.P1)
	for i, pass := range outcomes {
		visit(i+1, pass, EValues{LogFail: below.add(pass), LogPass: above.add(!pass)})
	}
}

// BetaMixtureCS returns a confidence sequence for a pass rate: an interval that covers the true
// rate at all sample sizes at once with the given confidence, so that it may be looked at after
// every trial. It holds the rates p against which the uniform mixture does not yet speak,
//
//	B(1+c, 1+n-c) / (p^c (1-p)^(n-c)) < 1/(1-confidence).
//
// No trials give [0, 1]. NaN unless 0 <= passed <= trials and 0 < confidence < 1.
//
// H. Robbins, Ann. Math. Stat. 41 (1970) 1397-1409; Ville's inequality.
func BetaMixtureCS(passed, trials int, confidence float64) (lo, hi float64) {
	if !isCount(passed, trials) || !isLevel(confidence) {
		return math.NaN(), math.NaN()
	}
	c, n := float64(passed), float64(trials)
	// The mixture is 1 / ((n+1) C(n,c)), so the condition is a level set of
	// the binomial mass, which rises up to c/n and falls after it.
	level := math.Log1p(-confidence) - math.Log1p(n)
	inside := func(p float64) bool { return logBinomial(c, n, p) > level }
	lo, hi = 0, 1
	if passed > 0 {
		lo = bisect(0, c/n, inside)
	}
	if passed < trials {
		hi = bisect(1, c/n, inside)
	}
	return lo, hi
}

// bisect returns the boundary between outside, where the condition is false,
// and inside, where it is true, to the last bit.
func bisect(outside, inside float64, condition func(float64) bool) float64 {
	return bisectTo(0, outside, inside, condition)
}

// bisectTo does the same until the boundary is known within a tolerance, and
// returns its inner side.
func bisectTo(tolerance, outside, inside float64, condition func(float64) bool) float64 {
	for range 1100 {
		mid := outside + (inside-outside)/2
		if mid == outside || mid == inside || math.Abs(inside-outside) <= tolerance {
			break
		}
		if condition(mid) {
			inside = mid
		} else {
			outside = mid
		}
	}
	return inside
}

// mixtureWalk follows logMixtureBelow trial by trial. Integration by parts gives
// g(c,f) = integral_0^p (q/p)^c ((1-q)/(1-p))^f dq one trial later,
//
//	g(c+1,f) = ((c+1) g/p - (1-p)) / (c+f+2)
//	g(c,f+1) = ((f+1) g/(1-p) + p) / (c+f+2),
//
// at no cost, but the difference in the first line loses digits. The walk bounds the relative error
// it has gathered and takes g from the continued fraction again when the bound is no longer tiny.
type mixtureWalk struct {
	p, c, f float64
	g, lost float64
}

const (
	mixtureTolerance = 1e-13
	mixtureRounding  = 4e-16
	mixtureRange     = 1e100
)

func newMixtureWalk(p float64) *mixtureWalk { return &mixtureWalk{p: p, g: p} }

// add counts one more trial and returns the new log e-value. For the mixture
// above a threshold, passes and failures change places.
func (m *mixtureWalk) add(pass bool) float64 {
	next := m.c + m.f + 2
	var grown, constant float64
	if pass {
		m.c++
		grown, constant = m.c*m.g/(m.p*next), -(1-m.p)/next
	} else {
		m.f++
		grown, constant = m.f*m.g/((1-m.p)*next), m.p/next
	}
	m.g = grown + constant
	m.lost = (m.lost*grown + mixtureRounding*(grown+math.Abs(constant))) / m.g
	if !(m.lost > 0 && m.lost < mixtureTolerance && m.g > 1/mixtureRange && m.g < mixtureRange) {
		return m.restart()
	}
	return math.Log(m.g / m.p)
}

// restart takes g from scratch.
func (m *mixtureWalk) restart() float64 {
	e := logMixtureBelow(m.c, m.f, m.p)
	m.g, m.lost = m.p*math.Exp(e), mixtureRounding*(1+math.Abs(e))
	if !(m.g > 1/mixtureRange && m.g < mixtureRange) {
		m.lost = 1 // too far out for a plain number: start again each time
	}
	return e
}

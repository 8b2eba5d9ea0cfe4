package stats

import (
	"fmt"
	"math"
)

// sprtSlack keeps a boundary that is met exactly from being missed by a
// rounding error.
const sprtSlack = 1e-9

// SPRT is Wald's sequential probability ratio test of the good rate P0 against
// the bad rate P1 < P0. Alpha is the nominal probability of failing a test
// whose rate is P0, Beta of passing one whose rate is P1. Both are met when the
// test stops at its first crossing; between P1 and P0 nothing is promised, and
// the interval of the observed rate may well contain P0 at a pass. A stop at the
// first crossing looks at no trial after it: see [SPRT.Contradicts].
//
// A. Wald, Ann. Math. Stat. 16 (1945) 117-186.
type SPRT struct {
	P0, P1, Alpha, Beta float64
}

// NewSPRT returns the test of threshold against max(0.01, threshold - gap).
// It is an error unless 0.02 <= threshold <= 0.999, gap > 0, alpha and beta lie
// between 0 and 1 and alpha + beta < 1.
func NewSPRT(threshold, gap, alpha, beta float64) (SPRT, error) {
	if !(threshold >= 0.02 && threshold <= 0.999) {
		return SPRT{}, fmt.Errorf("sprt threshold is %v: it must lie in 0.02..0.999", threshold)
	}
	if !(gap > 0) {
		return SPRT{}, fmt.Errorf("sprt gap is %v: it must be above 0, or the two hypotheses are the same", gap)
	}
	if err := checkErrorRates(alpha, beta); err != nil {
		return SPRT{}, err
	}
	if alpha+beta >= 1 {
		return SPRT{}, fmt.Errorf("alpha %v and beta %v: their sum must be below 1", alpha, beta)
	}
	return SPRT{P0: threshold, P1: alternative(threshold, gap), Alpha: alpha, Beta: beta}, nil
}

// Bounds returns the log-likelihood ratios at which the test stops: fail at
// lower = log(alpha/(1-beta)), pass at upper = log((1-alpha)/beta).
func (s SPRT) Bounds() (lower, upper float64) {
	return math.Log(s.Alpha / (1 - s.Beta)), math.Log((1 - s.Alpha) / s.Beta)
}

// LLR returns the log-likelihood ratio of P0 to P1 after the given outcomes.
func (s SPRT) LLR(passed, failed int) float64 {
	return float64(passed)*math.Log(s.P0/s.P1) +
		float64(failed)*(math.Log1p(-s.P0)-math.Log1p(-s.P1))
}

// Decide compares the ratio after these outcomes with the bounds. It looks at
// one moment only; [SPRT.Run] stops at the first crossing.
func (s SPRT) Decide(passed, failed int) Decision {
	lower, upper := s.Bounds()
	switch llr := s.LLR(passed, failed); {
	case llr >= upper-sprtSlack:
		return Pass
	case llr <= lower+sprtSlack:
		return Fail
	}
	return Undecided
}

// SPRTResult is where a sequential probability ratio test stopped.
type SPRTResult struct {
	Decision Decision
	// Trials is the trial, counted from 1, at which a bound was crossed, or
	// the number of outcomes if none was. Passed counts passes up to there.
	Trials, Passed int
	// LLR is the log-likelihood ratio after Trials; Lower and Upper the bounds.
	LLR, Lower, Upper float64
	// Later is what came after a pass; nothing after any other decision.
	Later Later
}

// Later is the trials after a sequential test stopped with a pass, which the test
// never looks at.
type Later struct {
	Passed, Trials int
	// P is the exact one-sided p-value of these trials alone against "the rate is
	// at least P0"; 1 where there are none.
	P float64
}

// Later returns what passed of some trials after a pass say.
func (s SPRT) Later(passed, trials int) Later {
	return Later{Passed: passed, Trials: trials, P: BinomialPBelow(passed, trials, s.P0)}
}

// Contradicts reports later trials that reject a rate of P0 or more at Alpha: a
// pass before them is not to be believed.
func (s SPRT) Contradicts(l Later) bool { return l.P <= s.Alpha }

// Run feeds outcomes, true for a pass, to the test until it stops, and gathers
// those after a pass.
func (s SPRT) Run(outcomes []bool) SPRTResult {
	var r SPRTResult
	r.Lower, r.Upper = s.Bounds()
	for _, pass := range outcomes {
		r.Trials++
		if pass {
			r.Passed++
		}
		if r.Decision = s.Decide(r.Passed, r.Trials-r.Passed); r.Decision != Undecided {
			break
		}
	}
	r.LLR = s.LLR(r.Passed, r.Trials-r.Passed)
	if r.Decision == Pass {
		later := outcomes[r.Trials:]
		passed := 0
		for _, pass := range later {
			if pass {
				passed++
			}
		}
		r.Later = s.Later(passed, len(later))
	}
	return r
}

// Path returns the log-likelihood ratio after each outcome, also beyond the
// stop, for drawing.
func (s SPRT) Path(outcomes []bool) []float64 {
	path := make([]float64, len(outcomes))
	passed := 0
	for i, pass := range outcomes {
		if pass {
			passed++
		}
		path[i] = s.LLR(passed, i+1-passed)
	}
	return path
}

package stats

import (
	"fmt"
	"math"
)

// Anytime is a pair of e-processes for one pass rate. EFail grows when the rate
// is below P0, EPass when it is above P1. Fail once EFail >= 1/Alpha, pass once
// EPass >= 1/Beta. Whoever stops at the first crossing has the verdict; where
// trials go on, a later fail overrides an earlier pass, and nothing overrides a
// fail. Neither error rate grows by that: Alpha bounds that EFail reaches 1/Alpha
// at any time, and there are only fewer passes.
//
// docs/statistics/sequential.md has the formulas and what they promise.
//
// J. Ville (1939); A. Ramdas, P. Grünwald, V. Vovk, G. Shafer, Statistical
// Science 38 (2023) 576-601.
type Anytime struct {
	P0, P1, Alpha, Beta float64
}

// NewAnytime returns the pair for P0 = threshold and P1 = threshold - gap, at
// least 0.01. A gap of 0 is allowed: then one of the two errors is controlled
// on either side of the threshold.
// It is an error unless 0.01 <= threshold < 1, gap >= 0 and alpha and beta lie
// between 0 and 1.
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

// LogE returns the log e-values after the given outcomes. Their order does not
// matter.
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
// the uniform mixture over rates below p against p itself. The incomplete beta
// function's continued fraction gives the integral without its prefix, so
// nothing underflows.
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

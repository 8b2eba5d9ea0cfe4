package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// betaTails returns the lower and upper tail of a Beta(a, b) variable at x:
// I_x(a,b) and 1 - I_x(a,b), each accurate in its own right. a, b > 0.
func betaTails(a, b, x float64) (lower, upper float64) {
	switch {
	case x <= 0:
		return 0, 1
	case x >= 1:
		return 1, 0
	}
	scale := math.Exp(logBetaKernel(a, b, x))
	if x < (a+1)/(a+b+2) {
		lower = math.Min(1, scale/betaFraction(a, b, x, 1-x))
		return lower, 1 - lower
	}
	upper = math.Min(1, scale/betaFraction(b, a, 1-x, x))
	return 1 - upper, upper
}

// logBetaKernel returns log( x^a (1-x)^b / B(a,b) ).
func logBetaKernel(a, b, x float64) float64 {
	return math.Log(a) + math.Log(b) - math.Log(a+b) + logBinomial(a, a+b, x)
}

// betaFraction evaluates the continued fraction h for which
// integral_0^x t^(a-1) (1-t)^(b-1) dt = x^a (1-x)^b / h, with y = 1-x.
// It converges in O(sqrt(max(a,b))) terms for x < (a+1)/(a+b+2). It takes y apart
// from x, so that nothing is lost where x is nearly 1 and a very large.
//
// A. DiDonato and A. Morris, ACM TOMS 18 (1992) 360-373, by the modified Lentz
// method.
func betaFraction(a, b, x, y float64) float64 {
	const tiny, epsilon, limit = 1e-300, 1e-16, 1_000_000
	h := nonZero(a*(a*y-b*x+1)/(a+1), tiny)
	c, d := h, 0.
	for m := 1.; m < limit; m++ {
		over := a + 2*m - 1
		numerator := (a + m - 1) / over * (a + b + m - 1) / over * m * (b - m) * x * x
		denominator := m + m*(b-m)*x/over + (a+m)*(a*y-b*x+1+m*(2-x))/(a+2*m+1)
		d = 1 / nonZero(denominator+numerator*d, tiny)
		c = nonZero(denominator+numerator/c, tiny)
		step := d * c
		h *= step
		if math.Abs(step-1) <= epsilon {
			break
		}
	}
	return h
}

// nonZero keeps Lentz's method away from a division by zero.
func nonZero(v, tiny float64) float64 {
	if math.Abs(v) < tiny {
		return tiny
	}
	return v
}

// betaQuantile returns the x at which the lower tail of Beta(a, b) is prob.
// gonum supplies the start, guarded Newton steps on [betaTails] the last
// digits. a, b > 0 and 0 < prob < 1.
func betaQuantile(a, b, prob float64) float64 {
	lo, hi := 0., 1.
	x := mathext.InvRegIncBeta(a, b, prob)
	for range 100 {
		if !(x > lo && x < hi) {
			x = lo + (hi-lo)/2
		}
		lower, _ := betaTails(a, b, x)
		if lower < prob {
			lo = x
		} else {
			hi = x
		}
		density := math.Exp(logBetaKernel(a, b, x)) / (x * (1 - x))
		step := (lower - prob) / density
		if math.Abs(step) <= 1e-15*x || hi <= lo {
			return x - step
		}
		x -= step
	}
	return x
}

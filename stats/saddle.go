package stats

import "math"

const (
	logTwoPi       = 1.8378770664093454835606594728112
	halfLogTwoPi   = logTwoPi / 2
	stirlingCutoff = 16
)

// logBinomial returns the logarithm of the binomial mass
// C(n,x) p^x (1-p)^(n-x), extended to real x by gamma functions.
//
// It is Loader's saddle-point form: the deviances of x and n-x from their
// expectations plus small Stirling corrections, so the result keeps full
// relative accuracy for n far beyond 10^6, where lgamma(n) alone has already
// lost its last eight digits.
//
// C. Loader, "Fast and Accurate Computation of Binomial Probabilities" (2000).
func logBinomial(x, n, p float64) float64 {
	q := 1 - p
	switch {
	case x == 0:
		return n * math.Log1p(-p)
	case x == n:
		return n * math.Log(p)
	case p <= 0 || q <= 0:
		return math.Inf(-1)
	}
	y := n - x
	correction := stirlingError(n) - stirlingError(x) - stirlingError(y)
	return correction - deviance(x, n*p) - deviance(y, n*q) -
		(logTwoPi+math.Log(x)+math.Log1p(-x/n))/2
}

// stirlingError returns log(n!) minus Stirling's approximation of it, n > 0.
func stirlingError(n float64) float64 {
	if n < stirlingCutoff {
		lg, _ := math.Lgamma(n + 1)
		return lg - (n+0.5)*math.Log(n) + n - halfLogTwoPi
	}
	const s0, s1, s2, s3, s4, s5 = 1. / 12, 1. / 360, 1. / 1260, 1. / 1680, 1. / 1188, 691. / 360360
	nn := n * n
	return (s0 - (s1-(s2-(s3-(s4-s5/nn)/nn)/nn)/nn)/nn) / n
}

// deviance returns x log(x/m) + m - x without cancellation near x = m.
func deviance(x, m float64) float64 {
	if math.Abs(x-m) >= 0.1*(x+m) {
		return x*math.Log(x/m) + m - x
	}
	v := (x - m) / (x + m)
	sum := (x - m) * v
	term := 2 * x * v
	for j := 3.; ; j += 2 {
		term *= v * v
		next := sum + term/j
		if next == sum {
			return next
		}
		sum = next
	}
}

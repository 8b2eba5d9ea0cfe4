package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Z returns the two-sided standard normal quantile for a confidence level: the z for which
// P(|N(0,1)| <= z) = confidence, so Z(0.95) = 1.959963985. It is NaN unless 0 < confidence < 1.
func Z(confidence float64) float64 {
	if !isLevel(confidence) {
		return math.NaN()
	}
	return -mathext.NormalQuantile((1 - confidence) / 2)
}

// ConventionalZ returns the rounded values every textbook prints, 1.645, 1.96 and 2.576 at 0.90,
// 0.95 and 0.99, and the exact quantile [Z] everywhere else. Published tables and planning formulas
// (385 runs for 5 % at 95 %) use these rounded values, so verdicts that should agree with them do
// too. It is NaN unless 0 < confidence < 1.
func ConventionalZ(confidence float64) float64 {
	switch math.Round(confidence*1e9) / 1e9 {
	case 0.90:
		return 1.645
	case 0.95:
		return 1.96
	case 0.99:
		return 2.576
	}
	return Z(confidence)
}

// isLevel reports whether x is a probability strictly between 0 and 1.
func isLevel(x float64) bool { return x > 0 && x < 1 }

// errConfidence says what a confidence level must be.
func errConfidence(confidence float64) error {
	return fmt.Errorf("confidence is %v: it must be between 0 and 1, both excluded", confidence)
}

func isRate(x float64) bool { return x >= 0 && x <= 1 }

// isCount reports whether passed can be the number of passes among trials.
func isCount(passed, trials int) bool { return passed >= 0 && passed <= trials }

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

// betaFraction evaluates the continued fraction h for which integral_0^x t^(a-1) (1-t)^(b-1) dt =
// x^a (1-x)^b / h, with y = 1-x. It converges in O(sqrt(max(a,b))) terms for x < (a+1)/(a+b+2). It
// takes y apart from x, so that nothing is lost where x is nearly 1 and a very large.
//
// A. DiDonato and A. Morris, ACM TOMS 18 (1992) 360-373, by the modified Lentz method.
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

// betaQuantile returns the x at which the lower tail of Beta(a, b) is prob. gonum supplies the
// start, guarded Newton steps on [betaTails] the last digits. a, b > 0 and 0 < prob < 1.
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

// BinomialPBelow returns the exact lower tail P(X <= passed) for X binomial with the given trials
// and rate threshold: how often a test that just meets the threshold does this badly or worse. It
// is the one-sided p-value against "the pass rate is at least threshold". NaN unless 0 <= passed <=
// trials and 0 <= threshold <= 1.
func BinomialPBelow(passed, trials int, threshold float64) float64 {
	switch {
	case !isCount(passed, trials) || !isRate(threshold):
		return math.NaN()
	case passed == trials:
		return 1
	}
	_, upper := betaTails(float64(passed)+1, float64(trials-passed), threshold)
	return upper
}

// BinomialPAbove returns the exact upper tail P(X >= passed): the one-sided p-value against "the
// pass rate is at most threshold". NaN unless 0 <= passed <= trials and 0 <= threshold <= 1.
func BinomialPAbove(passed, trials int, threshold float64) float64 {
	switch {
	case !isCount(passed, trials) || !isRate(threshold):
		return math.NaN()
	case passed == 0:
		return 1
	}
	lower, _ := betaTails(float64(passed), float64(trials-passed)+1, threshold)
	return lower
}

// BayesProbAtLeast returns the posterior probability that the pass rate is at least threshold,
// starting from the uniform prior Beta(1,1): the upper tail of Beta(1 + passed, 1 + failed) at
// threshold. NaN unless 0 <= passed <= trials and 0 <= threshold <= 1.
func BayesProbAtLeast(passed, trials int, threshold float64) float64 {
	if !isCount(passed, trials) || !isRate(threshold) {
		return math.NaN()
	}
	_, upper := betaTails(float64(passed)+1, float64(trials-passed)+1, threshold)
	return upper
}

// massFunction returns the probabilities of lo..hi, given the ratio of each to the one before it.
// Starting at the mode and normalising by the sum keeps every entry that matters at full precision,
// whatever the size of the factorials behind it. out is reused if large enough.
func massFunction(out []float64, lo, hi, mode int, ratio func(j int) float64) []float64 {
	size := hi - lo + 1
	if cap(out) < size {
		out = make([]float64, size)
	}
	out = out[:size]
	out[mode-lo] = 1
	total := 1.
	for j := mode + 1; j <= hi; j++ {
		out[j-lo] = out[j-lo-1] * ratio(j)
		total += out[j-lo]
	}
	for j := mode; j > lo; j-- {
		out[j-lo-1] = out[j-lo] / ratio(j)
		total += out[j-lo-1]
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

// Hypergeometric returns the probabilities of lo, lo+1, ... passes among k trials drawn without
// replacement from n trials of which passed passed. It needs 0 <= passed <= n and 0 <= k <= n, and
// returns nil otherwise. The slice out is reused if large enough, and may be nil.
func Hypergeometric(out []float64, passed, n, k int) (lo int, mass []float64) {
	if !isCount(passed, n) || !isCount(k, n) {
		return 0, nil
	}
	lo, hi := max(0, k-(n-passed)), min(k, passed)
	c, f, draws := float64(passed), float64(n-passed), float64(k)
	mode := int((draws + 1) * (c + 1) / (float64(n) + 2))
	mode = min(max(mode, lo), hi)
	return lo, massFunction(out, lo, hi, mode, func(j int) float64 {
		x := float64(j)
		return (c - x + 1) * (draws - x + 1) / (x * (f - draws + x))
	})
}

// BetaBinomial returns the probabilities of 0..k passes in k trials whose common rate is drawn from
// Beta(a, b). It needs k >= 0, a > 0 and b > 0, and returns nil otherwise. The slice out is reused
// if large enough, and may be nil.
func BetaBinomial(out []float64, k int, a, b float64) []float64 {
	if k < 0 || !(a > 0) || !(b > 0) {
		return nil
	}
	n := float64(k)
	ratio := func(j int) float64 {
		x := float64(j)
		return (n - x + 1) * (a + x - 1) / (x * (b + n - x))
	}
	return massFunction(out, 0, k, betaBinomialMode(k, a, b), ratio)
}

// betaBinomialMode returns a mode of the distribution; with a or b below 1 it lies at an end.
func betaBinomialMode(k int, a, b float64) int {
	if a <= 1 && b <= 1 {
		if a > b {
			return k
		}
		return 0
	}
	mode := math.Floor((float64(k) + 1) * (a - 1) / (a + b - 2))
	return int(math.Min(math.Max(mode, 0), float64(k)))
}

const (
	logTwoPi       = 1.8378770664093454835606594728112
	halfLogTwoPi   = logTwoPi / 2
	stirlingCutoff = 16
)

// logBinomial returns the logarithm of the binomial mass
// C(n,x) p^x (1-p)^(n-x), extended to real x by gamma functions.
//
// It is Loader's saddle-point form: the deviances of x and n-x from their expectations plus small
// Stirling corrections, so the result keeps full relative accuracy for n far beyond 10^6, where
// lgamma(n) alone has already lost its last eight digits.
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

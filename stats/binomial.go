package stats

import "math"

// BinomialPBelow returns the exact lower tail P(X <= passed) for X binomial
// with the given trials and rate threshold: how often a test that just meets
// the threshold does this badly or worse. It is the one-sided p-value against
// "the pass rate is at least threshold".
// NaN unless 0 <= passed <= trials and 0 <= threshold <= 1.
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

// BinomialPAbove returns the exact upper tail P(X >= passed): the one-sided
// p-value against "the pass rate is at most threshold".
// NaN unless 0 <= passed <= trials and 0 <= threshold <= 1.
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

// BayesProbAtLeast returns the posterior probability that the pass rate is at
// least threshold, starting from the uniform prior Beta(1,1): the upper tail of
// Beta(1 + passed, 1 + failed) at threshold.
// NaN unless 0 <= passed <= trials and 0 <= threshold <= 1.
func BayesProbAtLeast(passed, trials int, threshold float64) float64 {
	if !isCount(passed, trials) || !isRate(threshold) {
		return math.NaN()
	}
	_, upper := betaTails(float64(passed)+1, float64(trials-passed)+1, threshold)
	return upper
}

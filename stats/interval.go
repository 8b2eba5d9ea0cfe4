package stats

import "math"

// Wald returns the textbook interval p ± z sqrt(p(1-p)/n), not clamped to
// [0, 1]. Below about 20 trials, or near 0 and 1, it is far too short: at ten
// passes of ten it has no width at all.
// NaN unless 0 <= passed <= trials, trials >= 1 and z >= 0.
func Wald(passed, trials int, z float64) (lo, hi float64) {
	if !isSample(passed, trials, z) {
		return math.NaN(), math.NaN()
	}
	n := float64(trials)
	p := float64(passed) / n
	half := z * math.Sqrt(p*(1-p)/n)
	return p - half, p + half
}

// Wilson returns the score interval: the rates a z-test would not reject. It
// stays inside [0, 1], and is the interval to print beside any pass rate.
// NaN unless 0 <= passed <= trials, trials >= 1 and z >= 0.
//
// E. B. Wilson, JASA 22 (1927) 209-212.
func Wilson(passed, trials int, z float64) (lo, hi float64) {
	if !isSample(passed, trials, z) {
		return math.NaN(), math.NaN()
	}
	return scoreInterval(float64(passed), float64(trials), z)
}

// scoreInterval is Wilson's interval for real-valued counts, which effective
// sample sizes are.
func scoreInterval(passed, n, z float64) (lo, hi float64) {
	failed := n - passed
	centre := passed + z*z/2
	half := z * math.Sqrt(passed*failed/n+z*z/4)
	total := n + z*z
	lo, hi = (centre-half)/total, (centre+half)/total
	if passed == 0 {
		lo = 0
	}
	if failed == 0 {
		hi = 1
	}
	return lo, hi
}

// ClopperPearson returns the exact interval from inverting the two one-sided
// binomial tests. It covers at least the confidence level for every rate, and
// is therefore longer than needed on average. No trials give [0, 1].
// NaN unless 0 <= passed <= trials and 0 < confidence < 1.
//
// C. J. Clopper, E. S. Pearson, Biometrika 26 (1934) 404-413.
func ClopperPearson(passed, trials int, confidence float64) (lo, hi float64) {
	if !isCount(passed, trials) || !isLevel(confidence) {
		return math.NaN(), math.NaN()
	}
	c, f := float64(passed), float64(trials-passed)
	return betaInterval(c, f+1, c+1, f, confidence)
}

// Jeffreys returns the equal-tailed credible interval under the prior
// Beta(1/2, 1/2), with the usual convention that it reaches 0 when nothing
// passed and 1 when nothing failed. No trials give [0, 1].
// NaN unless 0 <= passed <= trials and 0 < confidence < 1.
//
// L. D. Brown, T. T. Cai, A. DasGupta, Statistical Science 16 (2001) 101-133.
func Jeffreys(passed, trials int, confidence float64) (lo, hi float64) {
	if !isCount(passed, trials) || !isLevel(confidence) {
		return math.NaN(), math.NaN()
	}
	c, f := float64(passed)+0.5, float64(trials-passed)+0.5
	lo, hi = betaInterval(c, f, c, f, confidence)
	if passed == 0 {
		lo = 0
	}
	if passed == trials {
		hi = 1
	}
	return lo, hi
}

// betaInterval joins the lower quantile of Beta(aLo, bLo) to the upper quantile
// of Beta(aHi, bHi). A parameter of 0 puts that end at 0 or 1.
func betaInterval(aLo, bLo, aHi, bHi, confidence float64) (lo, hi float64) {
	tail := (1 - confidence) / 2
	lo, hi = 0, 1
	if aLo > 0 {
		lo = betaQuantile(aLo, bLo, tail)
	}
	if bHi > 0 {
		hi = 1 - betaQuantile(bHi, aHi, tail)
	}
	return lo, hi
}

func isSample(passed, trials int, z float64) bool {
	return isCount(passed, trials) && trials >= 1 && z >= 0
}

package stats

import "math"

// CochranArmitage tests whether the pass rate of ordered groups, passed[i] of
// trials[i] at score scores[i], moves along with the scores. It returns the
// standard normal statistic, above 0 for a rising rate, and its two-sided
// p-value. The variance is the binomial one of the pooled rate, as in
// Armitage's paper and in R's prop.trend.test, whose chi-squared is z squared.
// It supposes that trials of a group are independent.
// NaN unless the three have one length and 0 <= passed <= trials everywhere, and
// where nothing could move: all trials ended alike, or all have one score.
//
// P. Armitage, Biometrics 11 (1955) 375-386.
func CochranArmitage(passed, trials []int, scores []float64) (z, p float64) {
	if len(passed) != len(trials) || len(passed) != len(scores) {
		return math.NaN(), math.NaN()
	}
	var all, passes, mean float64
	for i, n := range trials {
		if !isCount(passed[i], n) {
			return math.NaN(), math.NaN()
		}
		all += float64(n)
		passes += float64(passed[i])
		mean += float64(n) * scores[i]
	}
	mean /= all
	rate := passes / all
	var together, spread float64
	for i, n := range trials {
		from := scores[i] - mean
		together += from * (float64(passed[i]) - float64(n)*rate)
		spread += float64(n) * from * from
	}
	variance := rate * (1 - rate) * spread
	if !(variance > 0) {
		return math.NaN(), math.NaN()
	}
	z = together / math.Sqrt(variance)
	return z, math.Erfc(math.Abs(z) / math.Sqrt2)
}

// CleanStretch returns the probability that a stretch of trials named in
// advance, such as the last ones, holds none of the failed among all trials, if
// every order of the trials is as likely: C(all-stretch, failed)/C(all, failed).
// It is also the exact p-value of the longest such stretch at one end, because
// that end is clean for at least this long if and only if the stretch is.
// NaN unless 0 <= stretch <= all and 0 <= failed <= all.
func CleanStretch(stretch, failed, all int) float64 {
	if !isCount(stretch, all) || !isCount(failed, all) {
		return math.NaN()
	}
	p := 1.
	few, many := min(stretch, failed), max(stretch, failed)
	for i := range few {
		p *= math.Max(0, float64(all-many-i)) / float64(all-i)
	}
	return p
}

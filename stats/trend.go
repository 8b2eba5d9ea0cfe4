package stats

import "math"

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

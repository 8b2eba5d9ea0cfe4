package stats

import "math"

// FisherExact returns the two-sided p-value of Fisher's exact test for two
// samples, passed1 of trials1 against passed2 of trials2: the probability,
// given all margins, of a table no more likely than the one seen.
// NaN unless 0 <= passed <= trials for both samples.
//
// R. A. Fisher, J. R. Stat. Soc. 85 (1922) 87-94.
func FisherExact(passed1, trials1, passed2, trials2 int) float64 {
	if !isCount(passed1, trials1) || !isCount(passed2, trials2) {
		return math.NaN()
	}
	lo, mass := Hypergeometric(nil, passed1+passed2, trials1+trials2, trials1)
	return noLikelier(mass, passed1-lo)
}

// NewcombeDifference returns the difference of two independent pass rates,
// first minus second, and Newcombe's hybrid score interval for it (his method
// 10 for unpaired data): the Wilson limits of both samples combined. It stays inside [-1, 1].
// NaN unless both samples have 0 <= passed <= trials, trials >= 1, and z >= 0.
//
// R. G. Newcombe, Statistics in Medicine 17 (1998) 873-890.
func NewcombeDifference(passed1, trials1, passed2, trials2 int, z float64) (difference, lo, hi float64) {
	l1, u1 := Wilson(passed1, trials1, z)
	l2, u2 := Wilson(passed2, trials2, z)
	p1 := float64(passed1) / float64(trials1)
	p2 := float64(passed2) / float64(trials2)
	if math.IsNaN(l1) || math.IsNaN(l2) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	difference = p1 - p2
	return difference, difference - math.Hypot(p1-l1, u2-p2), difference + math.Hypot(u1-p1, p2-l2)
}

// FisherLeast returns the smallest p-value that [FisherExact] can give two
// samples of these sizes with this many passes in both together: above a level,
// the test cannot reject at it however the passes fall.
// NaN unless 0 <= passed <= trials1+trials2 and neither size is negative.
func FisherLeast(passed, trials1, trials2 int) float64 {
	if trials1 < 0 || trials2 < 0 || !isCount(passed, trials1+trials2) {
		return math.NaN()
	}
	lo, hi := max(0, passed-trials2), min(passed, trials1)
	return math.Min(FisherExact(lo, trials1, passed-lo, trials2), FisherExact(hi, trials1, passed-hi, trials2))
}

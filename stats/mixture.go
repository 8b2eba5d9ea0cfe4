package stats

import "math"

// BetaMixtureCS returns a confidence sequence for a pass rate: an interval that
// covers the true rate at all sample sizes at once with the given confidence,
// so that it may be looked at after every trial. It holds the rates p against
// which the uniform mixture does not yet speak,
//
//	B(1+c, 1+n-c) / (p^c (1-p)^(n-c)) < 1/(1-confidence).
//
// No trials give [0, 1]. NaN unless 0 <= passed <= trials and
// 0 < confidence < 1.
//
// H. Robbins, Ann. Math. Stat. 41 (1970) 1397-1409; Ville's inequality.
func BetaMixtureCS(passed, trials int, confidence float64) (lo, hi float64) {
	if !isCount(passed, trials) || !isLevel(confidence) {
		return math.NaN(), math.NaN()
	}
	c, n := float64(passed), float64(trials)
	// The mixture is 1 / ((n+1) C(n,c)), so the condition is a level set of
	// the binomial mass, which rises up to c/n and falls after it.
	level := math.Log1p(-confidence) - math.Log1p(n)
	inside := func(p float64) bool { return logBinomial(c, n, p) > level }
	lo, hi = 0, 1
	if passed > 0 {
		lo = bisect(0, c/n, inside)
	}
	if passed < trials {
		hi = bisect(1, c/n, inside)
	}
	return lo, hi
}

// bisect returns the boundary between outside, where the condition is false,
// and inside, where it is true, to the last bit.
func bisect(outside, inside float64, condition func(float64) bool) float64 {
	return bisectTo(0, outside, inside, condition)
}

// bisectTo does the same until the boundary is known within a tolerance, and
// returns its inner side.
func bisectTo(tolerance, outside, inside float64, condition func(float64) bool) float64 {
	for range 1100 {
		mid := outside + (inside-outside)/2
		if mid == outside || mid == inside || math.Abs(inside-outside) <= tolerance {
			break
		}
		if condition(mid) {
			inside = mid
		} else {
			outside = mid
		}
	}
	return inside
}

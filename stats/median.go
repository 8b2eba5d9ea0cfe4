package stats

import "math"

// MedianPlaces returns two places among n values in order of size, from 0, between which
// the median of the population lies with at least the confidence, whatever its
// distribution: the narrowest two that lie as far from either end. ok is false where even
// the smallest and the largest value are too close, as for fewer than six values at 0.95.
//
// H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed. (2003), section 7.1.
func MedianPlaces(n int, confidence float64) (lo, hi int, ok bool) {
	if n < 2 || !(confidence > 0 && confidence < 1) {
		return 0, 0, false
	}
	// P(value lo <= median <= value hi) = P(lo < X <= hi), X binomial of n and 1/2.
	size, half := float64(n), float64(n/2)
	all, _ := math.Lgamma(size + 1)
	below, _ := math.Lgamma(half + 1)
	above, _ := math.Lgamma(size - half + 1)
	mass := math.Exp(all - below - above - size*math.Ln2)
	covered := mass * float64(1+n%2)
	x := n / 2 // the smallest number of values below the median that is covered
	for ; covered < confidence-1e-12; x-- {
		if x == 1 {
			return 0, 0, false
		}
		mass *= float64(x) / float64(n-x+1)
		covered += 2 * mass
	}
	return x - 1, n - x, true
}

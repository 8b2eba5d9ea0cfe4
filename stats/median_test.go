package stats

import "testing"

// The expected places are sums of exact binomial coefficients; those of 10 and 20 values
// at 0.95 are the published ones of the sign test (W. J. Conover, Practical Nonparametric
// Statistics, 3rd ed., table A3: the 2nd and 9th, the 6th and 15th).
func TestMedianPlaces(t *testing.T) {
	for _, c := range []struct {
		n          int
		confidence float64
		lo, hi     int
		ok         bool
	}{
		{0, 0.95, 0, 0, false}, {1, 0.95, 0, 0, false}, {5, 0.95, 0, 0, false},
		{6, 0.95, 0, 5, true}, {7, 0.95, 0, 6, true}, {8, 0.95, 0, 7, true}, {9, 0.95, 1, 7, true},
		{10, 0.95, 1, 8, true}, {15, 0.95, 3, 11, true}, {20, 0.95, 5, 14, true}, {25, 0.95, 7, 17, true},
		{30, 0.95, 9, 20, true}, {50, 0.95, 17, 32, true}, {100, 0.95, 39, 60, true},
		{1000, 0.95, 468, 531, true}, {3000, 0.95, 1445, 1554, true},
		{4, 0.9, 0, 0, false}, {5, 0.9, 0, 4, true}, {20, 0.9, 5, 14, true}, {100, 0.9, 41, 58, true},
		{7, 0.99, 0, 0, false}, {8, 0.99, 0, 7, true}, {20, 0.99, 3, 16, true}, {100, 0.99, 36, 63, true},
		{5, 0.9375, 0, 4, true}, // 1 - 2/32: just enough
		{2, 0.5, 0, 1, true}, {3, 0.75, 0, 2, true}, {3, 0.76, 0, 0, false},
	} {
		lo, hi, ok := MedianPlaces(c.n, c.confidence)
		if lo != c.lo || hi != c.hi || ok != c.ok {
			t.Errorf("%d values at %g: places %d and %d, %t, want %d and %d, %t", c.n, c.confidence, lo, hi, ok, c.lo, c.hi, c.ok)
		}
	}
}

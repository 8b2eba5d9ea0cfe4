package stats

import (
	"math"
	"testing"
)

// TestStudentTBelow: one degree of freedom is Cauchy, 1/2 + atan(t)/pi; two are
// 1/2 + t/(2 sqrt(2 + t^2)); the rest is what the quantile was made from.
func TestStudentTBelow(t *testing.T) {
	for _, c := range []struct {
		t    float64
		df   int
		want float64
	}{
		{0, 1, 0.5}, {-1, 1, 0.25}, {1, 1, 0.75}, {-1, 2, 0.5 - 0.5/math.Sqrt(3)}, {3, 2, 0.5 + 1.5/math.Sqrt(11)},
		{-1e6, 1, math.Atan(1e-6) / math.Pi}, {-StudentT(0.95, 7), 7, 0.025}, {StudentT(0.99, 30), 30, 0.995},
		{math.Inf(-1), 5, 0}, {math.Inf(1), 5, 1},
	} {
		if got := StudentTBelow(c.t, c.df); !(math.Abs(got-c.want) <= 1e-12*math.Max(c.want, 1e-3)) {
			t.Errorf("P(T_%d <= %v) = %v, want %v", c.df, c.t, got, c.want)
		}
	}
	for _, c := range []struct {
		t    float64
		df   int
		want float64 // the regularised incomplete beta function with 40 digits (Python's mpmath)
	}{
		{-2, 1000, 0.022885173246625820024}, {-1.96, 1000000, 0.024998033792634895343}, {-5, 1000000, 2.8669989354453707845e-7},
		{-10, 100000, 7.816507650103639002e-24}, {-30, 1000000, 6.0100471168317189413e-198},
	} {
		if got := StudentTBelow(c.t, c.df); !(math.Abs(got/c.want-1) <= 1e-12) {
			t.Errorf("P(T_%d <= %v) = %.17g, want %.17g", c.df, c.t, got, c.want)
		}
	}
	if got := StudentTBelow(math.NaN(), 5); !math.IsNaN(got) {
		t.Errorf("of no number: %v", got)
	}
}

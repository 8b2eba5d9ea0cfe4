package stats

import "testing"

// The data matrix C of Krippendorff (2011), 0 for a missing rating, and his results.
func TestKrippendorffAlpha(t *testing.T) {
	units := [][]float64{{1, 1, 1}, {2, 2, 3, 2}, {3, 3, 3, 3}, {3, 3, 3, 3}, {2, 2, 2, 2}, {1, 2, 3, 4}, {4, 4, 4, 4}, {1, 1, 2, 1}, {2, 2, 2, 2}, {5, 5, 5}, {1, 1}, {3}}
	for scale, want := range map[Scale]float64{Nominal: 0.743, Ordinal: 0.815, Interval: 0.849} {
		near(t, "alpha", KrippendorffAlpha(units, scale), want, 5e-4, "Krippendorff 2011")
	}
}

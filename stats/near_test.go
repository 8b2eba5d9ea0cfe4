package stats

import (
	"math"
	"testing"
)

// near fails unless got is within tolerance of want, absolute or relative.
func near(t *testing.T, what string, got, want, tolerance float64, reason string) {
	t.Helper()
	gap := math.Abs(got - want)
	if gap <= tolerance || gap <= tolerance*math.Abs(want) {
		return
	}
	t.Errorf("%s = %.17g, want %.17g: %s", what, got, want, reason)
}

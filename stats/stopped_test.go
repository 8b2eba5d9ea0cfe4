package stats

import (
	"math"
	"testing"
)

// TestStoppedRate: of trials up to the r-th failure, 1 - (r-1)/(n-1) is the unbiased
// estimate (J. B. S. Haldane, Biometrika 33 (1945) 222-225).
func TestStoppedRate(t *testing.T) {
	for _, failures := range []int{2, 3, 7} {
		for n := failures; n < 400; n += 13 {
			got := StoppedRate(n-failures, n, func(passed, trials int) bool { return trials-passed < failures })
			if want := 1 - float64(failures-1)/float64(n-1); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d failures at trial %d: %v, want %v", failures, n, got, want)
			}
		}
	}
}

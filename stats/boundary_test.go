package stats

import "testing"

// TestNothingIsLeftOpenByARuleOfTwoAnswers, not even what rounding leaves.
func TestNothingIsLeftOpenByARuleOfTwoAnswers(t *testing.T) {
	majority := NewBoundary(func(passed, failed int) Decision {
		if passed > failed {
			return Pass
		}
		return Fail
	})
	for trials := 1; trials <= 40; trials++ {
		for percent := range 101 {
			if c := majority.Once(float64(percent)/100, trials); c.Undecided != 0 {
				t.Fatalf("%d trials at %d %%: undecided with probability %v", trials, percent, c.Undecided)
			}
		}
	}
}

package runner

import (
	"math"
	"testing"
)

// TestMean: the mean trials of published tables of the two sequential rules, at
// most 100 trials, and of a fixed number.
func TestMean(t *testing.T) {
	for rule, want := range map[string][]float64{
		"sprt":    {15.04, 21.11, 37.27, 45.57, 10.79},
		"anytime": {13.30, 21.62, 43.58, 58.96, 7.66},
	} {
		s, err := NewStopping(policyOf(t, rule, 0.9), 100, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, rate := range []float64{0.99, 0.95, 0.9, 0.8, 0.5} {
			if got := s.Mean(rate); math.Abs(got-want[i]) > 0.006 {
				t.Errorf("%s at %v: %.4f trials in the mean, want %v", rule, rate, got, want[i])
			}
		}
	}
	s, err := NewStopping(policyOf(t, "wilson", 0.9), 35, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Mean(0.5); got != 35 {
		t.Errorf("35 trials that are all run: %v in the mean", got)
	}
	s, err = NewStopping(policyOf(t, "all", 0.9), 3, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Mean(0.5); got != 1.75 { // 1/2 stop at the first, 1/4 at the second
		t.Errorf("all of 3, stopped at the first failure, at 0.5: %v in the mean, want 1.75", got)
	}
}

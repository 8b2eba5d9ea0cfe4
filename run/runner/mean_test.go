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
		s := must(NewStopping(policyOf(t, rule, 0.9), 100, false))(t)
		for i, rate := range []float64{0.99, 0.95, 0.9, 0.8, 0.5} {
			if got := s.Mean(rate); math.Abs(got-want[i]) > 0.006 {
				t.Errorf("%s at %v: %.4f trials in the mean, want %v", rule, rate, got, want[i])
			}
		}
	}
	s := must(NewStopping(policyOf(t, "wilson", 0.9), 35, false))(t)
	if got := s.Mean(0.5); got != 35 {
		t.Errorf("35 trials that are all run: %v in the mean", got)
	}
	s = must(NewStopping(policyOf(t, "all", 0.9), 3, true))(t)
	if got := s.Mean(0.5); got != 1.75 { // 1/2 stop at the first, 1/4 at the second
		t.Errorf("all of 3, stopped at the first failure, at 0.5: %v in the mean, want 1.75", got)
	}
}

// TestRatesOfStoppedTests: how far the rate of a test that stopped lies from its true
// one, exactly, as docs/run/rule.md says it.
func TestRatesOfStoppedTests(t *testing.T) {
	for _, c := range []struct {
		rule       string
		trials     int
		rate, want float64
	}{
		{"anytime", 100, 0.5, 0.35}, {"anytime", 100, 0.9, 0.92}, {"sprt", 100, 0.5, 0.43}, {"sprt", 100, 0.9, 0.93}, {"all", 10, 0.9, 0.76},
	} {
		s := must(NewStopping(policyOf(t, c.rule, 0.9), c.trials, c.rule == "all"))(t)
		seen, at := 0.0, []float64{1} // the chance of each number of passes
		for n := 0; len(at) > 0; n++ {
			next := make([]float64, n+2)
			going := false
			for passed, chance := range at {
				switch {
				case chance == 0:
				case n == c.trials || s.Near(passed, n-passed) == 0:
					seen += chance * float64(passed) / float64(n)
				default:
					going = true
					next[passed+1] += chance * c.rate
					next[passed] += chance * (1 - c.rate)
				}
			}
			if at = next; !going {
				break
			}
		}
		if math.Abs(seen-c.want) > 0.0051 {
			t.Errorf("%s at %v: a rate of %.4f in the mean, docs/run/rule.md says %v", c.rule, c.rate, seen, c.want)
		}
	}
}

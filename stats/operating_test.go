package stats

import (
	"fmt"
	"testing"
)

// follow is the whole course of a rule from its first trial to the n-th.
func follow(p float64, n int, b *Boundary) Course { return b.Follow(p, Start{}, n, 1, 0.9) }

// only keeps one decision of a rule and ignores the other: the probability of
// ever reaching it is then the worst any way of stopping can do.
func only(kept Decision, decide func(passed, failed int) Decision) *Boundary {
	return NewBoundary(func(passed, failed int) Decision {
		if decide(passed, failed) == kept {
			return kept
		}
		return Undecided
	})
}

const horizon = 300

// TestAnytimeErrorRates: whenever one stops, a rate of P0 or better is failed
// with probability at most alpha, a rate of P1 or worse passed with at most
// beta.
func TestAnytimeErrorRates(t *testing.T) {
	for _, threshold := range []float64{0.3, 0.5, 0.8, 0.9, 0.95, 0.99} {
		for _, gap := range []float64{0, 0.05, 0.1, 0.25} {
			for _, rates := range [][2]float64{{0.05, 0.2}, {0.05, 0.05}, {0.01, 0.1}, {0.2, 0.01}} {
				a, err := NewAnytime(threshold, gap, rates[0], rates[1])
				if err != nil {
					t.Fatal(err)
				}
				t.Run(fmt.Sprintf("%+v", a), func(t *testing.T) { checkAnytime(t, a) })
			}
		}
	}
}

func checkAnytime(t *testing.T, a Anytime) {
	t.Parallel()
	bounds := a.Bounds()
	failing := NewBoundary(func(passed, failed int) Decision {
		if a.LogE(passed, failed).LogFail >= bounds.LogFail {
			return Fail
		}
		return Undecided
	})
	passing := NewBoundary(func(passed, failed int) Decision {
		if a.LogE(passed, failed).LogPass >= bounds.LogPass {
			return Pass
		}
		return Undecided
	})
	for _, p := range []float64{a.P0, (a.P0 + 1) / 2, 1} {
		if got := follow(p, horizon, failing).Fail; got > a.Alpha {
			t.Errorf("at rate %v, at least %v: P(ever fail) = %v > %v", p, a.P0, got, a.Alpha)
		}
	}
	for _, p := range []float64{a.P1, a.P1 / 2, 0} {
		if got := follow(p, horizon, passing).Pass; got > a.Beta {
			t.Errorf("at rate %v, at most %v: P(ever pass) = %v > %v", p, a.P1, got, a.Beta)
		}
	}
}

// TestPeekingBreaksIntervals is the negative control: the same computation
// finds that looking at a 95 % interval after every trial fails a test whose
// rate is the threshold far more often than its level.
func TestPeekingBreaksIntervals(t *testing.T) {
	const z, level = 1.96, 0.025 // the level of one side, what one look costs
	for _, rule := range []struct {
		name     string
		interval func(passed, trials int, z float64) (lo, hi float64)
		atLeast  float64
	}{
		{"wald", Wald, 0.15},
		{"wilson", Wilson, 0.15},
	} {
		for _, threshold := range []float64{0.5, 0.8, 0.9} {
			decide := func(passed, failed int) Decision {
				if passed+failed < 5 {
					return Undecided
				}
				lo, hi := rule.interval(passed, passed+failed, z)
				switch {
				case lo > threshold:
					return Pass
				case hi < threshold:
					return Fail
				}
				return Undecided
			}
			fail := follow(threshold, horizon, only(Fail, decide)).Fail
			pass := follow(threshold, horizon, only(Pass, decide)).Pass
			t.Logf("%s at %v: P(ever fail) %.3f, P(ever pass) %.3f, one look %.3f", rule.name, threshold, fail, pass, level)
			if fail < 2*level || fail+pass < rule.atLeast {
				t.Errorf("%s at %v: P(ever fail) = %.3f, P(ever pass) = %.3f: peeking should break it", rule.name, threshold, fail, pass)
			}
		}
	}
}

// TestSPRTOperatingCharacteristics holds the default test, 0.90 against 0.80
// with alpha 0.05 and beta 0.20, to its known figures.
func TestSPRTOperatingCharacteristics(t *testing.T) {
	s, err := NewSPRT(0.90, 0.10, 0.05, 0.20)
	if err != nil {
		t.Fatal(err)
	}
	b := NewBoundary(s.Decide)
	good := follow(0.96, 100_000, b)
	near(t, "expected trials at 0.96", good.Mean, 19.18, 0.005, "known figure")
	edge := follow(0.90, 100_000, b)
	near(t, "P(pass | 0.90)", edge.Pass, 0.961, 0.0005, "known figure: alpha is not exhausted")
	if edge.Fail > s.Alpha {
		t.Errorf("P(fail | 0.90) = %v > alpha", edge.Fail)
	}
	if bad := follow(0.80, 100_000, b); bad.Pass > s.Beta {
		t.Errorf("P(pass | 0.80) = %v > beta", bad.Pass)
	}
	if n, ok := SmallestPass(s.Decide, 1000); n != 14 || !ok {
		t.Errorf("passes after %d trials, %v: known are 14", n, ok)
	}
}

// TestCourse holds the front that moves along the boundary to the same sums over
// every path, each taken one by one.
func TestCourse(t *testing.T) {
	s, err := NewSPRT(0.7, 0.3, 0.1, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	const n, rate, least = 14, 0.62, 6
	var want Course
	by := make([]float64, n+1)
	for path := range 1 << n {
		outcomes, mass := make([]bool, n), 1.
		for i := range outcomes {
			if outcomes[i] = path>>i&1 == 1; outcomes[i] {
				mass *= rate
			} else {
				mass *= 1 - rate
			}
		}
		switch r := s.Run(outcomes); r.Decision {
		case Pass:
			want.Pass += mass
			by[max(r.Trials, least)] += mass
			want.Mean += mass * float64(max(r.Trials, least))
		case Fail:
			want.Fail += mass
			by[max(r.Trials, least)] += mass
			want.Mean += mass * float64(max(r.Trials, least))
		default:
			want.Undecided += mass
			want.Mean += mass * n
		}
	}
	total := 0.
	for want.Within = 0; total < 0.5; want.Within++ {
		total += by[want.Within]
	}
	want.Within--
	got := NewBoundary(s.Decide).Follow(rate, Start{}, n, least, 0.5)
	near(t, "P(pass)", got.Pass, want.Pass, 1e-12, "all paths")
	near(t, "P(fail)", got.Fail, want.Fail, 1e-12, "all paths")
	near(t, "P(undecided)", got.Undecided, want.Undecided, 1e-12, "all paths")
	near(t, "mean", got.Mean, want.Mean, 1e-12, "all paths")
	if got.Within != want.Within {
		t.Errorf("half are decided within %d trials, want %d", got.Within, want.Within)
	}
}

// TestBoundary holds limits that are moved trial by trial to those found from
// all counts, also where a rule begins late or decides everything at once.
func TestBoundary(t *testing.T) {
	wilson := func(least int) func(passed, failed int) Decision {
		return func(passed, failed int) Decision {
			lo, hi := Wilson(passed, passed+failed, 1.96)
			switch {
			case passed+failed < least:
				return Undecided
			case lo > 0.8:
				return Pass
			case hi < 0.8:
				return Fail
			}
			return Undecided
		}
	}
	wald := func(passed, failed int) Decision {
		lo, hi := Wald(passed, passed+failed, 1.96)
		switch {
		case lo > 0.8:
			return Pass
		case hi < 0.8:
			return Fail
		}
		return Undecided
	}
	all := func(_, failed int) Decision {
		if failed == 0 {
			return Pass
		}
		return Fail
	}
	for name, decide := range map[string]func(passed, failed int) Decision{"wilson": wilson(1), "wilson from 40": wilson(40), "wald": wald, "all": all} {
		b := NewBoundary(decide)
		for n := 1; n <= 120; n++ {
			want := Limits{Fail: -1, Pass: n + 1}
			for passed := range n + 1 {
				switch decide(passed, n-passed) {
				case Fail:
					want.Fail = passed
				case Pass:
					want.Pass = min(want.Pass, passed)
				}
			}
			if got := NewBoundary(decide).At(n); got != want {
				t.Fatalf("%s after %d trials alone: %+v, want %+v", name, n, got, want)
			}
			if got := b.At(n); got != want {
				t.Fatalf("%s after %d trials: %+v, want %+v", name, n, got, want)
			}
		}
	}
	if n, ok := SmallestPass(func(p, f int) Decision { return only35(p, f) }, 1000); n != 35 || !ok {
		t.Errorf("0.90 under Wilson at 95 %% passes after %d, %v: known are 35", n, ok)
	}
	if _, ok := SmallestPass(func(p, f int) Decision { return only35(p, f) }, 34); ok {
		t.Error("34 trials are said to be enough: 35 are needed")
	}
}

// only35 is Wilson at 0.90 and 95 %: n/(n+z²) > 0.9 from n > 9 z² = 34.57.
func only35(passed, failed int) Decision {
	if lo, _ := Wilson(passed, passed+failed, 1.96); lo > 0.9 {
		return Pass
	}
	return Undecided
}

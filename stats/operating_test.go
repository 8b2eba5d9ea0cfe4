package stats

import (
	"fmt"
	"testing"
)

// Operating characteristics are computed, not simulated: a rule that depends on
// passes and failures only is followed over all paths at once, by moving
// probability from (passed, failed) to its two successors and taking out what
// the rule decides.

// outcome is what a rule does in the long run.
type outcome struct {
	pass, fail, undecided, trials float64
}

// follow returns the probabilities of the first decision within n trials at the
// true rate p, and the expected number of trials until it.
func follow(p float64, n int, decide func(passed, failed int) Decision) outcome {
	var o outcome
	alive := []float64{1} // by passes
	for trial := 1; trial <= n; trial++ {
		next := make([]float64, trial+1)
		for passed, mass := range alive {
			o.trials += mass
			next[passed] += mass * (1 - p)
			next[passed+1] += mass * p
		}
		for passed, mass := range next {
			switch decide(passed, trial-passed) {
			case Pass:
				o.pass += mass
				next[passed] = 0
			case Fail:
				o.fail += mass
				next[passed] = 0
			}
		}
		alive = next
	}
	for _, mass := range alive {
		o.undecided += mass
	}
	return o
}

// tabulate evaluates a rule once for every state within n trials.
func tabulate(n int, decide func(passed, failed int) Decision) func(passed, failed int) Decision {
	table := make([][]Decision, n+1)
	for trial := range table {
		table[trial] = make([]Decision, trial+1)
		for passed := range table[trial] {
			table[trial][passed] = decide(passed, trial-passed)
		}
	}
	return func(passed, failed int) Decision { return table[passed+failed][passed] }
}

// only keeps one decision of a rule and ignores the other: the probability of
// ever reaching it is then the worst any way of stopping can do.
func only(kept Decision, decide func(passed, failed int) Decision) func(passed, failed int) Decision {
	return func(passed, failed int) Decision {
		if decide(passed, failed) == kept {
			return kept
		}
		return Undecided
	}
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
	failing := tabulate(horizon, func(passed, failed int) Decision {
		if a.LogE(passed, failed).LogFail >= bounds.LogFail {
			return Fail
		}
		return Undecided
	})
	passing := tabulate(horizon, func(passed, failed int) Decision {
		if a.LogE(passed, failed).LogPass >= bounds.LogPass {
			return Pass
		}
		return Undecided
	})
	for _, p := range []float64{a.P0, (a.P0 + 1) / 2, 1} {
		if got := follow(p, horizon, failing).fail; got > a.Alpha {
			t.Errorf("at rate %v, at least %v: P(ever fail) = %v > %v", p, a.P0, got, a.Alpha)
		}
	}
	for _, p := range []float64{a.P1, a.P1 / 2, 0} {
		if got := follow(p, horizon, passing).pass; got > a.Beta {
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
			decide := tabulate(horizon, func(passed, failed int) Decision {
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
			})
			fail := follow(threshold, horizon, only(Fail, decide)).fail
			pass := follow(threshold, horizon, only(Pass, decide)).pass
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
	decide := tabulate(3000, s.Decide)
	good := follow(0.96, 3000, decide)
	near(t, "expected trials at 0.96", good.trials, 19.18, 0.005, "known figure")
	edge := follow(0.90, 3000, decide)
	near(t, "P(pass | 0.90)", edge.pass, 0.961, 0.0005, "known figure: alpha is not exhausted")
	if edge.fail > s.Alpha {
		t.Errorf("P(fail | 0.90) = %v > alpha", edge.fail)
	}
	if bad := follow(0.80, 3000, decide); bad.pass > s.Beta {
		t.Errorf("P(pass | 0.80) = %v > beta", bad.pass)
	}
	for trials := 1; trials <= 13; trials++ {
		if decide(trials, 0) == Pass {
			t.Errorf("passes after %d trials: a pass takes at least 14", trials)
		}
	}
	if decide(14, 0) != Pass {
		t.Error("14 straight passes must pass")
	}
}

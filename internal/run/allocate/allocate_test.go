package allocate

import (
	"math"
	"testing"

	"tribunal/stats"
)

// anytime is the boundary of the rule at 0.9 with its usual gap and error rates.
func anytime(t testing.TB) *stats.Boundary {
	t.Helper()
	a, err := stats.NewAnytime(0.9, 0.1, 0.05, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	return stats.NewBoundary(func(passed, failed int) stats.Decision { return a.Decide(a.LogE(passed, failed)) })
}

// TestKnownIndices are the values that the contract of tribunal next gives, of three
// tests that share the expected rate of their run: 14 of 16 passed.
func TestKnownIndices(t *testing.T) {
	b := anytime(t)
	mean := Mean(14, 16)
	if mean != 0.85 {
		t.Fatalf("a rate of %v is expected of 14 of 16, want 0.85", mean)
	}
	for _, c := range []struct {
		name            string
		passed, counted int
		prize           Prize
		want            float64
	}{
		{"A", 9, 9, Verdict, 0.299772}, {"C", 0, 0, Verdict, 0.054921}, {"B", 5, 7, Verdict, 0.028431},
		{"B for a fail", 5, 7, Fail, 0.028431}, {"C for a fail", 0, 0, Fail, 0.027188},
	} {
		got := PerTrial(b, State{Passed: c.passed, Counted: c.counted, Left: 100 - c.counted}, mean, c.prize)
		if math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %.7f, want %v", c.name, got, c.want)
		}
	}
	if got := PerTrial(b, State{Passed: 9, Counted: 9, Left: 91}, mean, Fail); got >= 0.003 || got <= 0 {
		t.Errorf("A for a fail: %v, want less than 0.003", got)
	}
}

// TestEveryOutcomeInTurn holds the index to weighing every sequence of outcomes by
// the chance of it, also where verdicts are not heard before some trials count.
func TestEveryOutcomeInTurn(t *testing.T) {
	b := anytime(t)
	for _, s := range []State{
		{Left: 9}, {Passed: 3, Counted: 4, Left: 9}, {Left: 9, Least: 5}, {Counted: 1, Left: 8, Least: 9},
		{Passed: 5, Counted: 5, Left: 10, Least: 12}, {Left: 3, Least: 3}, {Left: 2, Least: 3},
	} {
		for _, prize := range []Prize{Verdict, Fail} {
			for _, mean := range []float64{0.05, 0.5, 0.9} {
				if got, want := PerTrial(b, s, mean, prize), enumerated(b, s, mean, prize); math.Abs(got-want) > 1e-12 {
					t.Errorf("%+v, prize %d, mean %v: %v, every outcome gives %v", s, prize, mean, got, want)
				}
			}
		}
	}
	if got := PerTrial(b, State{Counted: 2, Left: 8, Least: 6, Decided: true}, 0.5, Verdict); got != 0.25 {
		t.Errorf("a verdict that waits for 4 trials: %v, want 1/4", got)
	}
}

func enumerated(b *stats.Boundary, s State, mean float64, prize Prize) (best float64) {
	for h := 1; h <= s.Left; h++ {
		won, trials := 0., 0.
		for outcomes := range 1 << h {
			chance, passed, counted, stopped := 1., s.Passed, s.Counted, 0
			first := stats.Undecided
			for i := range h {
				rate := (3*mean + float64(passed)) / (3 + float64(counted))
				if outcomes>>i&1 == 1 {
					chance *= rate
					passed++
				} else {
					chance *= 1 - rate
				}
				counted++
				switch at := b.At(counted); {
				case first != stats.Undecided:
				case passed <= at.Fail:
					first = stats.Fail
				case passed >= at.Pass:
					first = stats.Pass
				}
				if first != stats.Undecided && counted >= s.Least && stopped == 0 {
					stopped = i + 1
				}
			}
			switch {
			case stopped == 0:
				trials += chance * float64(h)
				continue
			case prize == Verdict || first == stats.Fail:
				won += chance
			}
			trials += chance * float64(stopped)
		}
		best = max(best, won/trials)
	}
	return best
}

func TestMeanIsRoundedAndNeverCertain(t *testing.T) {
	for _, c := range []struct {
		passed, counted int
		want            float64
	}{{0, 0, 0.5}, {14, 16, 0.85}, {1000, 1000, 0.95}, {0, 1000, 0.05}, {8, 10, 0.75}} {
		if got := Mean(c.passed, c.counted); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d of %d: %v, want %v", c.passed, c.counted, got, c.want)
		}
	}
}

func BenchmarkPerTrial(b *testing.B) {
	rule := anytime(b)
	for range b.N {
		PerTrial(rule, State{Left: 100}, 0.85, Verdict)
	}
}

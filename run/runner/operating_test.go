package runner

import (
	"math"
	"math/rand/v2"
	"testing"

	"tribunal/envelope"
	"tribunal/stats"
	"tribunal/verdict"
)

// TestErrorRatesHoldWithTrialsInParallel simulates tests at the two rates that a
// sequential rule tells apart, through the scheduler itself, with four to sixteen
// places and failures that take ten times as long as passes or a tenth of it. The
// error rates are those of exact computation, within 4 standard errors.
//
// The negative control looks at the same trials as they end. With failures that
// take long, tests at the bad rate pass more than twice as often as they may.
func TestErrorRatesHoldWithTrialsInParallel(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const tests = 1000
	for _, rule := range []string{"sprt", "anytime"} {
		policy := policyOf(t, rule, 0.9)
		boundary := stats.NewBoundary(verdict.DecideFor(policy))
		for _, c := range []struct {
			rate   float64
			places int
			slow   float64 // how long a failure takes beside a pass
		}{{0.9, 4, 0.1}, {0.9, 16, 10}, {0.8, 4, 10}, {0.8, 9, 0.1}, {0.8, 16, 10}} {
			exact := boundary.Follow(c.rate, stats.Start{}, 300, 1, 0.9)
			passed, failed, trials := parallel(t, policy, c.rate, c.places, c.slow, tests)
			holds(t, rule, "pass", c.rate, c.places, passed, tests, exact.Pass)
			holds(t, rule, "fail", c.rate, c.places, failed, tests, exact.Fail)
			if mean := float64(trials) / tests; math.Abs(mean-exact.Mean) > 0.06*exact.Mean {
				t.Errorf("%s at %v, %d places: %.2f trials in the mean, exactly %.2f", rule, c.rate, c.places, mean, exact.Mean)
			}
		}
		exact := boundary.Follow(0.8, stats.Start{}, 300, 1, 0.9).Pass
		for places, least := range map[int]float64{4: 2, 16: 3} {
			if got := asTheyEnd(policy, 0.8, places, 10, tests); got < least*exact {
				t.Errorf("%s, %d places, looked at as they end: passes at 0.8 with %.3f, exactly %.3f: the control should break", rule, places, got, exact)
			}
		}
	}
}

func holds(t *testing.T, rule, what string, rate float64, places, seen, of int, exact float64) {
	t.Helper()
	got := float64(seen) / float64(of)
	if deviation := math.Sqrt(exact * (1 - exact) / float64(of)); math.Abs(got-exact) > 4*deviation {
		t.Errorf("%s: %s at %v with %d places in %.4f of the tests, exactly %.4f", rule, what, rate, places, got, exact)
	}
}

// parallel runs tests one by one, each with all places of its own, until their
// verdicts or 300 trials.
func parallel(t *testing.T, policy envelope.Effective, rate float64, places int, slow float64, tests int) (passed, failed, trials int) {
	t.Helper()
	random := seeded(uint64(places))
	for range tests {
		outcomes := map[int]bool{}
		pass := func(attempt int) bool {
			if _, drawn := outcomes[attempt]; !drawn {
				outcomes[attempt] = random.Float64() < rate
			}
			return outcomes[attempt]
		}
		w := world{ends: byTime, trial: func(_, attempt int) *envelope.Trial {
			if pass(attempt) {
				return letter('P')
			}
			return letter('F')
		}}
		e := newEngine(t, Plan{Policy: policy, Tests: named("a"), Trials: 300, Places: places}, w, random, nil)
		e.lasts = func(_, attempt int) float64 { return lasts(random, pass(attempt), slow) }
		e.run()
		switch endOf(e.journal, 0).Status {
		case envelope.Pass:
			passed++
		case envelope.Fail:
			failed++
		}
		trials += e.starts
	}
	return passed, failed, trials
}

func lasts(random *rand.Rand, passed bool, slow float64) float64 {
	if passed {
		return random.ExpFloat64()
	}
	return slow * random.ExpFloat64()
}

// asTheyEnd is the share of tests that pass when a trial is looked at as soon as it
// has ended, and another is started in its place.
func asTheyEnd(policy envelope.Effective, rate float64, places int, slow float64, tests int) float64 {
	random, decide, passed := seeded(99), verdict.DecideFor(policy), 0
	type trial struct {
		ends   float64
		passed bool
	}
	for range tests {
		now, counts, running := 0., [2]int{}, make([]trial, 0, places)
		for {
			for len(running) < places {
				pass := random.Float64() < rate
				running = append(running, trial{now + lasts(random, pass, slow), pass})
			}
			first := 0
			for i, r := range running {
				if r.ends < running[first].ends {
					first = i
				}
			}
			now = running[first].ends
			if running[first].passed {
				counts[0]++
			} else {
				counts[1]++
			}
			running[first] = running[len(running)-1]
			running = running[:len(running)-1]
			if d := decide(counts[0], counts[1]); d != stats.Undecided {
				if d == stats.Pass {
					passed++
				}
				break
			}
		}
	}
	return float64(passed) / float64(tests)
}

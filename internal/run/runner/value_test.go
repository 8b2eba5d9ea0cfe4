package runner

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/run/allocate"
	"tribunal/stats"
	"tribunal/verdict"
)

// mix is the run of 50 tests of the contract: most pass nearly always, some hardly.
var mix = slices.Concat(slices.Repeat([]float64{.99}, 40), slices.Repeat([]float64{.95}, 5), []float64{.9, .9, .7, .7, .3})

// sampled is a run of the mix through the scheduler, in an order and with money for
// so many trials: how many tests it decided, and how many trials its first fail took.
func sampled(t *testing.T, rule string, order Order, money float64, seed uint64) (decided, firstFail int) {
	t.Helper()
	random := seeded(seed)
	rates := slices.Clone(mix)
	random.Shuffle(len(rates), func(i, j int) { rates[i], rates[j] = rates[j], rates[i] })
	plan := Plan{Policy: policyOf(t, rule, 0.9), Order: order, Limits: Limits{MaxCostUSD: envelope.Some(money), CostPerTrialUSD: envelope.Some(1.)}}
	for i := range rates {
		plan.Tests = append(plan.Tests, Test{Key: envelope.Key{Test: fmt.Sprintf("t%02d", i)}})
	}
	s := must(New(plan))(t)
	s.Begin()
	for trials := 1; ; trials++ {
		r, more := s.Next()
		if !more {
			return decided, firstFail
		}
		id := r.Trials[0].Test
		trial := letter('F')
		if random.Float64() < rates[id] {
			trial = letter('P')
		}
		trial.CostUSD = envelope.Some(1.)
		for _, a := range s.Step(Ended{Slot: r.Slot, Trials: []Reported{{id, trial}}}) {
			if end, is := a.(End); is && end.How == Decided {
				decided++
				if end.Status == envelope.Fail && firstFail == 0 {
					firstFail = trials
				}
			}
		}
	}
}

// TestValueDecidesMost: with money for 300 and 600 trials of the mix, the highest
// index first decides 22.1 and 43.6 of the 50 tests, taking turns 1.4 and 40.7, one
// after another 18.6 and 37.1 (200 runs of a simulation written apart from this
// program). The means here are within 4 standard errors of those and these.
func TestValueDecidesMost(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const runs = 25
	for _, c := range []struct {
		name  string
		order func() Order
		want  map[float64]float64
	}{
		{"value", func() Order { return ByValue(allocate.Verdict) }, map[float64]float64{300: 22.1, 600: 43.6}},
		{"round", func() Order { return Round }, map[float64]float64{300: 1.4, 600: 40.7}},
		{"test", func() Order { return OneByOne }, map[float64]float64{300: 18.6, 600: 37.1}},
	} {
		for money, want := range c.want {
			var seen []float64
			for seed := range uint64(runs) {
				n, _ := sampled(t, "anytime", c.order(), money, seed)
				seen = append(seen, float64(n))
			}
			mean, deviation := moments(seen)
			t.Logf("%s, $%v: %.1f of 50 decided", c.name, money, mean)
			if far := 4 * deviation * math.Sqrt(1./runs+1./200); math.Abs(mean-want) > far {
				t.Errorf("%s with money for %v trials decides %.1f of 50, want %v +- %.1f", c.name, money, mean, want, far)
			}
			if c.name == "value" && money == 300 && mean < 20 || c.name == "round" && money == 300 && mean > 3 {
				t.Errorf("%s decides %.1f", c.name, mean)
			}
		}
	}
}

// TestFirstFailSoonest: the first FAIL of the mix under sprt takes 316 trials in
// turns, 194 one after another and 49 where only fails are paid for.
func TestFirstFailSoonest(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const runs = 25
	for _, c := range []struct {
		name  string
		order func() Order
		want  float64
	}{
		{"round", func() Order { return Round }, 316}, {"test", func() Order { return OneByOne }, 194},
		{"value", func() Order { return ByValue(allocate.Fail) }, 49},
	} {
		var seen []float64
		for seed := range uint64(runs) {
			if _, first := sampled(t, "sprt", c.order(), 1500, seed); first > 0 {
				seen = append(seen, float64(first))
			}
		}
		mean, deviation := moments(seen)
		t.Logf("%s: %.0f trials until the first fail, in %d of %d runs", c.name, mean, len(seen), runs)
		if far := 4 * deviation * math.Sqrt(1./float64(len(seen))+1./200); math.Abs(mean-c.want) > far {
			t.Errorf("%s: the first fail took %.0f trials, want %v +- %.0f", c.name, mean, c.want, far)
		}
	}
}

func moments(of []float64) (mean, deviation float64) {
	for _, v := range of {
		mean += v / float64(len(of))
	}
	for _, v := range of {
		deviation += (v - mean) * (v - mean) / float64(len(of)-1)
	}
	return mean, math.Sqrt(deviation)
}

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

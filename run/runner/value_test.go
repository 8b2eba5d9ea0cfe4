package runner

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/run/allocate"
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

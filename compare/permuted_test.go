package compare_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tribunal/compare"
	"tribunal/envelope"
)

// TestPermutedLabels: where the names base and candidate mean nothing, a run in
// which any test or the run itself is REGRESSED is met at most with probability
// alpha, however many tests there are and whatever their rates. Of 250 runs, 24 is
// the largest number that chance allows at alpha = 0.05 (99.9 %).
func TestPermutedLabels(t *testing.T) {
	const runs, allowed = 250, 24
	for _, c := range []struct {
		reason        string
		tests, trials int
		numbered      bool
		adjust        string
	}{
		{"paired, holm", 20, 10, true, "holm"},
		{"unpaired, holm", 20, 10, false, "holm"},
		{"paired, bh", 20, 10, true, "bh"},
		{"unpaired, bh", 20, 10, false, "bh"},
		{"few tests, many trials", 3, 60, false, "holm"},
	} {
		random := rand.New(rand.NewPCG(8, 1))
		o := compare.Defaults()
		o.Adjust, o.Margin = c.adjust, 0 // no difference passes for equivalent
		any, run := 0, 0
		for range runs {
			base, candidate := permuted(t, random, c.tests, c.trials, c.numbered)
			got := compared(t, base, candidate, o).Contrasts[0]
			if got.Summary.Regressed > 0 {
				any++
			}
			if got.Summary.Regressed > 0 || got.Run.State == compare.Regressed {
				run++
			}
		}
		if any > allowed || run > allowed {
			t.Errorf("%s: %d of %d runs have a test REGRESSED, %d a test or the run", c.reason, any, runs, run)
		}
		t.Logf("%s: %d with a test, %d with a test or the run", c.reason, any, run)
		if run == 0 {
			t.Errorf("%s: no run at all is REGRESSED: the simulation tests nothing", c.reason)
		}
	}
}

// permuted deals the same trials to both sides at random: those of one number
// where they are numbered, all of a test otherwise.
func permuted(t *testing.T, random *rand.Rand, tests, trials int, numbered bool) (base, candidate *envelope.Envelope) {
	var left, right []strip
	for i := range tests {
		name := fmt.Sprintf("/t%02d", i)
		rate := 0.2 + 0.7*random.Float64()
		pool := make([]byte, 2*trials)
		for j := range pool {
			pool[j] = 'F'
			if random.Float64() < rate {
				pool[j] = 'P'
			}
		}
		random.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		left, right = append(left, strip{name, string(pool[:trials])}), append(right, strip{name, string(pool[trials:])})
	}
	return run(t, numbered, left...), run(t, numbered, right...)
}

package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBoundedMeanIsMonotone: a score that falls raises no end, and neither the order of
// the scores nor their number beyond what is computed exactly breaks the interval.
func TestBoundedMeanIsMonotone(t *testing.T) {
	random := rand.New(rand.NewPCG(43, 2))
	for range 300 {
		values := make([]float64, 1+random.IntN(30))
		for i := range values {
			values[i] = []float64{0, 0.5, 1, random.Float64()}[random.IntN(4)]
		}
		lo, hi := BoundedMean(values, 0.95)
		lower := slices.Clone(values)
		lower[random.IntN(len(lower))] *= random.Float64()
		random.Shuffle(len(lower), func(i, j int) { lower[i], lower[j] = lower[j], lower[i] })
		if l, h := BoundedMean(lower, 0.95); l > lo+1e-9 || h > hi+1e-9 {
			t.Fatalf("%v has [%v, %v], and %v, where one fell, [%v, %v]", values, lo, hi, lower, l, h)
		}
	}
}

// TestBoundedMeanOfBlocks: 4000 scores are 2000 means of two, by hand those of 0.5.
func TestBoundedMeanOfBlocks(t *testing.T) {
	values, halves := make([]float64, 4000), make([]float64, 2000)
	for i := range values {
		values[i], halves[i/2] = []float64{0.25, 0.75}[i%2], 0.5
	}
	lo, hi := BoundedMean(values, 0.95)
	wantLo, wantHi := BoundedMean(halves, 0.95)
	near(t, "lower end", lo, wantLo, 0, "blocks of two")
	near(t, "upper end", hi, wantHi, 0, "blocks of two")
	// Of n equal values c, p(m) is (m/c)^n.
	near(t, "lower end", lo, 0.5*0.998157260206594, 1e-9, "0.5 times 0.025^(1/2000)")
}

// TestBoundedMeanErrs: scores of 1, 0.5 and 0 with a mean on the threshold of 0.9 pass,
// or fail, by chance in at most 0.025 and three errors of the simulation.
func TestBoundedMeanErrs(t *testing.T) {
	random := rand.New(rand.NewPCG(43, 3))
	const runs = 4000
	for _, n := range []int{5, 20} {
		passes, fails := 0, 0
		for range runs {
			values := make([]float64, n)
			for i := range values {
				switch u := random.Float64(); {
				case u < 0.85:
					values[i] = 1
				case u < 0.95:
					values[i] = 0.5
				}
			}
			if BoundedMeanPAbove(values, 0.9) <= 0.025 {
				passes++
			}
			if BoundedMeanPBelow(values, 0.9) <= 0.025 {
				fails++
			}
		}
		if passes > runs*33/1000 || fails > runs*33/1000 {
			t.Errorf("%d scores: %d passes and %d fails of %d, promised 0.025", n, passes, fails, runs)
		}
	}
}

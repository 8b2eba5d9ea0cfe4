package rule

import (
	"math/rand/v2"
	"testing"

	"tribunal/envelope"
)

// TestExactCountsAreThoseOfTheInterval: the quick way to say what the exact
// interval says of counts agrees with the interval.
func TestExactCountsAreThoseOfTheInterval(t *testing.T) {
	check := func(threshold, confidence float64, passed, failed int) {
		p := envelope.Effective{Policy: envelope.Policy{Threshold: envelope.Some(threshold), Confidence: envelope.Some(confidence)}}
		if got, want := countsExact(p)(passed, failed), countsByInterval(exactInterval)(p)(passed, failed); got != want {
			t.Fatalf("%d of %d at threshold %v, confidence %v: %v, the interval says %v", passed, passed+failed, threshold, confidence, got, want)
		}
	}
	for _, threshold := range []float64{0, 0.05, 0.5, 0.8, 0.9, 0.95, 0.999, 1} {
		for _, confidence := range []float64{0.1, 0.8, 0.95, 0.999} {
			for n := range 25 {
				for passed := range n + 1 {
					check(threshold, confidence, passed, n-passed)
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		n := 1 + random.IntN(20_000)
		threshold := random.Float64()
		near := int(float64(n)*threshold + 3*random.NormFloat64()*float64(n)/100)
		passed := max(0, min(n, near))
		check(threshold, 0.5+random.Float64()/2, passed, n-passed)
	}
}

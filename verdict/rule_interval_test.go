package verdict

import (
	"math/rand/v2"
	"strings"
	"testing"

	"tribunal/envelope"
)

// TestExactCountsAreThoseOfTheInterval: the quick way to say what the exact
// interval says of counts agrees with the interval.
func TestExactCountsAreThoseOfTheInterval(t *testing.T) {
	check := func(threshold, confidence float64, passed, failed int) {
		p := envelope.Policy{Threshold: envelope.Some(threshold), Confidence: envelope.Some(confidence)}
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

// TestWordsTellWhereTheThresholdLies. With z = 1.96 the lower end of Wilson's
// interval, (c + z²/2 - z sqrt(c f/n + z²/4)) / (n + z²), is 0.900332 for 67 of 69
// and 0.899710 for 94 of 98. The rate is at least 0.7 with the probability that at
// most 7 of 15 pass at 0.7, 0.0500125, after 7 of 14.
func TestWordsTellWhereTheThresholdLies(t *testing.T) {
	nineTenths := rule("bayes", 0.5)
	nineTenths.Confidence = envelope.Some(0.9)
	for _, c := range []struct {
		reason, strip, says string
		policy              envelope.Policy
	}{
		{"above by little", repeat("P", 67) + "FF", "interval 0.9003 to 0.992 lies above the threshold 0.9", rule("wilson", 0.9)},
		{"below by little", repeat("P", 94) + "FFFF", "interval 0.8997 to 0.984 contains the threshold 0.9", rule("wilson", 0.9)},
		{"three digits tell it", repeat("P", 9) + "F", "interval 0.596 to 0.982 contains the threshold 0.9", rule("wilson", 0.9)},
		{"not unlikely enough by little", repeat("P", 7) + repeat("F", 7), "with probability 0.05001, neither sure enough nor unlikely enough at 95 %", rule("bayes", 0.7)},
		{"not sure enough by little", repeat("P", 35) + repeat("F", 25), "with probability 0.89998, neither sure enough nor unlikely enough at 90 %", nineTenths},
	} {
		if got := seal(t, c.strip, c.policy).Verdict.Reason; !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want one that says %q", c.reason, got, c.says)
		}
	}
	if _, got := Release(envelope.Policy{Rule: "all"}, 94, 4); !strings.Contains(got, "0.8997 to 0.984 does not lie above 0.90") {
		t.Errorf("leaving quarantine: %q", got)
	}
}

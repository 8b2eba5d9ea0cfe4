package stats_test

import (
	"fmt"
	"log"
	"math"
	"testing"

	"tribunal/stats"
)

// The arithmetic of verdicts works on plain numbers.
func Example() {
	lo, hi := stats.Wilson(18, 20, stats.Z(0.95))
	fmt.Printf("18 of 20 passed: %.3f to %.3f\n", lo, hi)

	trials, err := stats.RecommendRunsAt(0.05, stats.Z(0.95), 0.5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(trials, "trials for 5 points to either side")
	// Output:
	// 18 of 20 passed: 0.699 to 0.972
	// 385 trials for 5 points to either side
}

// TestCorrelation: x = 1..5 and y = 2, 1, 4, 3, 5 have r = 0.8 by hand; t = 0.8 sqrt(3 / 0.36)
// = 2.3094, whose two-sided p with 3 degrees of freedom is 0.10408804 by the closed form of that distribution. Fisher's
// interval of r = 0.5 of 20 pairs is tanh(0.549306 -+ 1.959964 / sqrt 17).
func TestCorrelation(t *testing.T) {
	r := stats.Correlation([]float64{1, 2, 3, 4, 5}, []float64{2, 1, 4, 3, 5})
	if math.Abs(r-0.8) > 1e-12 {
		t.Errorf("r = %v", r)
	}
	if _, _, p := stats.CorrelationInterval(r, 5, 0.95); math.Abs(p-0.10408804) > 1e-6 {
		t.Errorf("p = %v", p)
	}
	lo, hi, _ := stats.CorrelationInterval(0.5, 20, 0.95)
	half := 1.959963984540054 / math.Sqrt(17)
	if math.Abs(lo-math.Tanh(math.Atanh(0.5)-half)) > 1e-9 || math.Abs(hi-math.Tanh(math.Atanh(0.5)+half)) > 1e-9 {
		t.Errorf("interval %v to %v", lo, hi)
	}
	if r := stats.Correlation([]float64{1, 1, 1}, []float64{1, 2, 3}); !math.IsNaN(r) {
		t.Errorf("what does not vary has r = %v", r)
	}
	if lo, _, _ := stats.CorrelationInterval(0.5, 3, 0.95); !math.IsNaN(lo) {
		t.Errorf("three pairs have an interval from %v", lo)
	}
}

package stats

import (
	"math"
	"testing"
)

// TestDifferencePlanning holds the formulas to what R and the literature print.
func TestDifferencePlanning(t *testing.T) {
	near(t, "0.50 against 0.75, power 0.90", Difference{0.50, 0.75, 0.95}.FormulaRuns(0.90), 76.7, 0.05, "?power.prop.test in R: n = 76.7")
	near(t, "0.90 against 0.80, power 0.80", Difference{0.90, 0.80, 0.95}.FormulaRuns(0.80), 198.96, 0.005, "power.prop.test in R; about 200 a side")
	near(t, "0.45 and 0.05 discordant, power 0.80", math.Ceil(Difference{0.70, 0.30, 0.95}.FormulaPairs(0.80, 0.50)), 23, 0, "Connor 1987, page 209")
}

// TestFisherPower: the critical region found from both ends is that of every
// table's own p-value.
func TestFisherPower(t *testing.T) {
	for _, c := range []struct {
		d Difference
		n int
	}{
		{Difference{0.5, 0.9, 0.95}, 20}, {Difference{0.9, 0.5, 0.90}, 13}, {Difference{0.2, 0.3, 0.80}, 31}, {Difference{0.01, 0.99, 0.99}, 7}, {Difference{0.4, 0.6, 0.95}, 1},
	} {
		want := 0.
		for a := range c.n + 1 {
			for b := range c.n + 1 {
				if FisherExact(a, c.n, b, c.n) <= 1-c.d.Confidence {
					want += math.Exp(logBinomial(float64(a), float64(c.n), c.d.Rate1) + logBinomial(float64(b), float64(c.n), c.d.Rate2))
				}
			}
		}
		near(t, "power", c.d.FisherPower(c.n), want, 1e-12, "sum over all tables")
	}
	d := Difference{0.90, 0.80, 0.95}
	n, ok := RunsForPower(d.FormulaRuns(0.80), 0.80, 1000, d.FisherPower)
	if !ok || n < 200 || n > 220 || d.FisherPower(n) < 0.80 || d.FisherPower(n-1) >= 0.80 {
		t.Errorf("0.90 against 0.80: %d a side, %v: about 200, and 219 with the continuity correction of Fleiss", n, ok)
	}
}

// TestMcNemarPower holds the two sums to the trinomial one over both kinds of
// discordant pairs.
func TestMcNemarPower(t *testing.T) {
	const pairs, p10, p01 = 50, 0.32, 0.08
	d := Difference{Rate1: 0.86, Rate2: 0.62, Confidence: 0.90}
	want := 0.
	for b := range pairs + 1 {
		for c := range pairs + 1 - b {
			if McNemarExact(b, c) > 1-d.Confidence {
				continue
			}
			rest := float64(pairs - b - c)
			want += math.Exp(logFactorial(pairs) - logFactorial(float64(b)) - logFactorial(float64(c)) - logFactorial(rest) +
				float64(b)*math.Log(p10) + float64(c)*math.Log(p01) + rest*math.Log(1-p10-p01))
		}
	}
	near(t, "trinomial", d.McNemarPower(pairs, p10+p01), want, 1e-10, "sum over all tables")
	near(t, "0.32 against 0.08", d.McNemarPower(pairs, p10+p01), 0.8393569848602905+1.2400188384498623e-06, 1e-12, "both sides, from whole binomial coefficients")
	if got := d.McNemarPower(pairs, 0.1); !math.IsNaN(got) {
		t.Errorf("fewer discordant pairs than the difference needs: %v, want NaN", got)
	}
}

func logFactorial(n float64) float64 {
	lg, _ := math.Lgamma(n + 1)
	return lg
}

// TestHalfWidthPlanning: in the worst case Wilson's half-width is
// z / (2 sqrt(n + z²)), so that n = z²/4h² - z².
func TestHalfWidthPlanning(t *testing.T) {
	for _, c := range []struct {
		half, rate             float64
		formula, wilson, exact int
		reason                 string
	}{
		{0.05, 0.5, 385, 381, 402, "384.16; 384.16 - 3.84 = 380.32; 200 of 400 give 0.0501 and 201 of 402 give 0.04997 by bisecting binomial sums"},
		{0.05, 0.9, 139, 0, 0, "384.16 x 4 x 0.09 = 138.3"},
		{0.10, 0.5, 97, 93, 0, "96.04; 96.04 - 3.84 = 92.2"},
		{0.05, 1, 1, 35, 0, "no spread, at least one; z²/(n+z²)/2 <= 0.05 from n = 9 z² = 34.57"},
	} {
		if n, err := RecommendRunsAt(c.half, 1.96, c.rate); n != c.formula || err != nil {
			t.Errorf("formula for %v at %v: %d, %v, want %d: %s", c.half, c.rate, n, err, c.formula, c.reason)
		}
		if n, err := WilsonRuns(c.half, 1.96, c.rate); c.wilson > 0 && (n != c.wilson || err != nil) {
			t.Errorf("wilson for %v at %v: %d, %v, want %d: %s", c.half, c.rate, n, err, c.wilson, c.reason)
		}
		if n, err := ExactRuns(c.half, 0.95, c.rate); c.exact > 0 && (n != c.exact || err != nil) {
			t.Errorf("exact for %v at %v: %d, %v, want %d: %s", c.half, c.rate, n, err, c.exact, c.reason)
		}
	}
	for _, bad := range []float64{0, 1, -1, math.NaN()} {
		if _, err := WilsonRuns(bad, 1.96, 0.5); err == nil {
			t.Errorf("half-width %v is accepted", bad)
		}
		if _, err := ExactRuns(0.05, bad, 0.5); err == nil {
			t.Errorf("confidence %v is accepted", bad)
		}
	}
	if _, err := WilsonRuns(1e-9, 1.96, 0.5); err == nil {
		t.Error("10^18 trials are said to be a plan")
	}
}

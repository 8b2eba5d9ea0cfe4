package stats

import (
	"math"
	"math/big"
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

// References at a million trials, summed term by term with 50 digits (Python's
// decimal, Stirling's series for the first term).
func TestTailsAtAMillion(t *testing.T) {
	for _, c := range []struct {
		passed, trials  int
		threshold, want float64
	}{
		{500300, 1000000, 0.5, 0.27458645295655936813},
		{900100, 1000000, 0.9, 0.37021988224403501455},
		{950500, 1000000, 0.95, 0.010872176589645383624},
		{123456, 250000, 0.49, 6.6025829653082032356e-05},
		{999990, 1000000, 0.99998, 0.010811137202398887758},
		{5, 1000000, 0.000001, 0.0036598238349022701316},
	} {
		got := BinomialPAbove(c.passed, c.trials, c.threshold)
		// A threshold of 0.99998 is not a float; that alone costs 3e-11.
		if math.Abs(got/c.want-1) > 5e-11 {
			t.Errorf("P(X >= %d of %d | %v) = %.17g, want %.17g", c.passed, c.trials, c.threshold, got, c.want)
		}
		near(t, "other tail", BinomialPBelow(c.passed-1, c.trials, c.threshold), 1-c.want, 1e-11, "the two tails make one")
	}
}

// Every interval at a million trials is finite, ordered and around the rate.
func TestIntervalsAtAMillion(t *testing.T) {
	const n = 1_000_000
	for _, passed := range []int{0, 1, 2, 17, 499_999, 900_000, n - 1, n} {
		rate := float64(passed) / n
		for _, confidence := range []float64{0.5, 0.95, 0.999999} {
			z := Z(confidence)
			for name, ends := range map[string][2]float64{
				"wald":          pairOf(Wald(passed, n, z)),
				"wilson":        pairOf(Wilson(passed, n, z)),
				"exact":         pairOf(ClopperPearson(passed, n, confidence)),
				"beta mixture":  pairOf(BetaMixtureCS(passed, n, confidence)),
				"jeffreys loop": pairOf(Jeffreys(passed, n, confidence)),
			} {
				lo, hi := ends[0], ends[1]
				if !(lo <= rate+1e-6 && rate-1e-6 <= hi && hi-lo < 0.01) {
					t.Errorf("%s %d of %d at %v: %v..%v", name, passed, n, confidence, lo, hi)
				}
			}
		}
	}
}

func pairOf(lo, hi float64) [2]float64 { return [2]float64{lo, hi} }

// logBinomial against exact integers: C(n,x)/2^n.
func TestLogBinomialExact(t *testing.T) {
	for _, n := range []int64{1, 2, 7, 16, 40, 1000, 4000} {
		for x := int64(0); x <= n; x += 1 + n/13 {
			exact := new(big.Float).SetInt(new(big.Int).Binomial(n, x))
			mantissa := new(big.Float)
			exponent := exact.MantExp(mantissa)
			m, _ := mantissa.Float64()
			want := math.Log(m) + float64(exponent-int(n))*math.Ln2
			near(t, "logBinomial", logBinomial(float64(x), float64(n), 0.5), want, 1e-13, "exact binomial coefficient")
		}
	}
}

// Quantile and tail undo each other, also for halves and for lopsided shapes.
func TestBetaQuantileRoundTrip(t *testing.T) {
	for _, a := range []float64{0.5, 1, 3, 40.5, 1e4, 1e6} {
		for _, b := range []float64{0.5, 1, 7, 333.5, 1e6} {
			for _, p := range []float64{1e-9, 0.025, 0.5, 0.975} {
				lower, _ := betaTails(a, b, betaQuantile(a, b, p))
				if math.Abs(lower-p) > 1e-9*p+1e-10 {
					t.Errorf("Beta(%v, %v): tail at the %v quantile is %v", a, b, p, lower)
				}
			}
		}
	}
}

// Published two-sided t quantiles, the tangent for one degree of freedom, and for
// many the root of the regularised incomplete beta function with 40 digits
// (Python's mpmath). Every processor is to give them.
func TestStudentT(t *testing.T) {
	for _, c := range []struct {
		confidence float64
		df         int
		want       float64
	}{
		{0.95, 1, math.Tan(math.Pi * 0.475)},
		{0.9999, 1, 6366.19767131663692},
		{0.95, 2, 4.302652729749464},
		{0.95, 10, 2.228138851986274},
		{0.99, 30, 2.749995653567231},
		{0.9999, 4, 15.5441005815461133},
		{0.95, 1000, 1.962339080826408485},
		{0.8, 100000, 1.2815600314493610141},
		{0.95, 1000000, 1.9599663568141070353},
		{0.999, 1000000, 3.2905364612486911308},
	} {
		near(t, "StudentT", StudentT(c.confidence, c.df), c.want, 1e-13, "published quantile")
	}
}

func TestMassFunctions(t *testing.T) {
	_, mass := Hypergeometric(nil, 4, 8, 4)
	for x, want := range []float64{1. / 70, 16. / 70, 36. / 70, 16. / 70, 1. / 70} {
		near(t, "hypergeometric", mass[x], want, 1e-15, "C(4,x)^2/C(8,4), the lady tasting tea")
	}
	lo, mass := Hypergeometric(nil, 9, 10, 3)
	if lo != 2 || len(mass) != 2 {
		t.Errorf("9 of 10, draw 3: support from %d, %d long, want 2 and 3", lo, len(mass))
	}
	for _, p := range BetaBinomial(nil, 5, 1, 1) {
		near(t, "beta-binomial", p, 1./6, 1e-15, "a uniform rate makes all counts equally likely")
	}
	for _, p := range [][2]float64{{0.5, 0.5}, {1e-3, 5}, {5, 1e-3}, {1e6, 1}, {1, 1e6}, {0.5, 3}} {
		near(t, "sum", total(BetaBinomial(nil, 40, p[0], p[1])), 1, 1e-13, "probabilities")
	}
	if _, mass := Hypergeometric(nil, 3, 2, 1); mass != nil {
		t.Error("3 of 2 has no distribution")
	}
	if BetaBinomial(nil, 3, 0, 1) != nil {
		t.Error("a = 0 has no distribution")
	}
}

func total(p []float64) float64 { return sum(p, func(v float64) float64 { return v }) }

// TestNothingIsLeftOpenByARuleOfTwoAnswers, not even what rounding leaves.
func TestNothingIsLeftOpenByARuleOfTwoAnswers(t *testing.T) {
	majority := NewBoundary(func(passed, failed int) Decision {
		if passed > failed {
			return Pass
		}
		return Fail
	})
	for trials := 1; trials <= 40; trials++ {
		for percent := range 101 {
			if c := majority.Once(float64(percent)/100, trials); c.Undecided != 0 {
				t.Fatalf("%d trials at %d %%: undecided with probability %v", trials, percent, c.Undecided)
			}
		}
	}
}

// TestSettled holds what the limits say of all numbers of passes that are still
// possible to asking the rule about each of them.
func TestSettled(t *testing.T) {
	wilson := func(passed, failed int) Decision {
		lo, hi := Wilson(passed, passed+failed, 1.96)
		switch {
		case lo > 0.7:
			return Pass
		case hi < 0.7:
			return Fail
		}
		return Undecided
	}
	once := func(passed, _ int) Decision {
		if passed > 0 {
			return Pass
		}
		return Fail
	}
	for name, decide := range map[string]func(passed, failed int) Decision{"wilson": wilson, "once": once} {
		b := NewBoundary(decide)
		for full := 1; full <= 30; full++ {
			for trials := range full + 1 {
				for passed := range trials + 1 {
					want, all := decide(passed, full-passed), true
					for end := passed; end <= passed+full-trials; end++ {
						all = all && decide(end, full-end) == want
					}
					got, settled := b.Settled(passed, trials, full)
					if settled != all || all && got != want {
						t.Fatalf("%s, %d of %d trials, %d passed: %v %v, want %v %v", name, trials, full, passed, got, settled, want, all)
					}
				}
			}
		}
	}
	if _, settled := NewBoundary(wilson).Settled(5, 9, 8); settled {
		t.Error("more trials than all are not settled")
	}
}

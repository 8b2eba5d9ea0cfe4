package stats

import (
	"math"
	"math/big"
	"testing"
)

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

package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The example of Newcombe (1998), Statistics in Medicine 17, 857-872, table I:
// 81 of 263 and its neighbours, printed to four places.
func TestIntervalsNewcombeTable(t *testing.T) {
	z := Z(0.95)
	for _, c := range []struct {
		name           string
		lo, hi         float64
		wantLo, wantHi float64
	}{
		{"wald 81/263", first(Wald(81, 263, z)), second(Wald(81, 263, z)), 0.2522, 0.3638},
		{"wilson 81/263", first(Wilson(81, 263, z)), second(Wilson(81, 263, z)), 0.2553, 0.3662},
		{"exact 81/263", first(ClopperPearson(81, 263, 0.95)), second(ClopperPearson(81, 263, 0.95)), 0.2527, 0.3676},
		{"wilson 15/148", first(Wilson(15, 148, z)), second(Wilson(15, 148, z)), 0.0624, 0.1605},
		{"exact 15/148", first(ClopperPearson(15, 148, 0.95)), second(ClopperPearson(15, 148, 0.95)), 0.0578, 0.1617},
		{"wilson 0/20", first(Wilson(0, 20, z)), second(Wilson(0, 20, z)), 0, 0.1611},
		{"exact 0/20", first(ClopperPearson(0, 20, 0.95)), second(ClopperPearson(0, 20, 0.95)), 0, 0.1684},
		{"wilson 1/29", first(Wilson(1, 29, z)), second(Wilson(1, 29, z)), 0.0061, 0.1718},
		{"exact 1/29", first(ClopperPearson(1, 29, 0.95)), second(ClopperPearson(1, 29, 0.95)), 0.0009, 0.1776},
	} {
		near(t, c.name+" lo", c.lo, c.wantLo, 0.00006, "published table")
		near(t, c.name+" hi", c.hi, c.wantHi, 0.00006, "published table")
	}
}

func first(x, _ float64) float64  { return x }
func second(_, x float64) float64 { return x }

// Where the answer is a power, no table is needed.
func TestIntervalEnds(t *testing.T) {
	lo, hi := ClopperPearson(10, 10, 0.95)
	near(t, "exact 10/10 lo", lo, math.Pow(0.025, 0.1), 1e-14, "p^10 = 0.025")
	near(t, "exact 10/10 hi", hi, 1, 0, "nothing failed")
	lo, hi = BetaMixtureCS(1, 1, 0.95)
	near(t, "sequence 1/1 lo", lo, 0.025, 1e-14, "the mixture of one pass is 1/2 against p")
	near(t, "sequence 1/1 hi", hi, 1, 0, "nothing failed")
	lo, hi = Jeffreys(0, 0, 0.95)
	if lo != 0 || hi != 1 {
		t.Errorf("jeffreys 0/0 = %v..%v, want everything", lo, hi)
	}
}

func TestConventionalZ(t *testing.T) {
	for confidence, want := range map[float64]float64{
		0.90: 1.645, 0.95: 1.96, 0.99: 2.576, math.Nextafter(0.95, 1): 1.96,
		0.8: 1.2815515655446004, 0.999: 3.2905267314919255,
	} {
		near(t, "ConventionalZ", ConventionalZ(confidence), want, 1e-12, "textbook values, exact quantiles elsewhere")
	}
}

// Odd arguments are answered with NaN, never with a panic or a number.
func TestOutOfRangeIsNaN(t *testing.T) {
	nan := math.NaN()
	for name, got := range map[string]float64{
		"Z(0)":                 Z(0),
		"Z(1)":                 Z(1),
		"Z(95)":                Z(95),
		"Z(NaN)":               Z(nan),
		"ConventionalZ(95)":    ConventionalZ(95),
		"Wald(1,0)":            first(Wald(1, 0, 2)),
		"Wald(0,0)":            first(Wald(0, 0, 2)),
		"Wald(-1,5)":           first(Wald(-1, 5, 2)),
		"Wilson(6,5)":          second(Wilson(6, 5, 2)),
		"Wilson z NaN":         second(Wilson(3, 5, nan)),
		"ClopperPearson(6,5)":  first(ClopperPearson(6, 5, 0.95)),
		"ClopperPearson conf":  first(ClopperPearson(3, 5, 1)),
		"Jeffreys conf":        first(Jeffreys(3, 5, 0)),
		"BetaMixtureCS(-1,1)":  first(BetaMixtureCS(-1, 1, 0.5)),
		"PBelow threshold":     BinomialPBelow(1, 2, 1.5),
		"PAbove count":         BinomialPAbove(3, 2, 0.5),
		"Bayes threshold":      BayesProbAtLeast(1, 2, nan),
		"StudentT df":          StudentT(0.95, 0),
		"NormalHalfWidth runs": NormalHalfWidth(0, 1.96, 0.5),
		"McNemarExact":         McNemarExact(-1, 2),
		"McNemarMidP":          McNemarMidP(1, -2),
		"McNemarChi2":          McNemarChi2(-1, -1),
		"FisherExact":          FisherExact(3, 2, 1, 1),
		"mean of nothing":      first(MeanDeviation(nil)),
		"deviation of one":     second(MeanDeviation([]float64{3})),
		"Newcombe empty":       second(second3(NewcombeDifference(0, 0, 1, 2, 1.96))),
		"Newcombe impossible":  first(second3(NewcombeDifference(1, 2, 3, 2, 1.96))),
		"Clopper negative n":   first(ClopperPearson(0, -1, 0.95)),
		"Wilson negative z":    first(Wilson(1, 2, -1)),
		"StudentT confidence":  StudentT(1, 3),
		"Bayes negative count": BayesProbAtLeast(-1, 2, 0.5),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s = %v, want NaN", name, got)
		}
	}
}

func second3(_, a, b float64) (float64, float64) { return a, b }

// The expected places are sums of exact binomial coefficients; those of 10 and 20 values
// at 0.95 are the published ones of the sign test (W. J. Conover, Practical Nonparametric
// Statistics, 3rd ed., table A3: the 2nd and 9th, the 6th and 15th).
func TestMedianPlaces(t *testing.T) {
	for _, c := range []struct {
		n          int
		confidence float64
		lo, hi     int
		ok         bool
	}{
		{0, 0.95, 0, 0, false}, {1, 0.95, 0, 0, false}, {5, 0.95, 0, 0, false},
		{6, 0.95, 0, 5, true}, {7, 0.95, 0, 6, true}, {8, 0.95, 0, 7, true}, {9, 0.95, 1, 7, true},
		{10, 0.95, 1, 8, true}, {15, 0.95, 3, 11, true}, {20, 0.95, 5, 14, true}, {25, 0.95, 7, 17, true},
		{30, 0.95, 9, 20, true}, {50, 0.95, 17, 32, true}, {100, 0.95, 39, 60, true},
		{1000, 0.95, 468, 531, true}, {3000, 0.95, 1445, 1554, true},
		{4, 0.9, 0, 0, false}, {5, 0.9, 0, 4, true}, {20, 0.9, 5, 14, true}, {100, 0.9, 41, 58, true},
		{7, 0.99, 0, 0, false}, {8, 0.99, 0, 7, true}, {20, 0.99, 3, 16, true}, {100, 0.99, 36, 63, true},
		{5, 0.9375, 0, 4, true}, // 1 - 2/32: just enough
		{2, 0.5, 0, 1, true}, {3, 0.75, 0, 2, true}, {3, 0.76, 0, 0, false},
	} {
		lo, hi, ok := MedianPlaces(c.n, c.confidence)
		if lo != c.lo || hi != c.hi || ok != c.ok {
			t.Errorf("%d values at %g: places %d and %d, %t, want %d and %d, %t", c.n, c.confidence, lo, hi, ok, c.lo, c.hi, c.ok)
		}
	}
}

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

// TestStudentTBelow: one degree of freedom is Cauchy, 1/2 + atan(t)/pi; two are
// 1/2 + t/(2 sqrt(2 + t^2)); the rest is what the quantile was made from.
func TestStudentTBelow(t *testing.T) {
	for _, c := range []struct {
		t    float64
		df   int
		want float64
	}{
		{0, 1, 0.5}, {-1, 1, 0.25}, {1, 1, 0.75}, {-1, 2, 0.5 - 0.5/math.Sqrt(3)}, {3, 2, 0.5 + 1.5/math.Sqrt(11)},
		{-1e6, 1, math.Atan(1e-6) / math.Pi}, {-StudentT(0.95, 7), 7, 0.025}, {StudentT(0.99, 30), 30, 0.995},
		{math.Inf(-1), 5, 0}, {math.Inf(1), 5, 1},
	} {
		if got := StudentTBelow(c.t, c.df); !(math.Abs(got-c.want) <= 1e-12*math.Max(c.want, 1e-3)) {
			t.Errorf("P(T_%d <= %v) = %v, want %v", c.df, c.t, got, c.want)
		}
	}
	for _, c := range []struct {
		t    float64
		df   int
		want float64 // the regularised incomplete beta function with 40 digits (Python's mpmath)
	}{
		{-2, 1000, 0.022885173246625820024}, {-1.96, 1000000, 0.024998033792634895343}, {-5, 1000000, 2.8669989354453707845e-7},
		{-10, 100000, 7.816507650103639002e-24}, {-30, 1000000, 6.0100471168317189413e-198},
	} {
		if got := StudentTBelow(c.t, c.df); !(math.Abs(got/c.want-1) <= 1e-12) {
			t.Errorf("P(T_%d <= %v) = %.17g, want %.17g", c.df, c.t, got, c.want)
		}
	}
	if got := StudentTBelow(math.NaN(), 5); !math.IsNaN(got) {
		t.Errorf("of no number: %v", got)
	}
}

// TestMomentsWith: 2, 4, 6 and 6 have the mean 4.5 and the squares 6.25, 0.25,
// 2.25 and 2.25 around it, 11 over 3 in all. What is longer is held to the sums of
// all values, and values that are all the same have no deviation at all.
func TestMomentsWith(t *testing.T) {
	t.Parallel()
	got := MomentsOf([]float64{2, 4}).With(2, 6)
	if got.N != 4 || got.Mean != 4.5 || math.Abs(got.Deviation-math.Sqrt(11./3)) > 1e-15 {
		t.Errorf("2, 4 and twice 6: %+v, want 4.5 and %v", got, math.Sqrt(11./3))
	}
	values := []float64{0.3, 0.7, 0.1, 0.95, 1, 0}
	for start := range values {
		for _, n := range []int{0, 1, 2, 70, 100_000} {
			all := append(slices.Clone(values[:start]), slices.Repeat([]float64{1}, n)...)
			want, got := MomentsOf(all), MomentsOf(values[:start]).With(n, 1)
			if got.N != want.N || !agree12(got.Mean, want.Mean) || !agree12(got.Deviation, want.Deviation) {
				t.Errorf("%v and %d times 1: %+v, all together %+v", values[:start], n, got, want)
			}
		}
	}
	if got := MomentsOf([]float64{0.1, 0.1, 0.1}).With(1000, 0.1); got.Mean != 0.1 || got.Deviation != 0 {
		t.Errorf("0.1 and nothing else: %+v", got)
	}
}

// agree12 says that two numbers agree to 12 digits, or that both are none.
func agree12(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b))
}

// near fails unless got is within tolerance of want, absolute or relative.
func near(t *testing.T, what string, got, want, tolerance float64, reason string) {
	t.Helper()
	gap := math.Abs(got - want)
	if gap <= tolerance || gap <= tolerance*math.Abs(want) {
		return
	}
	t.Errorf("%s = %.17g, want %.17g: %s", what, got, want, reason)
}

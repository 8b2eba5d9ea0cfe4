package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestFisherExact(t *testing.T) {
	for _, c := range []struct {
		a, n, b, m int
		want       float64
		reason     string
	}{
		{3, 4, 1, 4, 34. / 70, "the lady tasting tea: 2(16+1)/70"},
		{4, 4, 0, 4, 2. / 70, "all right: 2/70"},
		{2, 4, 2, 4, 1, "the most likely table"},
		{0, 0, 3, 5, 1, "an empty sample says nothing"},
		{1, 10, 11, 14, 0.0027594561852200836, "R's fisher.test example, 1 of 10 against 11 of 14"},
		{500_000, 1_000_000, 500_000, 1_000_000, 1, "no overflow at a million"},
	} {
		near(t, "FisherExact", FisherExact(c.a, c.n, c.b, c.m), c.want, 1e-9, c.reason)
	}
	if p := FisherExact(510_000, 1_000_000, 500_000, 1_000_000); !(p < 1e-30) {
		t.Errorf("one per cent apart at a million: p = %v", p)
	}
}

// Newcombe (1998), Statistics in Medicine 17, 873-890, table II, method 10.
func TestNewcombeDifference(t *testing.T) {
	for _, c := range []struct {
		a, n, b, m int
		lo, hi     float64
	}{
		{56, 70, 48, 80, 0.0524, 0.3339},
		{9, 10, 3, 10, 0.1705, 0.8090},
		{6, 7, 2, 7, 0.0582, 0.8062},
		{5, 56, 0, 29, -0.0381, 0.1926},
		{0, 10, 0, 20, -0.1611, 0.2775},
		{10, 10, 0, 10, 0.6075, 1},
	} {
		d, lo, hi := NewcombeDifference(c.a, c.n, c.b, c.m, Z(0.95))
		near(t, "difference", d, float64(c.a)/float64(c.n)-float64(c.b)/float64(c.m), 1e-15, "plain difference")
		near(t, "lo", lo, c.lo, 0.00006, "published table")
		near(t, "hi", hi, c.hi, 0.00006, "published table")
	}
}

func TestMcNemarEdges(t *testing.T) {
	near(t, "exact 0,0", McNemarExact(0, 0), 1, 0, "no discordant pair")
	near(t, "mid-p 0,0", McNemarMidP(0, 0), 1, 0, "no discordant pair")
	near(t, "chi2 4,4", McNemarChi2(4, 4), 1, 0, "no difference, no correction")
	near(t, "mid-p 2,2", McNemarMidP(2, 2), 1-6./32, 1e-15, "1 - C(4,2)/2^4/2, the supplement of Fagerland, Lydersen, Laake")
	near(t, "mid-p 1,1", McNemarMidP(1, 1), 0.75, 1e-15, "1 - 2/4/2")
	near(t, "exact 1,5", McNemarExact(1, 5), 2*7./64, 1e-15, "2 (1+6)/2^6")
	near(t, "mid-p 1,5", McNemarMidP(1, 5), 2*7./64-6./64, 1e-15, "minus C(6,1)/2^6")
	near(t, "chi2 1,5", McNemarChi2(1, 5), math.Erfc(3/math.Sqrt(12)), 1e-15, "9/6 on one degree of freedom")
	near(t, "large", McNemarExact(500_500, 499_500), 0.31778, 0.0005, "z = 0.999")
}

// The fifteen p-values of Benjamini & Hochberg (1995), section 3: at 0.05
// Bonferroni rejects three, their procedure four.
func TestBenjaminiHochbergExample(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000}
	for name, c := range map[string]struct {
		adjusted []float64
		want     int
	}{
		"bonferroni": {Bonferroni(p), 3},
		"holm":       {Holm(p), 3},
		"bh":         {BenjaminiHochberg(p), 4},
		"by":         {BenjaminiYekutieli(p), 3},
	} {
		rejected := 0
		for _, q := range c.adjusted {
			if q <= 0.05 {
				rejected++
			}
		}
		if rejected != c.want {
			t.Errorf("%s rejects %d, want %d", name, rejected, c.want)
		}
	}
}

func TestAdjustmentsKeepAbsentValues(t *testing.T) {
	p := []float64{0.02, math.NaN(), 0.01}
	got := Holm(p)
	if got[0] != 0.02 || !math.IsNaN(got[1]) || got[2] != 0.02 {
		t.Errorf("Holm(%v) = %v: a missing p-value is no member of the family", p, got)
	}
	if p[0] != 0.02 || p[2] != 0.01 {
		t.Error("the argument was changed")
	}
	if got := BenjaminiHochberg(nil); len(got) != 0 {
		t.Errorf("nothing to adjust gave %v", got)
	}
}

func TestRecommendRuns(t *testing.T) {
	for _, c := range []struct {
		half, z float64
		want    int
		reason  string
	}{
		{0.05, 1.96, 385, "384.16 rounded up, the textbook number"},
		{0.01, 1.96, 9604, "exact, and not 9605 by a rounding error"},
		{0.1, 1.96, 97, "96.04 rounded up"},
		{0.98, 1.96, 1, "exact again"},
	} {
		if got, err := RecommendRunsAt(c.half, c.z, 0.5); err != nil || got != c.want {
			t.Errorf("RecommendRuns(%v, %v) = %d, %v, want %d: %s", c.half, c.z, got, err, c.want, c.reason)
		}
	}
	for _, bad := range [][2]float64{{0, 1.96}, {1, 1.96}, {math.NaN(), 1.96}, {0.05, 0}, {0.05, math.NaN()}, {0.05, math.Inf(1)}, {1e-300, 1.96}} {
		if got, err := RecommendRunsAt(bad[0], bad[1], 0.5); err == nil || got != 0 || !strings.Contains(err.Error(), "half-width") && !strings.Contains(err.Error(), "z is") {
			t.Errorf("RecommendRuns(%v, %v) = %d, %v, want an error that names the range", bad[0], bad[1], got, err)
		}
	}
	near(t, "ConfidenceBand", NormalHalfWidth(100, 1.96, 0.5), 0.098, 1e-15, "0.098 at 100 runs")
}

func TestTInterval(t *testing.T) {
	lo, hi, err := MomentsOf([]float64{0.6, 0.9, 0.7}).TInterval(0.95)
	if err != nil {
		t.Fatal(err)
	}
	mean := 2.2 / 3
	half := 4.302652729749464 * math.Sqrt((0.7/15)/2/3)
	near(t, "lo", lo, mean-half, 1e-12, "t(2) = 4.3027, squares 0.0467")
	near(t, "hi", hi, mean+half, 1e-12, "t(2) = 4.3027, squares 0.0467")
	if lo, _, err := MomentsOf([]float64{0.5}).TInterval(0.95); !math.IsNaN(lo) || err == nil {
		t.Errorf("one score: %v %v, want no interval", lo, err)
	}
	if lo, hi, err := MomentsOf([]float64{0.7, 0.7, 0.7}).TInterval(0.95); err != nil || lo != 0.7 || hi != 0.7 {
		t.Errorf("equal scores: %v..%v, %v, want no width", lo, hi, err)
	}
	if _, _, err := MomentsOf([]float64{1, math.Inf(1)}).TInterval(0.95); err == nil {
		t.Error("an infinite score must be refused")
	}
	if _, _, err := MomentsOf([]float64{1, 2}).TInterval(95); err == nil {
		t.Error("a confidence of 95 is not a fraction")
	}
}

// TestPermutations: counted in fractions over all arrangements, by itertools of Python.
func TestPermutations(t *testing.T) {
	for _, c := range []struct {
		reason        string
		first, second []float64
		p, least      float64
	}{
		{"four against three: 5 and 1 of 35", []float64{.9, .8, .95, .7}, []float64{.6, .65, .8}, 5. / 35, 1. / 35},
		{"coarse scores, many equal sums", []float64{1, 1, .5, 1, .5}, []float64{.5, .5, 0, .5, 1, .5}, 82. / 462, 6. / 462},
		{"decimals whose sums are equal but for rounding", []float64{.1, .2, .3}, []float64{.3, .3, .3}, .4, .4},
		{"one against three", []float64{.2}, []float64{.4, .5, .1}, 1, .5},
		{"nothing differs", []float64{.8, .8}, []float64{.8}, 1, 1},
		{"nothing to compare", nil, []float64{.8}, 1, 1},
	} {
		for _, sides := range [][2][]float64{{c.first, c.second}, {c.second, c.first}} {
			p, least := PermutationTest(sides[0], sides[1])
			near(t, c.reason, p, c.p, 1e-12, "all arrangements")
			near(t, c.reason+", least", least, c.least, 1e-12, "all arrangements")
		}
	}
	if p, _ := PermutationTest([]float64{math.NaN()}, []float64{1}); !math.IsNaN(p) {
		t.Errorf("no number: %v", p)
	}
}

// TestSigns: as above. With outcomes 0 and 1 it is McNemar's exact test.
func TestSigns(t *testing.T) {
	for _, c := range []struct {
		differences []float64
		p, least    float64
	}{
		{[]float64{.1, -.2, .3, .3, .05}, 10. / 32, 2. / 32},
		{[]float64{-.3, -.3, -.3, 0, -.3}, 2. / 16, 2. / 16},
		{[]float64{.1, .2, -.3}, 1, 2. / 8},
		{[]float64{1, 1, 1, -1, 0, 0}, McNemarExact(3, 1), McNemarLeast(4)},
		{[]float64{0, 0}, 1, 1},
		{nil, 1, 1},
	} {
		p, least := SignTest(c.differences)
		near(t, "signs", p, c.p, 1e-12, "all signs")
		near(t, "signs, least", least, c.least, 1e-12, "all signs")
	}
}

// TestDrawnArrangements: where there are too many, those drawn are the same every time, in
// whatever order the trials come; outcomes 0 and 1 have the p-values of exact tests.
func TestDrawnArrangements(t *testing.T) {
	outcomes := func(passed, n int) []float64 {
		out := make([]float64, n)
		for i := range passed {
			out[i] = 1
		}
		rand.New(rand.NewPCG(uint64(n), 0)).Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out
	}
	for _, c := range [][4]int{{24, 40, 12, 40}, {30, 40, 22, 40}, {1700, 2200, 1640, 2200}} {
		first, second := outcomes(c[0], c[1]), outcomes(c[2], c[3])
		p, _ := PermutationTest(first, second)
		exact := FisherExact(c[0], c[1], c[2], c[3])
		near(t, "drawn against Fisher", p, exact, 4*math.Sqrt(exact/mostArrangements)+1./mostArrangements, "four standard errors")
		if again, _ := PermutationTest(outcomes(c[2], c[3]), outcomes(c[0], c[1])); math.Abs(again-p) > 1e-12 {
			t.Errorf("%v: %v, and %v the other way round", c, p, again)
		}
		for _, level := range []float64{.001, .2, p} {
			if bound := PermutationAtMost(level, first, second); p <= level && bound != p || p > level && (bound <= level || bound > p) {
				t.Errorf("%v: p is %v, and at most %v it is %v", c, p, level, bound)
			}
		}
	}
	for _, c := range [][2]int{{30, 12}, {60, 50}, {1300, 1200}} {
		var signs []float64
		for i := range c[0] + c[1] {
			signs = append(signs, wonBy(i < c[0]))
		}
		p, _ := SignTest(signs)
		exact := McNemarExact(c[0], c[1])
		near(t, "drawn against McNemar", p, exact, 4*math.Sqrt(exact/mostArrangements)+1./mostArrangements, "four standard errors")
	}
}

// wonBy is a pair that the first side won, or the second.
func wonBy(first bool) float64 {
	if first {
		return 1
	}
	return -1
}

// TestMeanOfGroups: the variance and the degrees of freedom by the matrices of Bell and
// McCaffrey, written out; the quantile of t by Simpson's rule.
func TestMeanOfGroups(t *testing.T) {
	values := []float64{.1, -.2, .05, .3, .12, -.05, .2, .4}
	e := MeanOfGroups(values, []int{7, 7, 7, 7, 1, 1, 2, 3}, 0.95)
	for _, c := range []struct {
		what      string
		got, want float64
	}{{"mean", e.Value, .115}, {"se", e.SE, 0.05908403015238228}, {"df", e.DF, 2.1304347826086953}, {"p", e.P, 0.18314701487502705},
		{"lo", e.Lo, -0.12487019022073832}, {"hi", e.Hi, 0.35487019022073835}} {
		near(t, c.what, c.got, c.want, 1e-9, "matrices")
	}
	alone, pairs := MeanOfGroups(values, nil, 0.9), MeanOfGroups(values, []int{0, 0, 1, 1, 2, 2, 3, 3}, 0.9)
	lo, hi, _ := MomentsOf(values).TInterval(0.9)
	near(t, "values on their own", alone.Lo, lo, 1e-12, "Student's t")
	near(t, "values on their own", alone.Hi, hi, 1e-12, "Student's t")
	near(t, "four equal groups", pairs.DF, 3, 1e-12, "groups less one")
	if one := MeanOfGroups(values, make([]int, len(values)), 0.9); one.DF != 0 || !math.IsNaN(one.P) || one.Value != e.Value {
		t.Errorf("one group: %+v", one)
	}
	if none := MeanOfGroups(nil, nil, 0.9); !math.IsNaN(none.Value) {
		t.Errorf("no values: %+v", none)
	}
}

package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

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

package stats

import (
	"math"
	"testing"
)

func TestCochranArmitage(t *testing.T) {
	for _, c := range []struct {
		passed, trials []int
		scores         []float64
		chi2, p        float64
		tolerance      float64
		reason         string
	}{
		{[]int{83, 90, 129, 70}, []int{86, 93, 136, 82}, []float64{1, 2, 3, 4}, 8.2249, 0.004132, 0.00005, "R's prop.trend.test(smokers, patients), Fleiss (1981) p. 139"},
		{[]int{83, 90, 129, 70}, []int{86, 93, 136, 82}, []float64{0, 0, 0, 1}, 12.173, 0.0004848, 0.0005, "the same with scores 0, 0, 0, 1"},
		{[]int{48, 38, 5, 1, 1}, []int{17114, 14502, 793, 127, 38}, []float64{0, 0.5, 1.5, 4, 7}, 6.57, 0.0104, 0.005, "alcohol and malformation, Agresti, Categorical Data Analysis, table 3.7: z squared 6.57"},
		{[]int{1, 1, 0}, []int{1, 1, 1}, []float64{0, 1, 2}, 9. / 4, math.Erfc(1.5 / math.Sqrt2), 1e-15, "by hand: T = -1, variance 2/9 * 2 = 4/9"},
		{[]int{1, 1, 0}, []int{1, 1, 1}, []float64{1e9, 1e9 + 1, 1e9 + 2}, 9. / 4, math.Erfc(1.5 / math.Sqrt2), 1e-12, "only distances of scores count"},
		{[]int{1, 0, 1, 0}, []int{1, 0, 1, 1}, []float64{0, 7, 1, 2}, 9. / 4, math.Erfc(1.5 / math.Sqrt2), 1e-15, "an empty group says nothing"},
	} {
		z, p := CochranArmitage(c.passed, c.trials, c.scores)
		near(t, "chi-squared", z*z, c.chi2, c.tolerance, c.reason)
		near(t, "p", p, c.p, c.tolerance, c.reason)
	}
	if z, _ := CochranArmitage([]int{0, 5}, []int{5, 5}, []float64{0, 1}); !(z > 0) {
		t.Errorf("a rising rate has z = %v, want it above 0", z)
	}
	for reason, c := range map[string]struct {
		passed, trials []int
		scores         []float64
	}{
		"all passed":        {[]int{5, 5}, []int{5, 5}, []float64{0, 1}},
		"none passed":       {[]int{0, 0}, []int{5, 5}, []float64{0, 1}},
		"one score":         {[]int{2, 3}, []int{5, 5}, []float64{1, 1}},
		"no trial":          {[]int{0, 0}, []int{0, 0}, []float64{0, 1}},
		"more than trials":  {[]int{6, 3}, []int{5, 5}, []float64{0, 1}},
		"different lengths": {[]int{1, 2}, []int{5, 5}, []float64{0}},
		"nothing":           {},
	} {
		if z, p := CochranArmitage(c.passed, c.trials, c.scores); !math.IsNaN(z) || !math.IsNaN(p) {
			t.Errorf("%s: z = %v, p = %v, want NaN", reason, z, p)
		}
	}
}

func TestCleanStretch(t *testing.T) {
	for _, c := range []struct {
		stretch, failed, all int
		want                 float64
		reason               string
	}{
		{3, 2, 5, 1. / 10, "both failures among the other two: 1 of C(5,2)"},
		{2, 3, 5, 1. / 10, "the same the other way round"},
		{1, 1, 4, 3. / 4, "one failure anywhere but there"},
		{0, 3, 5, 1, "no stretch at all"},
		{4, 0, 5, 1, "nothing failed"},
		{3, 3, 5, 0, "six do not fit into five"},
		{1_000_000, 1, 2_000_000, 0.5, "no overflow at a million"},
		{10, 10, 20, 1. / 184756, "1 of C(20,10)"},
	} {
		near(t, "CleanStretch", CleanStretch(c.stretch, c.failed, c.all), c.want, 1e-12, c.reason)
	}
	for _, c := range [][3]int{{-1, 0, 3}, {4, 0, 3}, {0, 4, 3}, {0, -1, 3}} {
		if p := CleanStretch(c[0], c[1], c[2]); !math.IsNaN(p) {
			t.Errorf("CleanStretch(%v) = %v, want NaN", c, p)
		}
	}
}

package stats

import (
	"errors"
	"math"
	"testing"
)

func TestClustering(t *testing.T) {
	for _, c := range []struct {
		name         string
		clusters     []Cluster
		icc, deff, n float64
		reason       string
	}{
		{"always agreeing", []Cluster{{5, 5}, {0, 5}}, 1, 5, 2,
			"two clusters that never disagree with themselves are two trials"},
		{"alike", []Cluster{{2, 4}, {2, 4}}, -1. / 3, 1, 8,
			"no spread between clusters is the least the estimator can be, -1/(m-1), and no reason to shrink n"},
		// By hand: rates 0.8, 0.4, 0.6 of 5; MSB = 5(0.04+0.04)/2 = 0.2,
		// MSW = (0.8+1.2+1.2)/12 = 4/15; ICC = (3/15-4/15)/(3/15+4*4/15).
		{"by hand", []Cluster{{4, 5}, {2, 5}, {3, 5}}, -1. / 19, 1, 15, "hand calculation"},
		// Rates 1 and 0.5 of 4 and 2: p = 5/6, n0 = 6-20/6 = 8/3,
		// MSB = 4/36+2/9 = 1/3, MSW = 0.5/4 = 1/8.
		{"unequal", []Cluster{{4, 4}, {1, 2}}, (1./3 - 1./8) / (1./3 + 5./3/8),
			1 + (20./6-1)*(5./24)/(13./24), 6 / (1 + (20./6-1)*(5./13)), "hand calculation with adjusted mean size"},
		{"empty ones ignored", []Cluster{{5, 5}, {0, 0}, {0, 5}}, 1, 5, 2, "a cluster without trials is not one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := Clustering(c.clusters)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "ICC", o.ICC, c.icc, 1e-12, c.reason)
			near(t, "design effect", o.DesignEffect, c.deff, 1e-12, c.reason)
			near(t, "effective n", o.EffectiveN, c.n, 1e-12, c.reason)
		})
	}
}

func TestClusteringCannotTell(t *testing.T) {
	for _, c := range []struct {
		clusters []Cluster
		reason   string
	}{
		{[]Cluster{{5, 5}, {7, 7}}, "all passed: no spread of any sort"},
		{[]Cluster{{1, 1}, {0, 1}}, "one trial a cluster: nothing within"},
	} {
		o, err := Clustering(c.clusters)
		if err != nil || !math.IsNaN(o.ICC) || !math.IsNaN(o.DesignEffect) || !math.IsNaN(o.EffectiveN) {
			t.Errorf("Clustering(%v) = %+v, %v, want NaN: %s", c.clusters, o, err, c.reason)
		}
	}
	if _, err := Clustering([]Cluster{{1, 2}}); !errors.Is(err, ErrTooFewClusters) {
		t.Errorf("one cluster: %v", err)
	}
	if _, err := Clustering([]Cluster{{3, 2}, {1, 2}}); !errors.Is(err, ErrClusterCounts) {
		t.Errorf("3 of 2: %v", err)
	}
}

// three variants over four tests in two groups.
var ratedSample = []RatedTest{
	{Group: 0, Of: []Cluster{{8, 10}, {6, 10}, {1, 10}}}, {Group: 0, Of: []Cluster{{9, 10}, {9, 10}, {3, 10}}},
	{Group: 1, Of: []Cluster{{5, 5}, {3, 10}, {0, 5}}}, {Group: 2, Of: []Cluster{{7, 10}, {8, 10}, {2, 10}}},
}

// TestRatedPairsAreClusterDifferences: two variants differ as the paired, clustered
// difference says, which is held against statsmodels by the vectors.
func TestRatedPairsAreClusterDifferences(t *testing.T) {
	r := RateVariants(ratedSample)
	for v := range 3 {
		for w := range 3 {
			var tables []GroupedTable
			for _, x := range ratedSample {
				tables = append(tables, GroupedTable{x.Group, Table{x.Of[v].Passed, x.Of[v].N, x.Of[w].Passed, x.Of[w].N}})
			}
			want := ClusterDifference(tables, ClusterDesign{Paired: true, Confidence: 0.95})
			if d := r.Rates[v] - r.Rates[w]; math.Abs(d-want.Value) > 1e-12 || v != w && math.Abs(math.Sqrt(r.Difference(v, w))-want.SE) > 1e-12 {
				t.Errorf("%d against %d: %v, error %v, want %+v", v, w, d, math.Sqrt(r.Difference(v, w)), want)
			}
		}
	}
	if r.Groups != 3 || math.Abs(r.Rates[0]-0.85) > 1e-12 {
		t.Errorf("%d groups, rate %v", r.Groups, r.Rates[0])
	}
}

// TestBestShares: of two variants it is Student's t of the difference; variants that
// are alike share; and so do those of which every trial passed.
func TestBestShares(t *testing.T) {
	two := []RatedTest{{Group: 0, Of: []Cluster{{90, 100}, {80, 100}}}, {Group: 1, Of: []Cluster{{70, 100}, {75, 100}}}, {Group: 2, Of: []Cluster{{60, 100}, {40, 100}}}, {Group: 3, Of: []Cluster{{90, 100}, {75, 100}}}}
	r := RateVariants(two)
	// Differences 0.1, -0.05, 0.2, 0.15: mean 0.1, s = 0.108, t = 1.852; P(t(3) > 1.852) = 0.0805 by tables.
	if got := r.BestShares(40_000)[0]; math.Abs(got-0.9195) > 0.01 {
		t.Errorf("of two: %v, want 0.9195", got)
	}
	for _, c := range [][2]Cluster{{{8, 10}, {8, 10}}, {{10, 10}, {10, 10}}, {{1, 1}, {1, 1}}} {
		for _, tests := range []int{1, 2, 5} {
			var same []RatedTest
			for i := range tests {
				same = append(same, RatedTest{Group: i, Of: []Cluster{c[0], c[1]}})
			}
			if got := RateVariants(same).BestShares(40_000); math.Abs(got[0]-0.5) > 0.01 || math.Abs(got[0]+got[1]-1) > 1e-9 {
				t.Errorf("%v in %d tests: %v", c, tests, got)
			}
		}
	}
}

func TestRateVariantsRefuses(t *testing.T) {
	for _, bad := range [][]RatedTest{nil, {{}}, {{Group: 0, Of: []Cluster{{1, 2}, {0, 0}}}}, {{Group: 0, Of: []Cluster{{3, 2}}}}, {{Group: 0, Of: []Cluster{{1, 2}}}, {Group: 1, Of: []Cluster{{1, 2}, {1, 2}}}}} {
		if r := RateVariants(bad); r != nil {
			t.Errorf("%v: %+v", bad, r)
		}
	}
}

// TestRatedInterval: within 0..1, around the rate, wider for two tests than for many.
func TestRatedInterval(t *testing.T) {
	last := 2.
	for _, tests := range []int{2, 5, 20, 200} {
		var of []RatedTest
		for i := range tests {
			of = append(of, RatedTest{Group: i, Of: []Cluster{{9 - 2*(i%2), 10}}})
		}
		r := RateVariants(of)
		lo, hi := r.Interval(0, 0.95)
		if !(lo >= 0 && lo < r.Rates[0] && r.Rates[0] < hi && hi <= 1 && hi-lo < last) {
			t.Errorf("%d tests: %v in [%v, %v]", tests, r.Rates[0], lo, hi)
		}
		last = hi - lo
	}
	if lo, hi := RateVariants([]RatedTest{{Group: 0, Of: []Cluster{{9, 10}}}}).Interval(0, 0.95); math.Abs(lo-0.5958) > 1e-4 || math.Abs(hi-0.9821) > 1e-4 {
		t.Errorf("one test: [%v, %v], want Wilson's", lo, hi)
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

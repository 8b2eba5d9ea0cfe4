package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBetweenRunsOfOneTest: the estimator is that of Clustering, which vectors hold,
// and one test has the degrees of freedom of its runs.
func TestBetweenRunsOfOneTest(t *testing.T) {
	runs := []Cluster{{9, 10}, {5, 10}, {10, 12}, {2, 10}}
	want, err := Clustering(runs)
	if err != nil {
		t.Fatal(err)
	}
	got := BetweenRuns(ofPasses([][]Cluster{runs}))
	near(t, "ICC", got.ICC, want.ICC, 1e-12, "one-way analysis of variance")
	if got.DF != 3 || got.Runs != 4 {
		t.Errorf("%+v, want 3 degrees of freedom of 4 runs", got)
	}
}

// TestDegreesOfFreedom: tests that move as one say no more than one of them.
func TestDegreesOfFreedom(t *testing.T) {
	one := []Cluster{{9, 10}, {5, 10}, {10, 10}, {2, 10}}
	if got := BetweenRuns(ofPasses([][]Cluster{one, one, one, one})); got.DF != 3 {
		t.Errorf("%d degrees of freedom of four tests that move as one, want 3", got.DF)
	}
	if got := BetweenRuns(ofPasses([][]Cluster{{{9, 10}}}), ofPasses([][]Cluster{{{5, 10}}})); got.DF != 0 {
		t.Errorf("one run a side: %+v, want nothing known", got)
	}
	if got := BetweenRuns(ofPasses([][]Cluster{{{1, 1}, {0, 1}}})); got.DF != 0 {
		t.Errorf("runs of one trial: %+v, want nothing known", got)
	}
}

// TestInflatedP by hand: z = 2 for independent trials and a design effect of 4 leave
// t = 1 with one degree of freedom, Cauchy's law, whose tails beyond 1 are half.
func TestInflatedP(t *testing.T) {
	near(t, "p", InflatedP(math.Erfc(math.Sqrt2), 4, 1), 0.5, 1e-12, "Cauchy")
	tens, unequal := []Scored{{N: 10}, {N: 10}, {N: 10}}, []Scored{{N: 80}, {N: 5}, {N: 5}}
	v := RunVariance{ICC: 0.1, DF: 40, ratio: 2, size: 10, within: 540}
	effect, df := v.DesignEffect(tens, tens)
	near(t, "effect", effect, 1.9, 1e-12, "1 + 9 0.1")
	near(t, "degrees of freedom", df, 40, 1e-12, "runs of equal size")
	effect, _ = v.DesignEffect([]Scored{{N: 10}}, []Scored{{N: 1}})
	near(t, "effect", effect, (1.9/10+1)/1.1, 1e-12, "of 10 trials and of 1")
	effect, df = v.DesignEffect(unequal, unequal)
	near(t, "effect", effect, 1+0.1*(6450./90-1), 1e-12, "80² + 5² + 5² over 90")
	share := 6450. / 90 / 10
	near(t, "degrees of freedom", df, (1+share)*(1+share)/(4*share*share/40+(1-share)*(1-share)/540), 1e-9, "Satterthwaite")
	near(t, "undoing", UndoingICC(1.9, 1, 10, 10), 0.1, 1e-12, "the inverse")
	near(t, "always", UndoingICC(50, 1, 10, 10), 1, 0, "no correlation is above 1")
	near(t, "single trials", UndoingICC(1.1, 1, 1, 1), 1, 0, "one trial correlates with none")
}

// TestSpreadOfRuns by hand: two tests of weight 1, whose rates are 1, 0.5 and 0, 0.5 in
// two runs move against each other, and 1, 0.5 and 1, 0.5 together by 0.25 either way.
func TestSpreadOfRuns(t *testing.T) {
	up, down := []Cluster{{2, 2}, {1, 2}}, []Cluster{{0, 2}, {1, 2}}
	against, df := SpreadOfRuns([]float64{1, 1}, ofPasses([][]Cluster{up, down}))
	together, _ := SpreadOfRuns([]float64{1, 1}, ofPasses([][]Cluster{up, up}))
	near(t, "against", against, 0, 1e-15, "the mean stands still")
	near(t, "together", together, 2*0.25*0.25, 1e-15, "sum of squares over 1")
	if df != 1 {
		t.Errorf("%d degrees of freedom, want 1", df)
	}
}

// TestRunsThatVary: of 20 unchanged tests with 90 trials in three runs a side, which
// correlate by 0.1 within a run, some one is called worse in 60 of 100 comparisons
// by Fisher's test alone, and in 5 at the most when the variance between runs is heeded:
// also where tests of a run move as one, where the first run has most of the trials, and
// where one test alone varies by a correlation of 0.5.
func TestRunsThatVary(t *testing.T) {
	const tests, times = 20, 120
	for _, c := range []struct {
		sizes    []int
		together bool
		odd      bool
	}{{[]int{30, 30, 30}, false, false}, {[]int{30, 30, 30}, true, false}, {[]int{80, 5, 5}, false, false}, {[]int{60, 2, 2, 2}, false, false}, {[]int{30, 30, 30}, false, true}} {
		rng := rand.New(rand.NewPCG(11, 1))
		side := func() [][]Cluster {
			out := make([][]Cluster, tests)
			for _, trials := range c.sizes {
				shared := rng.Float64()
				for i := range out {
					u := rng.Float64()
					if c.together {
						u = shared
					}
					rate := 0.9
					switch {
					case !c.odd:
						rate = betaQuantile(0.9*9, 0.1*9, u)
					case i == 0:
						rate = betaQuantile(0.5, 0.5, u)
					}
					out[i] = append(out[i], Cluster{Passed: passes(rng, trials, rate), N: trials})
				}
			}
			return out
		}
		heeded, alone := 0, 0
		for range times {
			base, candidate := side(), side()
			before, after := ofPasses(base), ofPasses(candidate)
			v := BetweenRuns(before, after)
			var p, naive []float64
			for i := range base {
				b, c := sumOf(base[i]), sumOf(candidate[i])
				exact := FisherExact(b.Passed, b.N, c.Passed, c.N)
				if c.Passed > b.Passed {
					exact = 1
				}
				naive = append(naive, exact)
				effect, df := v.OrOwn(BetweenRuns(before[i:i+1], after[i:i+1])).DesignEffect(before[i], after[i])
				p = append(p, InflatedP(exact, effect, df))
			}
			heeded, alone = heeded+anyBelow(Holm(p), 0.05), alone+anyBelow(Holm(naive), 0.05)
		}
		if heeded > times*5/100 {
			t.Errorf("%+v: %d of %d comparisons are red", c, heeded, times)
		}
		if alone < times*15/100 {
			t.Errorf("%+v: the control is red in %d of %d alone", c, alone, times)
		}
	}
}

func passes(rng *rand.Rand, n int, rate float64) int {
	passed := 0
	for range n {
		if rng.Float64() < rate {
			passed++
		}
	}
	return passed
}

func sumOf(runs []Cluster) Cluster {
	var all Cluster
	for _, r := range runs {
		all.Passed, all.N = all.Passed+r.Passed, all.N+r.N
	}
	return all
}

func anyBelow(p []float64, level float64) int {
	for _, v := range p {
		if v <= level {
			return 1
		}
	}
	return 0
}

// ofPasses are the trials of tests in their runs as scores of 1 and 0.
func ofPasses(tests [][]Cluster) [][]Scored {
	out := make([][]Scored, len(tests))
	for i, runs := range tests {
		for _, r := range runs {
			out[i] = append(out[i], r.Scored())
		}
	}
	return out
}

// TestScoredOf: passes are scores of 1 and 0.
func TestScoredOf(t *testing.T) {
	got, want := ScoredOf([]float64{1, 0, 1, 1}), Cluster{3, 4}.Scored()
	near(t, "squares", got.Squares, want.Squares, 1e-12, "n p (1 - p)")
	if got.N != want.N || got.Mean != want.Mean || ScoredOf(nil).N != 0 || ScoredOf([]float64{0.7}).Squares != 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Values printed by R 4 and by the R package contingencytables for data sets of
// text books.
func TestStratified(t *testing.T) {
	for _, c := range []struct {
		reason string
		tables [][4]int
		want   float64
	}{
		{"mantelhaen.test of the AZT data (Agresti): X2 = 6.0799", [][4]int{{14, 107, 32, 113}, {11, 63, 12, 55}}, 0.01367},
		{"mantelhaen.test of Rabbits: X2 = 3.9286", [][4]int{{0, 6, 0, 5}, {3, 6, 0, 6}, {6, 6, 2, 6}, {5, 6, 6, 6}, {2, 2, 5, 5}}, 0.04747},
	} {
		var s Stratified
		for _, x := range c.tables {
			s.Table(x[0], x[1], x[2], x[3])
		}
		near(t, "PValue", s.PValue(), c.want, 1e-5, c.reason)
	}
}

func TestStratifiedPairs(t *testing.T) {
	var s Stratified
	s.Pairs(1, 3)
	s.Pairs(0, 2)
	near(t, "exact", s.PValue(), 2*7./64, 1e-15, "McNemar of 1 and 5: 2 (1+6)/2^6")
	var pairs, tables Stratified
	pairs.Pairs(10, 30)
	pairs.Table(0, 1, 0, 1) // says nothing, but is no pair
	for range 10 {
		tables.Table(1, 1, 0, 1)
	}
	for range 30 {
		tables.Table(0, 1, 1, 1)
	}
	near(t, "pairs as tables", pairs.PValue(), tables.PValue(), 1e-15, "a pair is a stratum of two trials")
	near(t, "corrected", pairs.PValue(), McNemarChi2(10, 30), 1e-15, "the stratified test of pairs is McNemar's with its correction")
	near(t, "least of pairs", pairs.LeastP(), McNemarChi2(0, 40), 1e-15, "all 40 in one direction")
	var table Stratified
	table.Table(3, 4, 1, 4)
	// 4 of 4 against 0 of 4: excess 2, less 1/2, and variance 4 4 4 4 / (64 7).
	near(t, "least of a table", table.LeastP(), math.Erfc(1.5/math.Sqrt(256./448)/math.Sqrt2), 1e-12, "all passes in one sample")
	if got := (&Stratified{}).PValue(); got != 1 {
		t.Errorf("no stratum gave %v, want 1", got)
	}
}

func TestLeastP(t *testing.T) {
	near(t, "three discordant pairs", McNemarLeast(3), 0.25, 1e-15, "2/2^3")
	near(t, "none", McNemarLeast(0), 1, 0, "nothing to decide by")
	near(t, "4 of 8 passed", FisherLeast(4, 4, 4), 2./70, 1e-12, "both extreme tables of the lady's tea")
	near(t, "all passed", FisherLeast(20, 10, 10), 1, 1e-12, "one table only")
	near(t, "1 of 11", FisherLeast(1, 10, 1), 1./11, 1e-12, "the one pass in the sample of one")
	if got := FisherLeast(9, 4, 4); !math.IsNaN(got) {
		t.Errorf("9 passes of 8 trials gave %v", got)
	}
}

func TestClusteredDifference(t *testing.T) {
	differences := []float64{-0.2, 0, -0.1, 0.1, -0.3}
	var of []Contrast
	for _, d := range differences {
		of = append(of, Contrast{Difference: d, Weight: 5})
	}
	mean, lo, hi, err := ClusteredDifference(of, 0.95)
	wantMean, _ := MeanDeviation(differences)
	wantLo, wantHi, _ := MomentsOf(differences).TInterval(0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", mean, wantMean, 1e-15, "equal weights: the plain mean, -0.1")
	near(t, "lo", lo, wantLo, 1e-12, "equal weights: the t interval of the differences")
	near(t, "hi", hi, wantHi, 1e-12, "the same")
	mean, _, _, err = ClusteredDifference([]Contrast{{0.5, ContrastWeight(10, 10)}, {0, ContrastWeight(30, 10)}, {9, 0}}, 0.95)
	near(t, "weighted", mean, 0.5*5/(5+7.5), 1e-15, "weights 100/20 and 300/40; an empty cluster counts nothing")
	if err != nil {
		t.Error(err)
	}
	if _, _, _, err := ClusteredDifference(of[:1], 0.95); err == nil {
		t.Error("one cluster has no spread")
	}
}

// Values of one table as printed by Newcombe, Statistics in Medicine 17 (1998)
// 873-890, table II; those of strata by a search over all rates in a program of
// its own.
func TestStratifiedDifference(t *testing.T) {
	for _, c := range []struct {
		reason    string
		tables    []Table
		d, lo, hi float64
		within    float64
	}{
		{"56/70 and 48/80, printed", []Table{{56, 70, 48, 80}}, 0.2, 0.0528, 0.3382, 5e-5},
		{"9/10 and 3/10, printed", []Table{{9, 10, 3, 10}}, 0.6, 0.1700, 0.8406, 5e-5},
		{"6/7 and 2/7, printed", []Table{{6, 7, 2, 7}}, 4. / 7, 0.0342, 0.8534, 5e-5},
		{"5/56 and 0/29, printed", []Table{{5, 56, 0, 29}}, 5. / 56, -0.0326, 0.1933, 5e-5},
		{"0/10 and 0/20, printed", []Table{{0, 10, 0, 20}}, 0, -0.1658, 0.2844, 5e-5},
		{"10/10 and 0/10, printed", []Table{{10, 10, 0, 10}}, 1, 0.6636, 1, 5e-5},
		{"the AZT data, searched", []Table{{14, 107, 32, 113}, {11, 63, 12, 55}}, -0.1144685474, -0.2004657665, -0.0285647285, 1e-10},
		{"with a stratum that has one sample", []Table{{9, 10, 5, 10}, {10, 10, 6, 10}, {8, 10, 6, 10}, {3, 4, 0, 0}}, 1. / 3, 0.1145741287, 0.5321065148, 1e-10},
		{"all ended alike, searched", slices.Repeat([]Table{{1, 1, 1, 1}}, 61), 0, -0.1118606766, 0.1118606766, 1e-10},
	} {
		d, lo, hi := StratifiedDifference(c.tables, PairTable{}, Z(0.95))
		near(t, "difference", d, c.d, 1e-10, c.reason)
		near(t, "lo", lo, c.lo, c.within, c.reason)
		near(t, "hi", hi, c.hi, c.within, c.reason)
	}
	if d, _, _ := StratifiedDifference([]Table{{3, 4, 0, 0}, {5, 4, 1, 1}}, PairTable{}, 2); !math.IsNaN(d) {
		t.Errorf("no usable stratum gave %v", d)
	}
}

// TestStratifiedDifferenceOfPairs: the limits of Tango's test, by a search over
// the likelihood in a program of its own.
func TestStratifiedDifferenceOfPairs(t *testing.T) {
	for _, c := range []struct {
		reason    string
		pairs     PairTable
		d, lo, hi float64
	}{
		{"complete response, Cavo et al. 2012", PairTable{161, 6, 16}, -10. / 161, -0.1240234318, -0.0054333964},
		{"one of 44 pairs", PairTable{44, 0, 1}, -1. / 44, -0.1180770970, 0.0593932305},
		{"the same the other way round", PairTable{44, 1, 0}, 1. / 44, -0.0593932305, 0.1180770970},
		{"nearly all", PairTable{30, 29, 0}, 29. / 30, 0.7434236603, 0.9940914096},
		{"nothing changed: z²/(n+z²)", PairTable{30, 0, 0}, 0, -Z(0.95) * Z(0.95) / (30 + Z(0.95)*Z(0.95)), Z(0.95) * Z(0.95) / (30 + Z(0.95)*Z(0.95))},
		{"everything changed: (n-z²)/(n+z²)", PairTable{20, 20, 0}, 1, (20 - Z(0.95)*Z(0.95)) / (20 + Z(0.95)*Z(0.95)), 1},
	} {
		d, lo, hi := StratifiedDifference(nil, c.pairs, Z(0.95))
		near(t, "difference", d, c.d, 1e-12, c.reason)
		near(t, "lo", lo, c.lo, 1e-8, c.reason)
		near(t, "hi", hi, c.hi, 1e-8, c.reason)
	}
	if d, _, _ := StratifiedDifference(nil, PairTable{1, 1, 1}, 2); !math.IsNaN(d) {
		t.Errorf("two of one pair gave %v", d)
	}
}

func TestMannWhitney(t *testing.T) {
	for _, c := range []struct {
		reason  string
		x, y    []float64
		u, p, e float64
	}{
		{"Hollander and Wolfe 69f in R's manual: W = 35, one-sided 0.1272",
			[]float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}, []float64{1.15, 0.88, 0.90, 0.74, 1.21}, 35, 2 * 0.1272, 0.0001},
		{"scipy's manual, exact: 2 (1+1+2+3)/C(9,4)", []float64{19, 22, 16, 29, 24}, []float64{20, 11, 17, 12}, 17, 14. / 126, 1e-12},
		{"R with ties: W = 51.5", []float64{1, 5, 9, 24, 56, 21, 3, 7, 21, 4}, []float64{12, 15, 5, 9, 9, 14, 56, 22, 3, 7, 32, 5}, 51.5, 0.5966, 0.00005},
		{"R with ties: W = 0", []float64{1, 5, 9, 24, 56, 21, 3, 7, 21, 4}, []float64{1233, 4356, 987, 39999, 1111, 200000}, 0, 0.001364, 0.0000005},
		{"wholly apart: 2/C(6,3)", []float64{1, 2, 3}, []float64{4, 5, 6}, 0, 0.1, 1e-15},
		{"all equal", []float64{1, 1}, []float64{1, 1, 1}, 3, 1, 0},
	} {
		u, p := MannWhitney(c.x, c.y)
		near(t, "U", u, c.u, 0, c.reason)
		near(t, "p", p, c.p, c.e, c.reason)
		other, again := MannWhitney(c.y, c.x)
		near(t, "the other U", other, float64(len(c.x)*len(c.y))-c.u, 0, "U1 + U2 = n m")
		near(t, "the other p", again, p, 1e-12, "the sides may be swapped")
	}
	if _, p := MannWhitney(nil, []float64{1}); !math.IsNaN(p) {
		t.Errorf("an empty sample gave p = %v", p)
	}
	if _, p := MannWhitney([]float64{math.NaN()}, []float64{1}); !math.IsNaN(p) {
		t.Errorf("a NaN gave p = %v", p)
	}
}

// TestMannWhitneyFarTail: at the largest exact sizes the tail is 2/C(98,49).
func TestMannWhitneyFarTail(t *testing.T) {
	var x, y []float64
	for i := range 49 {
		x, y = append(x, float64(i)), append(y, float64(100+i))
	}
	_, p := MannWhitney(x, y)
	near(t, "p", p/(2/2.5477612258980856e28), 1, 1e-12, "C(98,49) = 2.5477612258980856e28")
	x[48] = 149.5 // above all: 49 more pairs
	_, less := MannWhitney(x, y)
	if !(less > p) {
		t.Errorf("a milder split has p = %v, not above %v", less, p)
	}
}

func TestVanElteren(t *testing.T) {
	apart := [2][]float64{{1, 2, 3, 4}, {5, 6, 7, 8}}
	one := VanElteren([][2][]float64{apart})
	// U = 0 of mean 8, variance 16*9/12 = 12.
	near(t, "one stratum", one, math.Erfc(8/math.Sqrt(24)), 1e-15, "the normal test without continuity")
	two := VanElteren([][2][]float64{apart, {{101, 102, 103, 104}, {105, 106, 107, 108}}})
	near(t, "two strata", two, math.Erfc(16/math.Sqrt(48)), 1e-15, "excess and variance add up")
	near(t, "opposite", VanElteren([][2][]float64{apart, {apart[1], apart[0]}}), 1, 1e-15, "one slower, one faster")
	near(t, "nothing varies", VanElteren([][2][]float64{{{1}, {1}}}), 1, 0, "all equal")
	if p := VanElteren([][2][]float64{{nil, {1}}}); !math.IsNaN(p) {
		t.Errorf("nothing to compare gave %v", p)
	}
}

package stats

import (
	"math"
	"slices"
	"testing"
)

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

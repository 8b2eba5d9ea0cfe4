package stats

import (
	"cmp"
	"math"
	"slices"
)

// Table is a stratum of two independent samples of trials.
type Table struct {
	Passed1, N1, Passed2, N2 int
}

func (t Table) compare(o Table) int {
	return cmp.Or(cmp.Compare(t.Passed1, o.Passed1), cmp.Compare(t.N1, o.N1), cmp.Compare(t.Passed2, o.Passed2), cmp.Compare(t.N2, o.N2))
}

// PairTable counts pairs of trials, and among them those that only the first
// sample passed, and only the second.
type PairTable struct {
	N, First, Second int
}

func (p PairTable) isPossible() bool {
	return p.First >= 0 && p.Second >= 0 && p.First+p.Second <= p.N
}

// StratifiedDifference returns the Mantel-Haenszel difference of pass rates, the
// first sample less the second, and its score interval: the differences that a
// test like that of [Stratified] does not reject, with the variance that each
// table (Miettinen, Nurminen) and the pairs (Tango) have if the difference asked
// about is true. So it has a width where all trials ended alike, and that strata
// have different rates does not add to it. How far the strata differ is not asked.
// Tables with an empty sample or impossible counts are ignored; NaN when nothing
// is left, for impossible pairs, and unless z >= 0.
//
// O. S. Miettinen, M. Nurminen, Statistics in Medicine 4 (1985) 213-226;
// C. P. Farrington, G. Manning, Statistics in Medicine 9 (1990) 1447-1454;
// T. Tango, Statistics in Medicine 17 (1998) 891-908.
func StratifiedDifference(tables []Table, pairs PairTable, z float64) (value, lo, hi float64) {
	s := newScore(tables, pairs)
	if s.weight == 0 || !pairs.isPossible() || !(z >= 0) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	value = s.excess / s.weight
	inside := func(d float64) bool { return math.Abs(value-d)*s.weight <= z*math.Sqrt(s.variance(d)) }
	return value, bisect(-1, value, inside), bisect(1, value, inside)
}

// score is what the interval of a stratified difference is made of: equal tables
// once each, in a fixed order so that equal runs have equal sums.
type score struct {
	tables         []Table
	times          []float64
	pairs          PairTable
	excess, weight float64
}

func newScore(all []Table, pairs PairTable) score {
	s := score{pairs: pairs, excess: float64(pairs.First-pairs.Second) / 2, weight: ContrastWeight(pairs.N, pairs.N)}
	for _, t := range slices.SortedFunc(slices.Values(all), Table.compare) {
		w := ContrastWeight(t.N1, t.N2)
		if w == 0 || !isCount(t.Passed1, t.N1) || !isCount(t.Passed2, t.N2) {
			continue
		}
		s.excess += w * (float64(t.Passed1)/float64(t.N1) - float64(t.Passed2)/float64(t.N2))
		s.weight += w
		if last := len(s.tables) - 1; last >= 0 && s.tables[last] == t {
			s.times[last]++
			continue
		}
		s.tables, s.times = append(s.tables, t), append(s.times, 1)
	}
	return s
}

// variance is that of the weighted sum of differences if each is d.
func (s score) variance(d float64) float64 {
	sum := s.pairs.variance(d) / 4
	for i, t := range s.tables {
		w := ContrastWeight(t.N1, t.N2)
		sum += s.times[i] * w * w * t.variance(d)
	}
	return sum
}

// variance is that of first less second if the rates are d apart: from the most
// likely share of pairs that only the second sample passes.
func (p PairTable) variance(d float64) float64 {
	n, first, second := float64(p.N), float64(p.First), float64(p.Second)
	if n == 0 {
		return 0
	}
	b := (2*n-first+second)*d - first - second
	share := (math.Sqrt(math.Max(0, b*b+8*n*second*d*(1-d))) - b) / (4 * n)
	return n * math.Max(0, 2*share+d*(1-d))
}

// variance is that of the difference of both rates if it is d in truth, with the
// correction for estimating them.
func (t Table) variance(d float64) float64 {
	p1, p2 := t.ratesApart(d)
	n1, n2 := float64(t.N1), float64(t.N2)
	return (p1*(1-p1)/n1 + p2*(1-p2)/n2) * (n1 + n2) / (n1 + n2 - 1)
}

// ratesApart are the most likely rates that are d apart: the second is the middle
// root of a cubic, in the closed form of Farrington and Manning.
func (t Table) ratesApart(d float64) (p1, p2 float64) {
	least, most := math.Max(0, -d), math.Min(1, 1-d)
	switch t.Passed1 + t.Passed2 {
	case 0:
		return least + d, least
	case t.N1 + t.N2:
		return most + d, most
	}
	n1, n2 := float64(t.N1), float64(t.N2)
	ratio, r1, r2 := n2/n1, float64(t.Passed1)/n1, float64(t.Passed2)/n2
	a := 1 + ratio
	b := -(1 + ratio + r1 + ratio*r2 + d*(ratio+2))
	c := d*d + d*(2*r1+ratio+1) + r1 + ratio*r2
	e := -r1 * d * (1 + d)
	v := b*b*b/(27*a*a*a) - b*c/(6*a*a) + e/(2*a)
	u := math.Copysign(math.Sqrt(math.Max(0, b*b/(9*a*a)-c/(3*a))), v)
	p1 = -b / (3 * a)
	if u != 0 {
		angle := (math.Pi + math.Acos(math.Max(-1, math.Min(1, v/(u*u*u))))) / 3
		p1 += 2 * u * math.Cos(angle)
	}
	p2 = math.Max(least, math.Min(most, p1-d))
	return p2 + d, p2
}

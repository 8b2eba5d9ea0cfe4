package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// mostArrangements is how many arrangements are gone through one by one, and how many are
// drawn where there are more.
const mostArrangements = 20_000

// mostDealt is the size of the smaller sample from which the sum over all arrangements is
// taken for normal, which it then is to many digits.
const mostDealt = 2000

// PermutationTest compares the means of two independent samples: the two-sided p-value of
// their difference over all ways to deal the same values to samples of these sizes, and
// the least p-value that any of them has. It is exact up to 20,000 arrangements; of more,
// 20,000 are drawn, always the same ones, and the p-value is (1 + hits)/(1 + draws). It is
// 1 for an empty sample and NaN for a value that is not finite.
//
// E. J. G. Pitman, Suppl. J. R. Stat. Soc. 4 (1937) 119-130; B. Phipson, G. K. Smyth,
// Stat. Appl. Genet. Mol. Biol. 9 (2010) 39 (draws).
func PermutationTest(first, second []float64) (p, least float64) {
	return permutationTest(first, second, 1)
}

// PermutationAtMost is the p-value of [PermutationTest] if it is at most level. Otherwise it
// is a lower bound above level: no more arrangements are drawn than that takes.
func PermutationAtMost(level float64, first, second []float64) float64 {
	p, _ := permutationTest(first, second, level)
	return p
}

func permutationTest(first, second []float64, level float64) (p, least float64) {
	if len(first) == 0 || len(second) == 0 {
		return 1, 1
	}
	if len(first) > len(second) {
		first, second = second, first
	}
	k := len(first)
	pooled := slices.Sorted(slices.Values(slices.Concat(first, second)))
	mean := sumAll(pooled) / float64(len(pooled))
	center := func(values []float64) []float64 {
		out := make([]float64, len(values))
		for i, v := range values {
			out[i] = v - mean
		}
		return out
	}
	pooled = center(pooled)
	c := newArrangements(pooled, sumAll(center(first)), math.Max(-sumAll(pooled[:k]), sumAll(pooled[len(pooled)-k:])))
	switch {
	case choices(len(pooled), k) <= mostArrangements:
		c.choose(pooled, k, 0)
		return c.exact()
	case k > mostDealt:
		n := float64(len(pooled))
		return c.normal(float64(k) * (n - float64(k)) / n / (n - 1) * floats.Dot(pooled, pooled))
	}
	source := rand.New(rand.NewPCG(1, 2))
	for range mostArrangements {
		dealt := 0.
		for i := range k {
			j := i + source.IntN(len(pooled)-i)
			pooled[i], pooled[j] = pooled[j], pooled[i]
			dealt += pooled[i]
		}
		c.count(dealt)
		if bound := float64(1+c.asFar) / (1 + mostArrangements); bound > level {
			return c.known(bound, bound)
		}
	}
	return c.drawn()
}

// SignTest compares the means of pairs by their differences: as [PermutationTest], over
// all ways to exchange the two of a pair.
//
// R. A. Fisher, The Design of Experiments (1935), section 21.
func SignTest(differences []float64) (p, least float64) {
	var moved []float64 // a pair of equals says nothing
	for _, d := range differences {
		if d != 0 {
			moved = append(moved, math.Abs(d))
		}
	}
	if len(moved) == 0 {
		return 1, 1
	}
	slices.Sort(moved)
	c := newArrangements(moved, sumAll(differences), sumAll(moved))
	switch {
	case math.Exp2(float64(len(moved))) <= mostArrangements:
		c.change(moved, 0)
		return c.exact()
	case len(moved) > mostDealt:
		return c.normal(floats.Dot(moved, moved))
	}
	source := rand.New(rand.NewPCG(1, 2))
	for range mostArrangements {
		apart, signs := 0., uint64(0)
		for i, v := range moved {
			if i%64 == 0 {
				signs = source.Uint64()
			}
			if signs&1 == 1 {
				v = -v
			}
			apart += v
			signs >>= 1
		}
		c.count(apart)
	}
	return c.drawn()
}

// arrangements counts sums that lie at least as far from 0 as the one seen, and as the
// farthest that there is.
type arrangements struct {
	seen, farthest, slack float64
	all, asFar, atEnd     int
}

func newArrangements(values []float64, seen, farthest float64) *arrangements {
	const rounding = 1e-11 // of all values together: sums of decimals that are equal differ by less
	slack := rounding * sum(values, math.Abs)
	return &arrangements{seen: math.Abs(seen) - slack, farthest: farthest - slack, slack: slack}
}

func (a *arrangements) count(apart float64) {
	a.all++
	apart = math.Abs(apart)
	if !(apart < a.seen) {
		a.asFar++
	}
	if !(apart < a.farthest) {
		a.atEnd++
	}
}

// choose goes through all ways to add k of the values to a sum.
func (a *arrangements) choose(values []float64, k int, apart float64) {
	if k == 0 {
		a.count(apart)
		return
	}
	for i := 0; i+k <= len(values); i++ {
		a.choose(values[i+1:], k-1, apart+values[i])
	}
}

// change goes through all signs that the values can have.
func (a *arrangements) change(values []float64, apart float64) {
	if len(values) == 0 {
		a.count(apart)
		return
	}
	a.change(values[1:], apart+values[0])
	a.change(values[1:], apart-values[0])
}

func (a *arrangements) exact() (p, least float64) {
	return a.known(float64(a.asFar)/float64(a.all), float64(a.atEnd)/float64(a.all))
}

func (a *arrangements) drawn() (p, least float64) {
	return a.known(float64(1+a.asFar)/float64(1+a.all), float64(1+a.atEnd)/float64(1+a.all))
}

func (a *arrangements) normal(variance float64) (p, least float64) {
	tails := func(apart float64) float64 { return math.Erfc(apart / math.Sqrt(2*variance)) }
	return a.known(math.Min(1, tails(a.seen)), math.Min(1, tails(a.farthest)))
}

// known is nothing where a value was not finite.
func (a *arrangements) known(p, least float64) (float64, float64) {
	if math.IsNaN(a.slack) || math.IsInf(a.slack, 0) {
		return math.NaN(), math.NaN()
	}
	return p, least
}

func sumAll(values []float64) float64 { return sum(values, func(v float64) float64 { return v }) }

// choices is the number of ways to choose k of n, at most one above those gone through.
func choices(n, k int) int {
	all := 1
	for i := 1; i <= k; i++ {
		if all = all * (n - k + i) / i; all > mostArrangements {
			return mostArrangements + 1
		}
	}
	return all
}

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

func (p PairTable) isPossible() bool { return p.First >= 0 && p.Second >= 0 && p.First+p.Second <= p.N }

// StratifiedDifference returns the Mantel-Haenszel difference of pass rates, the first sample less
// the second, and its score interval: the differences that a test like that of [Stratified] does
// not reject, with the variance that each table (Miettinen, Nurminen) and the pairs (Tango) have if
// the difference asked about is true. So it has a width where all trials ended alike, and that
// strata have different rates does not add to it. How far the strata differ is not asked. Tables
// with an empty sample or impossible counts are ignored; NaN when nothing is left, for impossible
// pairs, and unless z >= 0.
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

package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"tribunal/internal/each"
)

// FisherExact returns the two-sided p-value of Fisher's exact test for two samples, passed1 of
// trials1 against passed2 of trials2: the probability, given all margins, of a table no more likely
// than the one seen. NaN unless 0 <= passed <= trials for both samples.
//
// R. A. Fisher, J. R. Stat. Soc. 85 (1922) 87-94.
func FisherExact(passed1, trials1, passed2, trials2 int) float64 {
	if !isCount(passed1, trials1) || !isCount(passed2, trials2) {
		return math.NaN()
	}
	lo, mass := Hypergeometric(nil, passed1+passed2, trials1+trials2, trials1)
	return noLikelier(mass, passed1-lo)
}

// NewcombeDifference returns the difference of two independent pass rates,
// first minus second, and Newcombe's hybrid score interval for it (his method
// 10 for unpaired data): the Wilson limits of both samples combined. It stays inside [-1, 1].
// NaN unless both samples have 0 <= passed <= trials, trials >= 1, and z >= 0.
//
// R. G. Newcombe, Statistics in Medicine 17 (1998) 873-890.
func NewcombeDifference(passed1, trials1, passed2, trials2 int, z float64) (difference, lo, hi float64) {
	l1, u1 := Wilson(passed1, trials1, z)
	l2, u2 := Wilson(passed2, trials2, z)
	p1 := float64(passed1) / float64(trials1)
	p2 := float64(passed2) / float64(trials2)
	if math.IsNaN(l1) || math.IsNaN(l2) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	difference = p1 - p2
	return difference, difference - math.Hypot(p1-l1, u2-p2), difference + math.Hypot(u1-p1, p2-l2)
}

// FisherLeast returns the smallest p-value that [FisherExact] can give two samples of these sizes
// with this many passes in both together: above a level, the test cannot reject at it however the
// passes fall. NaN unless 0 <= passed <= trials1+trials2 and neither size is negative.
func FisherLeast(passed, trials1, trials2 int) float64 {
	if trials1 < 0 || trials2 < 0 || !isCount(passed, trials1+trials2) {
		return math.NaN()
	}
	lo, hi := max(0, passed-trials2), min(passed, trials1)
	return math.Min(FisherExact(lo, trials1, passed-lo, trials2), FisherExact(hi, trials1, passed-hi, trials2))
}

// McNemarExact returns the two-sided exact p-value for paired outcomes, from the discordant pairs only: b of one kind
// and c of the other, which under the null are fair coin tosses. No discordant pair gives 1. NaN if a count is negative.
//
// Q. McNemar, Psychometrika 12 (1947) 153-157.
func McNemarExact(b, c int) float64 {
	if b < 0 || c < 0 {
		return math.NaN()
	}
	return math.Min(1, 2*BinomialPBelow(min(b, c), b+c, 0.5))
}

// McNemarMidP returns the mid-p version: the exact p-value with only half of the observed point in
// each tail, that is minus P(X = min(b, c)). Where b = c both tails meet in one point, of which
// half is taken away: 1 - P(X = b)/2. It is less conservative than [McNemarExact] and rarely
// exceeds its level. No discordant pair gives 1. NaN if a count is negative.
//
// M. W. Fagerland, S. Lydersen, P. Laake, BMC Med. Res. Methodol. 13 (2013) 91, with its supplement for b = c.
func McNemarMidP(b, c int) float64 {
	if b < 0 || c < 0 {
		return math.NaN()
	}
	if b+c == 0 {
		return 1
	}
	n, less := b+c, min(b, c)
	point := math.Exp(logBinomial(float64(less), float64(n), 0.5))
	if b == c {
		return 1 - point/2
	}
	return 2*BinomialPBelow(less, n, 0.5) - point
}

// McNemarChi2 returns the p-value of the chi-squared test with Edwards' continuity correction, (|b-c|-1)^2/(b+c) on one
// degree of freedom. An approximation for b + c of 25 and more. No discordant pair gives 1, and so does b = c, where the
// correction would exceed the difference. NaN if a count is negative.
func McNemarChi2(b, c int) float64 {
	switch {
	case b < 0 || c < 0:
		return math.NaN()
	case b == c:
		return 1
	}
	difference := math.Abs(float64(b)-float64(c)) - 1
	return math.Erfc(difference / math.Sqrt(2*float64(b+c)))
}

// McNemarLeast returns the smallest p-value that [McNemarExact] can give this many discordant
// pairs: above a level, the test cannot reject at it however they fall. NaN if it is negative.
func McNemarLeast(discordant int) float64 { return McNemarExact(0, discordant) }

// Sample is passed of n counted trials.
type Sample struct{ Passed, N int }

const (
	// exactWork bounds what [FreemanHalton] enumerates: its steps, of which this many take some hundredths of a second.
	exactWork = 1 << 19
	// permutations is how many tables are drawn beyond that.
	permutations = 9999
)

// FreemanHalton returns the p-value of Freeman and Halton's exact test that all samples have one pass rate: the
// probability, given all margins, of the tables no more likely than the one seen. With two samples it is [FisherExact].
// Samples without trials are dropped; it is 1 where one sample is left, all trials ended alike or no sample has two, and
// NaN without a trial and for impossible counts.
//
// Tables are enumerated in the manner of Mehta and Patel. Where that takes too long p is the
// share of such tables among 9,999 random ones, always the same, and exact is false.
//
// G. H. Freeman, J. H. Halton, Biometrika 38 (1951) 141-149; C. R. Mehta, N. R. Patel, J. Am. Stat. Assoc. 78 (1983)
// 427-434; for the share, B. Phipson, G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39.
func FreemanHalton(samples []Sample) (p float64, exact bool) {
	t, ok := newTable2xC(samples)
	switch {
	case !ok || t.trials == 0:
		return math.NaN(), true
	case len(t.columns) < 2 || t.passed == 0 || t.columns[len(t.columns)-1].N == 1:
		return 1, true
	}
	if p, ok := t.enumerate(); ok {
		return p, true
	}
	return t.draw(), false
}

// table2xC is a table without empty columns, the small ones first. What it calls
// passes are the rarer outcome: the test is the same for both.
type table2xC struct {
	columns        []Sample
	passed, trials int
}

func newTable2xC(samples []Sample) (t table2xC, ok bool) {
	for _, s := range samples {
		if !isCount(s.Passed, s.N) {
			return table2xC{}, false
		}
		if s.N > 0 {
			t.columns = append(t.columns, s)
		}
		t.passed, t.trials = t.passed+s.Passed, t.trials+s.N
	}
	if t.passed > t.trials-t.passed {
		t.passed = t.trials - t.passed
		for i, c := range t.columns {
			t.columns[i].Passed = c.N - c.Passed
		}
	}
	slices.SortFunc(t.columns, func(a, b Sample) int { return cmp.Or(cmp.Compare(a.N, b.N), cmp.Compare(a.Passed, b.Passed)) })
	return t, true
}

func (t table2xC) rate() float64 { return float64(t.passed) / float64(t.trials) }

// layer is one column, or those of one trial together. By its number of passes: the mass of its
// tables at the common rate, and the weight of each of them. The weight of a table is the product
// of its layers'; but for a factor of the margins it is the probability of the table.
type layer struct {
	seen         int
	mass, weight []float64
}

func (t table2xC) layers() (all []layer) {
	single := 0
	for single < len(t.columns) && t.columns[single].N == 1 {
		single++
	}
	if single > 0 {
		all = append(all, t.singles(t.columns[:single]))
	}
	for _, c := range t.columns[single:] {
		m := binomialMass(c.N, t.rate())
		all = append(all, layer{seen: c.Passed, mass: m, weight: m})
	}
	return all
}

// singles are the columns of one trial: whichever of them pass, the weight is the
// same. It is measured from that of the expected number, so that it stays in range.
func (t table2xC) singles(columns []Sample) layer {
	rate, n := t.rate(), len(columns)
	l := layer{mass: binomialMass(n, rate), weight: make([]float64, n+1)}
	for x := range l.weight {
		l.weight[x] = math.Pow(rate/(1-rate), float64(x)-float64(n)*rate)
	}
	for _, c := range columns {
		l.seen += c.Passed
	}
	return l
}

// rest is what the layers from one on can do with so many passes: the mass of all their tables, and
// the largest and smallest weight of one; infinite where they cannot have so many.
type rest struct {
	mass, most, least []float64
}

// rests has one for the layers from each on, and one for none; nil where that alone is too much work.
func (t table2xC) rests(all []layer) []rest {
	work := each.Sum(all, func(l layer) int { return len(l.mass) * (t.passed + 1) })
	if work > exactWork {
		return nil
	}
	out := make([]rest, len(all)+1)
	end := newRest(t.passed)
	end.mass[0], end.most[0], end.least[0] = 1, 1, 1
	out[len(all)] = end
	for i := len(all) - 1; i >= 0; i-- {
		out[i] = out[i+1].behind(all[i])
	}
	return out
}

func newRest(passed int) rest {
	r := rest{mass: make([]float64, passed+1), most: make([]float64, passed+1), least: make([]float64, passed+1)}
	for s := range r.least {
		r.least[s] = math.Inf(1)
	}
	return r
}

func (r rest) canHave(passed int) bool { return !math.IsInf(r.least[passed], 1) }

func (r rest) behind(l layer) rest {
	out := newRest(len(r.mass) - 1)
	for x := range min(len(l.mass), len(r.mass)) {
		for s := x; s < len(r.mass); s++ {
			if r.canHave(s - x) {
				out.mass[s] += l.mass[x] * r.mass[s-x]
				out.most[s] = math.Max(out.most[s], l.weight[x]*r.most[s-x])
				out.least[s] = math.Min(out.least[s], l.weight[x]*r.least[s-x])
			}
		}
	}
	return out
}

// begun is the beginnings of tables that have as many passes and one weight.
type begun struct {
	weight, mass float64
}

// joined are the beginnings with those of one weight, but for rounding, made one.
func joined(all []begun) []begun {
	slices.SortFunc(all, func(a, b begun) int { return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(a.mass, b.mass)) })
	const same = 1 + 1e-12 // far nearer than weights that count as equal
	n := 0
	for _, b := range all {
		if n > 0 && b.weight <= all[n-1].weight*same {
			all[n-1].mass += b.mass
			continue
		}
		all[n] = b
		n++
	}
	return all[:n]
}

// enumerate sums the tables that are no more likely than the one seen; it gives up where they are too many.
func (t table2xC) enumerate() (p float64, ok bool) {
	all := t.layers()
	rests := t.rests(all)
	if rests == nil {
		return 0, false
	}
	const tie = 1 + 1e-7 // as in FisherExact
	limit, work := tie, 0
	for _, l := range all {
		limit *= l.weight[l.seen]
	}
	now := make([][]begun, t.passed+1)
	now[0] = []begun{{weight: 1, mass: 1}}
	for i, l := range all {
		next := make([][]begun, t.passed+1)
		for passed := range now {
			for _, b := range joined(now[passed]) {
				p += b.grow(l, rests[i+1], limit, next[passed:])
				work += len(l.mass)
			}
			if work > exactWork {
				return 0, false
			}
		}
		now = next
	}
	return math.Min(1, p/rests[0].mass[t.passed]), true
}

// grow goes on from a beginning with a layer. It returns the mass of the tables that are within the limit whatever
// comes, and adds the beginnings of which that is not known yet to those with so many passes more.
func (b begun) grow(l layer, r rest, limit float64, next [][]begun) (p float64) {
	for x := range min(len(l.mass), len(next)) {
		left := len(next) - 1 - x
		if !r.canHave(left) {
			continue
		}
		to := begun{weight: b.weight * l.weight[x], mass: b.mass * l.mass[x]}
		switch {
		case to.weight*r.most[left] <= limit:
			p += to.mass * r.mass[left]
		case to.weight*r.least[left] <= limit:
			next[x] = append(next[x], to)
		}
	}
	return p
}

// draw deals the passes to the trials at random.
func (t table2xC) draw() float64 {
	of := make([]int, 0, t.trials) // the column of each trial
	passes := make([]int, len(t.columns))
	for i, c := range t.columns {
		passes[i] = c.Passed
		for range c.N {
			of = append(of, i)
		}
	}
	const tie = 1e-7
	logs := logFactorials(t.trials)
	limit, few := t.logWeight(passes, logs)+tie, 1
	random := rand.New(rand.NewPCG(uint64(t.trials), uint64(t.passed)))
	for range permutations {
		clear(passes)
		for i := range t.passed {
			j := i + random.IntN(t.trials-i)
			of[i], of[j] = of[j], of[i]
			passes[of[i]]++
		}
		if t.logWeight(passes, logs) <= limit {
			few++
		}
	}
	return float64(few) / (permutations + 1)
}

// logWeight is the logarithm of the weight of the table with these passes, but for a constant.
func (t table2xC) logWeight(passes []int, logs []float64) (sum float64) {
	for i, c := range t.columns {
		sum -= logs[passes[i]] + logs[c.N-passes[i]]
	}
	return sum
}

// logFactorials are those of 0 to n.
func logFactorials(n int) []float64 {
	logs := make([]float64, n+1)
	for i := range logs {
		logs[i], _ = math.Lgamma(float64(i) + 1)
	}
	return logs
}

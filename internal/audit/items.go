package audit

import (
	"cmp"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/plan"
	"tribunal/stats"
)

func meanOf(of []Item, v int) float64 {
	return each.Sum(of, func(i Item) float64 { return i.rates[v] / float64(len(of)) })
}

// withRest are the rates of each test over some variants, and their sums over all other tests.
func withRest(of []Item, variants []int) (rates, rest [][]float64) {
	rates, rest = make([][]float64, len(of)), make([][]float64, len(of))
	sums := make([]float64, len(variants))
	for i := range of {
		for k, v := range variants {
			rates[i] = append(rates[i], of[i].rates[v])
			sums[k] += of[i].rates[v]
		}
	}
	for i := range of {
		for k, sum := range sums {
			rest[i] = append(rest[i], sum-rates[i][k])
		}
	}
	return rates, rest
}

// discriminate correlates each test with the rest. A negative correlation is a finding where it
// stands among all tests by Benjamini's and Hochberg's method.
func (a *Tests) discriminate(variants int) {
	var of []*Item
	var p []float64
	rates, rest := withRest(a.Tests, each.Index(len(a.Variants)))
	for i := range a.Tests {
		if c, ok := correlation(rates[i], rest[i], variants, a.Confidence); ok {
			a.Tests[i].Discrimination = c
			of, p = append(of, &a.Tests[i]), append(p, c.P)
		}
	}
	for i, adjusted := range stats.BenjaminiHochberg(p) {
		of[i].Discrimination.P = plan.Digits(adjusted)
		if of[i].Discrimination.Value < 0 && adjusted <= 1-a.Confidence {
			of[i].Says = SaysAgainst
		}
	}
}

func correlation(x, y []float64, pairs int, confidence float64) (*Correlation, bool) {
	r := stats.Correlation(x, y)
	lo, hi, p := stats.CorrelationInterval(r, pairs, confidence)
	if math.IsNaN(lo) {
		return nil, false
	}
	return &Correlation{plan.Digits(r), plan.Digits(lo), plan.Digits(hi), plan.Digits(p)}, true
}

// alike finds pairs of tests whose rates move together beyond what all other tests explain: the
// correlation of what a regression on the rest leaves.
//
// W. M. Yen, Appl. Psychol. Meas. 8 (1984) 125-145 (Q3).
func (a *Tests) alike(variants int) {
	var of []int
	var left [][]float64
	rates, rest := withRest(a.Tests, each.Index(len(a.Variants)))
	for i := range rates {
		if r := residuals(rates[i], rest[i]); r != nil {
			of, left = append(of, i), append(left, r)
		}
	}
	var pairs []Alike
	var p []float64
	for i := range of {
		for j := range i {
			// The regression takes a degree of freedom.
			if c, ok := correlation(left[i], left[j], variants-1, a.Confidence); ok {
				pairs = append(pairs, Alike{a.Tests[of[j]].Key, a.Tests[of[i]].Key, *c})
				p = append(p, c.P)
			}
		}
	}
	if len(p) > 0 {
		freedom := variants - 3 // of Student's t with which the first of all pairs is significant
		t := stats.StudentT(1-(1-a.Confidence)/float64(len(p)), freedom)
		a.LeastAlike = envelope.Some(plan.Digits(t / math.Sqrt(float64(freedom)+t*t)))
	}
	for i, adjusted := range stats.BenjaminiHochberg(p) {
		if pairs[i].Correlation.P = plan.Digits(adjusted); pairs[i].Correlation.Value > 0 && adjusted <= 1-a.Confidence {
			a.Alike = append(a.Alike, pairs[i])
		}
	}
	slices.SortFunc(a.Alike, func(x, y Alike) int {
		return cmp.Or(cmp.Compare(y.Correlation.Value, x.Correlation.Value), x.First.Compare(y.First), x.Second.Compare(y.Second))
	})
	const mostPairs = 100
	a.Alike = a.Alike[:min(mostPairs, len(a.Alike))]
}

// residuals are what a regression of rates on those of the rest leaves; nil where it leaves nothing.
func residuals(rates, rest []float64) []float64 {
	r := stats.Correlation(rates, rest)
	if math.IsNaN(r) {
		return nil
	}
	mean, deviation := stats.MeanDeviation(rates)
	others, spread := stats.MeanDeviation(rest)
	out := make([]float64, len(rates))
	for v := range out {
		out[v] = rates[v] - mean - r*deviation/spread*(rest[v]-others)
	}
	return out
}

// worth writes the index of each test: the standard deviation of its rates over the variants
// times its discrimination, shrunken. The sum of such indexes over the tests is the standard
// deviation of the total, so it says how much of the order of the variants a test makes.
//
// H. Gulliksen, Theory of Mental Tests (1950), ch. 21 (index of reliability). A two-parameter
// model has as its slope the same correlation (F. M. Lord, Applications of Item Response
// Theory (1980), ch. 3), and is not identified by the few variants that a benchmark has.
func (a *Tests) worth(variants int) {
	index := indexes(a.Tests, each.Index(variants))
	worth := byCost(a.Tests, index)
	for i := range a.Tests {
		it := &a.Tests[i]
		it.Index, it.worth = plan.Digits(index[i]), worth[i]
		if it.CostUSD.V > 0 {
			it.PerUSD = envelope.Some(plan.Digits(index[i] / it.CostUSD.V))
		}
	}
}

// indexes are those of all tests over some variants. The correlations are drawn towards their
// mean as far as chance explains that they differ: the variance of Fisher's z is 1/(n-3).
func indexes(of []Item, variants []int) []float64 {
	z, spread := make([]float64, len(of)), make([]float64, len(of))
	rates, rest := withRest(of, variants)
	var known []float64
	for i := range of {
		r := stats.Correlation(rates[i], rest[i])
		if z[i] = math.NaN(); math.IsNaN(r) {
			continue
		}
		_, spread[i] = stats.MeanDeviation(rates[i])
		z[i] = math.Atanh(math.Max(-0.999, math.Min(0.999, r)))
		known = append(known, z[i])
	}
	mean, deviation := stats.MeanDeviation(known)
	share := 0.
	if len(known) > 1 && deviation > 0 && len(variants) > 3 {
		share = math.Max(0, 1-1/float64(len(variants)-3)/(deviation*deviation))
	}
	out := make([]float64, len(of))
	for i := range of {
		if !math.IsNaN(z[i]) {
			out[i] = math.Max(0, math.Tanh(mean+share*(z[i]-mean))*spread[i])
		}
	}
	return out
}

// Subset is the smallest set of tests that ranks the variants as all tests do.
type Subset struct {
	Tests int `json:"tests"`
	// Tau is Kendall's of both rankings over pairs with a variant that was left out when the
	// tests were chosen, on average.
	Tau float64 `json:"kendall_tau"`
	// Trials and CostUSD are its shares of those of all tests.
	Trials  float64               `json:"share_of_trials"`
	CostUSD envelope.Opt[float64] `json:"share_of_cost,omitzero"`
}

// The agreement that a subset has to have, and the fewest variants that show it.
const (
	leastTau    = 0.95
	leastToRank = 5
	mostOrdered = 2000 // of more tests, no smaller set is looked for
)

// subset takes tests by their index for their cost until they rank the variants alike: without each variant in turn,
// the tests are put in order by the others, and its pairs with these are ranked by the first k.
func (a *Tests) subset(variants, distinct int) *Subset {
	n := len(a.Tests)
	if distinct < leastToRank || n == 0 || n > mostOrdered {
		return nil
	}
	tau, pairs := make([]float64, n), 0.
	for out := range variants {
		others := slices.Delete(each.Index(variants), out, out+1)
		order := falling(byCost(a.Tests, indexes(a.Tests, others)))
		difference := make([]float64, variants)
		for k, i := range order {
			for _, v := range others {
				difference[v] += a.Tests[i].rates[out] - a.Tests[i].rates[v]
				tau[k] += agrees(a.Variants[out].Rate-a.Variants[v].Rate, difference[v])
			}
		}
		for _, v := range others {
			if math.Abs(a.Variants[out].Rate-a.Variants[v].Rate) > tied {
				pairs++
			}
		}
	}
	if pairs == 0 {
		return nil
	}
	k := fewest(tau, leastTau*pairs)
	s := &Subset{Tests: k, Tau: plan.Digits(tau[k-1] / pairs)}
	trials, cost, total, spent, priced := 0, 0., 0, 0., true
	for place, i := range falling(byCost(a.Tests, indexes(a.Tests, each.Index(variants)))) {
		it := &a.Tests[i]
		total, spent, priced = total+it.Trials, spent+it.CostUSD.V, priced && it.CostUSD.OK
		if place < k {
			it.Kept = true
			trials, cost = trials+it.Trials, cost+it.CostUSD.V
		}
	}
	if s.Trials = plan.Digits(float64(trials) / float64(total)); priced && spent > 0 {
		s.CostUSD = envelope.Some(plan.Digits(cost / spent))
	}
	return s
}

// fewest is the smallest number of tests from which on the rankings agree enough, also with
// up to a tenth of the tests more; all where there is none.
func fewest(tau []float64, least float64) int {
	n := len(tau)
	for k := range n {
		if !slices.ContainsFunc(tau[k:min(n, k+1+n/10)], func(t float64) bool { return t < least }) {
			return k + 1
		}
	}
	return n
}

func byCost(of []Item, index []float64) []float64 {
	worth := make([]float64, len(of))
	priced := !slices.ContainsFunc(of, func(it Item) bool { return !(it.CostUSD.V > 0) })
	for i := range of {
		worth[i] = index[i] / float64(of[i].Trials)
		if priced {
			worth[i] = index[i] / of[i].CostUSD.V
		}
	}
	return worth
}

func falling(values []float64) []int {
	order := each.Index(len(values))
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(values[y], values[x]) })
	return order
}

const tied = 1e-9

func agrees(all, some float64) float64 {
	switch {
	case math.Abs(all) <= tied || math.Abs(some) <= tied:
		return 0
	case (all > 0) == (some > 0):
		return 1
	}
	return -1
}

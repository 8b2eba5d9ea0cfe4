package audit

import (
	"cmp"
	"math"
	"slices"

	"tribunal/envelope"
)

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
	leastTau      = 0.95
	leastToRank   = 5
	mostReordered = 2000 // tests that are put in order anew without each variant
)

// subset takes tests by their index for their cost until they rank the variants alike: without each
// variant in turn, the tests are put in order by the others, and its pairs with these are
// ranked by the first k.
func (a *Tests) subset(variants, distinct int) *Subset {
	n := len(a.Tests)
	if distinct < leastToRank || n == 0 || n > mostReordered {
		return nil
	}
	tau, pairs := make([]float64, n), 0.
	for out := range variants {
		var others []int
		for v := range variants {
			if v != out {
				others = append(others, v)
			}
		}
		order := byWorth(a.Tests, indexes(a.Tests, others))
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
	s := &Subset{Tests: k, Tau: digits(tau[k-1] / pairs)}
	all := make([]int, variants)
	for v := range all {
		all[v] = v
	}
	trials, cost, total, spent, priced := 0, 0., 0, 0., true
	for place, i := range byWorth(a.Tests, indexes(a.Tests, all)) {
		it := &a.Tests[i]
		total, spent, priced = total+it.Trials, spent+it.CostUSD.V, priced && it.CostUSD.OK
		if place < k {
			it.Kept = true
			trials, cost = trials+it.Trials, cost+it.CostUSD.V
		}
	}
	if s.Trials = digits(float64(trials) / float64(total)); priced && spent > 0 {
		s.CostUSD = envelope.Some(digits(cost / spent))
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

// byCost are the indexes of tests by their cost, or by their trials where costs are not known.
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

// byWorth are the places of the tests, the one that says most for its cost first.
func byWorth(of []Item, index []float64) []int {
	order, worth := make([]int, len(of)), byCost(of, index)
	for i := range of {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(worth[y], worth[x]) })
	return order
}

// tied is a difference of rates that is none.
const tied = 1e-9

// agrees is 1 where both differences have a sign and it is the same, -1 where it is not.
func agrees(all, some float64) float64 {
	switch {
	case math.Abs(all) <= tied || math.Abs(some) <= tied:
		return 0
	case (all > 0) == (some > 0):
		return 1
	}
	return -1
}

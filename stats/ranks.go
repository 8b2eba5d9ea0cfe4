package stats

import (
	"cmp"
	"math"
	"slices"
)

// RankMethod adjusts the comparisons behind a set of ranks for their number.
type RankMethod int

// Holm's step-down method rejects no less than Bonferroni's.
const (
	RankHolm RankMethod = iota
	RankBonferroni
)

// Ranks is the place of each of several estimates, 1 for the highest: Rank is the
// one seen, equals sharing the better place, and the true one lies in Lo..Hi.
type Ranks struct {
	Rank, Lo, Hi []int
	above        map[[2]int]bool
}

// Above reports that the first is surely higher than the second, among all pairs.
func (r *Ranks) Above(first, second int) bool { return r.above[[2]int{first, second}] }

// RankCI returns the places of estimates with this covariance, and sets of places
// that hold all true ones at once with the given confidence: a place is ruled out
// by variants that are surely better, or surely worse. What is sure is decided by
// one-sided normal tests of all ordered pairs, adjusted over all of them. (Not of
// two-sided tests of all pairs: that Holm's method then keeps wrong directions
// rare is not known.) It is nil unless covariance is square and 0 < confidence < 1.
//
// M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm, Rev. Econ. Stud. 91 (2024)
// 476-518, with Holm's method in place of their bootstrap, hence wider.
func RankCI(estimates []float64, covariance [][]float64, confidence float64, method RankMethod) *Ranks {
	n := len(estimates)
	if len(covariance) != n || slices.ContainsFunc(covariance, func(row []float64) bool { return len(row) != n }) || !isLevel(confidence) {
		return nil
	}
	return RanksOf(estimates, func(j, k int) float64 {
		return pAbove(estimates[j]-estimates[k], covariance[j][j]+covariance[k][k]-2*covariance[j][k])
	}, confidence, method)
}

// RanksOf is [RankCI] by any one-sided tests of ordered pairs: above is the p-value
// of the first being no higher than the second.
func RanksOf(estimates []float64, above func(j, k int) float64, confidence float64, method RankMethod) *Ranks {
	n := len(estimates)
	r := &Ranks{Rank: make([]int, n), Lo: make([]int, n), Hi: make([]int, n), above: map[[2]int]bool{}}
	for j := range n {
		r.Rank[j], r.Lo[j], r.Hi[j] = 1, 1, n
		for k := range n {
			if estimates[k] > estimates[j] {
				r.Rank[j]++
			}
		}
	}
	for _, p := range surelyBetter(n, above, 1-confidence, method) {
		r.Lo[p.worse]++
		r.Hi[p.better]--
		r.above[[2]int{p.better, p.worse}] = true
	}
	return r
}

// rankPair says that one estimate is above another, and how likely it would look
// so if it were not.
type rankPair struct {
	better, worse int
	p             float64
}

// surelyBetter are the pairs that stand at alpha among all.
func surelyBetter(n int, above func(j, k int) float64, alpha float64, method RankMethod) []rankPair {
	var pairs []rankPair
	for j := range n {
		for k := range n {
			if j != k {
				pairs = append(pairs, rankPair{j, k, above(j, k)})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b rankPair) int { return cmp.Compare(a.p, b.p) })
	for i, pair := range pairs {
		left := len(pairs)
		if method == RankHolm {
			left -= i
		}
		if pair.p > alpha/float64(left) {
			return pairs[:i]
		}
	}
	return pairs
}

// pAbove is the one-sided p-value of a difference above 0; without variance it is
// certain either way.
func pAbove(difference, variance float64) float64 {
	switch {
	case variance > 0:
		return math.Erfc(difference/math.Sqrt(2*variance)) / 2
	case difference > 0:
		return 0
	}
	return 1
}

package stats

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"
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

// RankCI returns the places of estimates with this covariance, and sets of places that hold all true ones at once with the
// given confidence: a place is ruled out by variants that are surely better, or surely worse. What is sure is decided by
// one-sided normal tests of all ordered pairs, adjusted over all of them. (Not of two-sided tests of all pairs: that Holm's
// method then keeps wrong directions rare is not known.) It is nil unless covariance is square and 0 < confidence < 1.
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

// rankPair says that one estimate is above another, and how likely it would look so if it were not.
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

// pAbove is the one-sided p-value of a difference above 0; without variance it is certain either way.
func pAbove(difference, variance float64) float64 {
	switch {
	case variance > 0:
		return math.Erfc(difference/math.Sqrt(2*variance)) / 2
	case difference > 0:
		return 0
	}
	return 1
}

// exactBelow is the size of samples from which on their p-value is approximated.
const exactBelow = 50

// MannWhitney returns U of the first sample (the pairs in which it is larger, ties by half) and the two-sided p-value of
// the hypothesis that both samples come from one distribution. It is exact where both have fewer than 50 values and no two
// are equal; otherwise it is the normal approximation with the correction for ties and for continuity, the choice of R's
// wilcox.test. Both are NaN if a sample is empty or holds a NaN. Values that are all equal give 1.
//
// H. B. Mann, D. R. Whitney, Ann. Math. Stat. 18 (1947) 50-60.
func MannWhitney(x, y []float64) (u, p float64) {
	r := ranked(x, y)
	if math.IsNaN(r.u) {
		return r.u, math.NaN()
	}
	if !r.tied && len(x) < exactBelow && len(y) < exactBelow {
		return r.u, exactU(r.u, len(x), len(y))
	}
	return r.u, normalP(r.excess(), math.Sqrt(r.variance()))
}

// VanElteren returns the two-sided p-value of the Mann-Whitney test over strata, each weighted by 1/(n+m+1), by the normal
// approximation with the correction for ties: whether one kind of trial is larger than the other within tests, whatever
// lies between tests. Strata with an empty sample or a NaN say nothing; NaN if all do.
//
// P. H. van Elteren, Bull. Int. Stat. Inst. 37 (1960) 351-361.
func VanElteren(strata [][2][]float64) float64 {
	excess, variance, used := 0., 0., false
	for _, s := range strata {
		r := ranked(s[0], s[1])
		if math.IsNaN(r.u) {
			continue
		}
		weight := 1 / (r.n + r.m + 1)
		excess += weight * r.excess()
		variance += weight * weight * r.variance()
		used = true
	}
	if !used {
		return math.NaN()
	}
	if variance == 0 {
		return 1
	}
	return math.Erfc(math.Abs(excess) / math.Sqrt(2*variance))
}

// rankSum is what the ranks of two samples in one line say.
type rankSum struct {
	n, m, u float64
	tied    bool
	ties    float64 // sum of t^3 - t over groups of t equal values
}

func (r rankSum) excess() float64 { return r.u - r.n*r.m/2 }

func (r rankSum) variance() float64 {
	all := r.n + r.m
	return r.n * r.m / 12 * (all + 1 - r.ties/(all*(all-1)))
}

// ranked walks both samples in their order at once: whoever asks more of a sample than this sorts it once.
func ranked(x, y []float64) rankSum {
	r := rankSum{n: float64(len(x)), m: float64(len(y)), u: math.NaN()}
	if len(x) == 0 || len(y) == 0 {
		return r
	}
	x, y = inOrder(x), inOrder(y)
	if math.IsNaN(x[0]) || math.IsNaN(y[0]) { // NaN is sorted before all numbers
		return r
	}
	r.u = 0
	for i, j := 0, 0; i < len(x) || j < len(y); {
		var least float64
		if j == len(y) || i < len(x) && x[i] < y[j] {
			least = x[i]
		} else {
			least = y[j]
		}
		fromX, fromY := i, j
		for i < len(x) && x[i] == least {
			i++
		}
		for j < len(y) && y[j] == least {
			j++
		}
		ofX, ofY := float64(i-fromX), float64(j-fromY)
		r.u += ofX * (float64(fromY) + ofY/2)
		group := ofX + ofY
		r.ties += group*group*group - group
		r.tied = r.tied || group > 1
	}
	return r
}

func inOrder(values []float64) []float64 {
	if slices.IsSorted(values) {
		return values
	}
	return slices.Sorted(slices.Values(values))
}

// exactU is twice the smaller tail of U for samples without ties.
func exactU(u float64, n, m int) float64 {
	known := &tailsOfU[n][m]
	tails := known.Load()
	if tails == nil {
		tails = newTailsOfU(n, m)
		known.Store(tails)
	}
	return (*tails)[int(math.Min(u, float64(n*m)-u))]
}

// tailsOfU are those of the sizes asked for before: most tests of a run have the same number of trials.
var tailsOfU [exactBelow][exactBelow]atomic.Pointer[[]float64]

// newTailsOfU makes twice the smaller tail of every U. The counts of orders with a
// given U are the coefficients of a Gaussian binomial.
func newTailsOfU(n, m int) *[]float64 {
	most := n * m / 2
	counts := make([]float64, most+1)
	counts[0] = 1
	orders := 1.
	for i := 1; i <= m; i++ {
		for s := most; s >= n+i; s-- {
			counts[s] -= counts[s-n-i]
		}
		for s := i; s <= most; s++ {
			counts[s] += counts[s-i]
		}
		orders *= float64(n+i) / float64(i)
	}
	sum := 0.
	for s, c := range counts {
		sum += c
		counts[s] = math.Min(1, 2*sum/orders)
	}
	return &counts
}

// normalP is the two-sided p-value of a whole or half number that lies excess
// from its mean, with a correction of 1/2 for continuity.
func normalP(excess, deviation float64) float64 {
	away := math.Max(0, math.Abs(excess)-0.5)
	if away == 0 {
		return 1
	}
	return math.Erfc(away / (deviation * math.Sqrt2))
}

package stats

import (
	"cmp"
	"math"
	"slices"
)

// MannWhitney returns U of the first sample (the pairs in which it is larger,
// ties by half) and the two-sided p-value of the hypothesis that both samples
// come from one distribution. It is exact where both have fewer than 50 values
// and no two are equal; otherwise it is the normal approximation with the
// correction for ties and for continuity, the choice of R's wilcox.test.
// Both are NaN if a sample is empty or holds a NaN. Values that are all equal
// give 1.
//
// H. B. Mann, D. R. Whitney, Ann. Math. Stat. 18 (1947) 50-60.
func MannWhitney(x, y []float64) (u, p float64) {
	r := ranked(x, y)
	if math.IsNaN(r.u) {
		return r.u, math.NaN()
	}
	const exactBelow = 50
	if !r.tied && len(x) < exactBelow && len(y) < exactBelow {
		return r.u, exactU(r.u, len(x), len(y))
	}
	return r.u, normalP(r.excess(), math.Sqrt(r.variance()))
}

// VanElteren returns the two-sided p-value of the Mann-Whitney test over
// strata, each weighted by 1/(n+m+1), by the normal approximation with the
// correction for ties: whether one kind of trial is larger than the other
// within tests, whatever lies between tests. Strata with an empty sample or a
// NaN say nothing; NaN if all do.
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

func ranked(x, y []float64) rankSum {
	r := rankSum{n: float64(len(x)), m: float64(len(y)), u: math.NaN()}
	if len(x) == 0 || len(y) == 0 || slices.ContainsFunc(x, math.IsNaN) || slices.ContainsFunc(y, math.IsNaN) {
		return r
	}
	all := slices.Concat(x, y)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(all[i], all[j]) })
	r.u = 0
	below := 0. // values of y seen so far
	for start := 0; start < len(order); {
		end, ofX := start, 0.
		for end < len(order) && all[order[end]] == all[order[start]] {
			if order[end] < len(x) {
				ofX++
			}
			end++
		}
		group := float64(end - start)
		r.u += ofX * (below + (group-ofX)/2)
		below += group - ofX
		r.ties += group*group*group - group
		r.tied = r.tied || group > 1
		start = end
	}
	return r
}

// exactU is twice the smaller tail of U for samples without ties. The counts of
// orders with a given U are the coefficients of a Gaussian binomial; only those
// of the tail are made.
func exactU(u float64, n, m int) float64 {
	tail := int(math.Min(u, float64(n*m)-u))
	counts := make([]float64, tail+1)
	counts[0] = 1
	orders := 1.
	for i := 1; i <= m; i++ {
		for s := tail; s >= n+i; s-- {
			counts[s] -= counts[s-n-i]
		}
		for s := i; s <= tail; s++ {
			counts[s] += counts[s-i]
		}
		orders *= float64(n+i) / float64(i)
	}
	sum := 0.
	for _, c := range counts {
		sum += c
	}
	return math.Min(1, 2*sum/orders)
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

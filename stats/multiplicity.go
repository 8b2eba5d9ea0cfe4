package stats

import (
	"cmp"
	"math"
	"slices"
)

// The adjustments below take the p-values of one family and return adjusted
// ones in the same order, comparable with the level alpha. A NaN is a test
// without a p-value: it stays NaN and does not count as a member.

// Bonferroni multiplies by the size of the family. It bounds the chance of any
// false rejection, under any dependence; [Holm] does the same and rejects more.
func Bonferroni(p []float64) []float64 {
	return adjust(p, func(sorted []float64) {
		for i := range sorted {
			sorted[i] *= float64(len(sorted))
		}
	})
}

// Holm is the step-down version of Bonferroni: same guarantee, never weaker.
//
// S. Holm, Scand. J. Stat. 6 (1979) 65-70.
func Holm(p []float64) []float64 {
	return adjust(p, func(sorted []float64) {
		running := 0.
		for i := range sorted {
			running = math.Max(running, sorted[i]*float64(len(sorted)-i))
			sorted[i] = running
		}
	})
}

// BenjaminiHochberg bounds the expected share of false rejections among the
// rejections, for independent or positively dependent tests.
//
// Y. Benjamini, Y. Hochberg, J. R. Stat. Soc. B 57 (1995) 289-300.
func BenjaminiHochberg(p []float64) []float64 {
	return adjust(p, func(sorted []float64) { stepUp(sorted, 1) })
}

// BenjaminiYekutieli bounds the same share under any dependence, at the price
// of the factor 1 + 1/2 + ... + 1/m.
//
// Y. Benjamini, D. Yekutieli, Ann. Stat. 29 (2001) 1165-1188.
func BenjaminiYekutieli(p []float64) []float64 {
	return adjust(p, func(sorted []float64) {
		harmonic := 0.
		for i := len(sorted); i >= 1; i-- {
			harmonic += 1 / float64(i)
		}
		stepUp(sorted, harmonic)
	})
}

// stepUp replaces the i-th smallest p by the least factor*m/j*p_j over j >= i.
func stepUp(sorted []float64, factor float64) {
	running := math.Inf(1)
	for i := len(sorted) - 1; i >= 0; i-- {
		scaled := sorted[i] * factor * float64(len(sorted)) / float64(i+1)
		running = math.Min(running, scaled)
		sorted[i] = running
	}
}

// adjust hands the ascending p-values to step and returns its results, cut at 1, in the order of p.
func adjust(p []float64, step func(sorted []float64)) []float64 {
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	sorted := make([]float64, len(order))
	for rank, i := range order {
		sorted[rank] = p[i]
	}
	step(sorted)
	adjusted := slices.Clone(p)
	for rank, i := range order {
		adjusted[i] = math.Min(1, sorted[rank])
	}
	return adjusted
}

// EBH rejects, of hypotheses with log e-values at one time, those of the k largest:
// k is the most for which the k-th largest is at least log(m/(alpha k)). The
// expected share of false rejections is at most alpha under any dependence. The
// time may be chosen by looking; running maxima are no e-values. It returns places
// in ascending order. A NaN is a test without an e-value, and no member.
//
// R. Wang, A. Ramdas, J. R. Stat. Soc. B 84 (2022) 822-852.
func EBH(logE []float64, alpha float64) []int {
	var order []int
	for i, e := range logE {
		if !math.IsNaN(e) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(logE[j], logE[i]) })
	most := 0
	for k := 1; k <= len(order); k++ {
		if logE[order[k-1]] >= math.Log(float64(len(order))/(alpha*float64(k))) {
			most = k
		}
	}
	rejected := order[:most]
	slices.Sort(rejected)
	return rejected
}

package stats

import (
	"cmp"
	"math"
	"slices"
)

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

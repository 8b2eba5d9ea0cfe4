package stats

import (
	"math"
	"slices"
)

// Scale says how far two ratings are apart.
type Scale int

// The scales of ratings: equal or not, in an order, and as far as their difference.
const (
	Nominal Scale = iota
	Ordinal
	Interval
)

// KrippendorffAlpha is how far judges agree beyond chance: 1 where they always do, 0 as by
// chance. A unit has the ratings of one thing, by as many judges as rated it; units with
// fewer than two say nothing. NaN where all ratings are the same.
//
// K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011).
func KrippendorffAlpha(units [][]float64, scale Scale) float64 {
	units = slices.DeleteFunc(slices.Clone(units), func(u []float64) bool { return len(u) < 2 })
	all := slices.Concat(units...)
	slices.Sort(all)
	apart := func(ratings []float64) float64 { // over all ordered pairs
		counts, sum, squares, n := map[float64]float64{}, 0., 0., float64(len(ratings))
		for _, v := range ratings {
			counts[v]++
			if v -= all[0]; scale == Ordinal { // the middle rank of its equals
				first, _ := slices.BinarySearch(all, v+all[0])
				after, _ := slices.BinarySearch(all, math.Nextafter(v+all[0], math.Inf(1)))
				v = float64(first + after)
			}
			sum, squares = sum+v, squares+v*v
		}
		if scale != Nominal {
			return 2 * (n*squares - sum*sum)
		}
		for _, c := range counts {
			n -= c * c / float64(len(ratings))
		}
		return n * float64(len(ratings))
	}
	observed := 0.
	for _, u := range units {
		observed += apart(u) / float64(len(u)-1)
	}
	return 1 - float64(len(all)-1)*observed/apart(all)
}

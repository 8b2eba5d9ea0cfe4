package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// maxScores is how many scores the exact computation takes: its time grows with their square.
const maxScores = 2000

// BoundedMean returns an interval for the mean of independent values in [0, 1], whatever
// their distribution: Gaffke's bound on either side. On values 0 and 1 it is
// [ClopperPearson]. It does not depend on the order of up to 2000 values; more are put
// together to the means of equal blocks. Its coverage is proven for special cases and
// otherwise a conjecture that no simulation has broken. No values give [0, 1].
// NaN for a value outside [0, 1], and unless 0 < confidence < 1.
//
// N. Gaffke, Statistics 39 (2005) 265-282; E. Learned-Miller, P. S. Thomas,
// arXiv:1905.06208 (2019).
func BoundedMean(values []float64, confidence float64) (lo, hi float64) {
	ones, binary, ok := bounded(values)
	switch {
	case !ok || !isLevel(confidence):
		return math.NaN(), math.NaN()
	case binary:
		return ClopperPearson(ones, len(values), confidence)
	}
	values, tail := blockMeans(values), (1-confidence)/2
	return gaffke(values, tail), 1 - gaffke(complements(values), tail)
}

// BoundedMeanPAbove is the evidence against "the mean is at most this": the p-value that
// [BoundedMean] inverts for its lower end. NaN for a value outside [0, 1].
func BoundedMeanPAbove(values []float64, mean float64) float64 {
	ones, binary, ok := bounded(values)
	switch {
	case !ok || math.IsNaN(mean):
		return math.NaN()
	case mean < 0:
		return 0
	case mean >= 1 || len(values) == 0:
		return 1
	case binary:
		return BinomialPAbove(ones, len(values), mean)
	}
	return gaffkeP(blockMeans(values), mean, 1e-300)
}

// BoundedMeanPBelow is the evidence against "the mean is at least this".
func BoundedMeanPBelow(values []float64, mean float64) float64 {
	return BoundedMeanPAbove(complements(values), 1-mean)
}

// bounded counts the ones of values that must lie in [0, 1].
func bounded(values []float64) (ones int, binary, ok bool) {
	binary = true
	for _, v := range values {
		switch {
		case !(v >= 0 && v <= 1):
			return 0, false, false
		case v == 1:
			ones++
		case v != 0:
			binary = false
		}
	}
	return ones, binary, true
}

func complements(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = 1 - v
	}
	return out
}

// blockMeans are the means of equal blocks of consecutive values, at most maxScores.
func blockMeans(values []float64) []float64 {
	size := (len(values) + maxScores - 1) / maxScores
	if size <= 1 {
		return values
	}
	out := make([]float64, 0, maxScores)
	for start := 0; start < len(values); start += size {
		block := values[start:min(start+size, len(values))]
		total := 0.
		for _, v := range block {
			total += v
		}
		out = append(out, math.Min(1, total/float64(len(block))))
	}
	return out
}

// gaffkeP is P(sum of D_i x_i <= m), D flat Dirichlet over the values and one more that is
// 0: with a the values above m less m and b what m is above the others, Q_0 = 0, Q_j = 1,
// and each a_i makes Q_j (b_j Q_j + a_i Q_{j-1}) / (a_i + b_j). Less than least is 0. The
// Q rise with j from 0 to 1, and those that are at either end are not computed again.
func gaffkeP(values []float64, m, least float64) float64 {
	above, below := make([]float64, 0, len(values)), make([]float64, 0, len(values)+1)
	for _, v := range values {
		switch {
		case v > m:
			above = append(above, v-m)
		case v < m:
			below = append(below, m-v)
		}
	}
	if m > 0 {
		below = append(below, m)
	}
	switch {
	case len(above) == 0:
		return 1
	case len(below) == 0:
		return 0
	}
	q := make([]float64, len(below))
	for j := range q {
		q[j] = 1
	}
	const nearOne = 1 - 1e-16
	first, ones := 0, 0
	for _, a := range above {
		before := 0.
		for j := first; j < len(q) && (j < ones || before < nearOne); j++ {
			before = q[j] + a/(a+below[j])*(before-q[j])
			q[j] = before
			ones = max(ones, j+1)
		}
		for first < len(q)-1 && q[first] < least {
			q[first] = 0
			first++
		}
	}
	return q[len(q)-1]
}

// gaffke returns the m at which [gaffkeP] is tail, by regula falsi (Illinois) on its normal
// quantile, which rises nearly in a line from 0 to the largest value.
func gaffke(values []float64, tail float64) float64 {
	const near, smallest = 1e-12, 1e-18
	lo, hi := 0., slices.Max(values)
	quantile := func(p float64) float64 { return mathext.NormalQuantile(math.Min(math.Max(p, smallest), 1-1e-16)) }
	level := quantile(tail)
	excess := func(m float64) float64 { return quantile(gaffkeP(values, m, smallest)) - level }
	fLo, fHi := quantile(0)-level, quantile(1)-level
	of := MomentsOf(values)
	sd := of.Deviation / math.Sqrt(float64(of.N))
	next := of.Mean + level*sd
	for side, round := 0, 0; hi-lo > near && round < 200; round++ {
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		f := excess(next)
		switch {
		case math.Abs(f) < 1e-11:
			return next
		case f < 0:
			lo, fLo = next, f
			if side < 0 {
				fHi /= 2
			}
			side = -1
		default:
			hi, fHi = next, f
			if side > 0 {
				fLo /= 2
			}
			side = 1
		}
		if next -= f * sd; round > 1 {
			next = lo - fLo*(hi-lo)/(fHi-fLo)
		}
	}
	return lo + (hi-lo)/2
}

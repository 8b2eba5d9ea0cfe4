package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// Wald returns the interval p ± z sqrt(p(1-p)/n), not cut to [0, 1]. It is too short below
// about 20 trials and near 0 and 1: ten passes of ten have width 0.
// NaN unless 0 <= passed <= trials, trials >= 1 and z >= 0.
func Wald(passed, trials int, z float64) (lo, hi float64) {
	if !isSample(passed, trials, z) {
		return math.NaN(), math.NaN()
	}
	n := float64(trials)
	p := float64(passed) / n
	half := z * math.Sqrt(p*(1-p)/n)
	return p - half, p + half
}

// Wilson returns the score interval, the rates that a z-test does not reject, within [0, 1].
// Reports show it next to pass rates. NaN unless 0 <= passed <= trials, trials >= 1 and z >= 0.
//
// E. B. Wilson, JASA 22 (1927) 209-212.
func Wilson(passed, trials int, z float64) (lo, hi float64) {
	if !isSample(passed, trials, z) {
		return math.NaN(), math.NaN()
	}
	return scoreInterval(float64(passed), float64(trials), z)
}

// scoreInterval is Wilson's interval for real counts, such as effective sample sizes.
func scoreInterval(passed, n, z float64) (lo, hi float64) {
	failed := n - passed
	centre := passed + z*z/2
	half := z * math.Sqrt(passed*failed/n+z*z/4)
	total := n + z*z
	lo, hi = (centre-half)/total, (centre+half)/total
	if passed == 0 {
		lo = 0
	}
	if failed == 0 {
		hi = 1
	}
	return lo, hi
}

// ClopperPearson returns the exact interval, from the two one-sided binomial tests. It covers
// every rate with at least the confidence level. Without trials it is [0, 1].
// NaN unless 0 <= passed <= trials and 0 < confidence < 1.
//
// C. J. Clopper, E. S. Pearson, Biometrika 26 (1934) 404-413.
func ClopperPearson(passed, trials int, confidence float64) (lo, hi float64) {
	if !isCount(passed, trials) || !isLevel(confidence) {
		return math.NaN(), math.NaN()
	}
	c, f := float64(passed), float64(trials-passed)
	return betaInterval(c, f+1, c+1, f, confidence)
}

// Jeffreys returns the equal-tailed credible interval with the prior Beta(1/2, 1/2). It
// reaches 0 if nothing passed, and 1 if nothing failed. Without trials it is [0, 1].
// NaN unless 0 <= passed <= trials and 0 < confidence < 1.
//
// L. D. Brown, T. T. Cai, A. DasGupta, Statistical Science 16 (2001) 101-133.
func Jeffreys(passed, trials int, confidence float64) (lo, hi float64) {
	if !isCount(passed, trials) || !isLevel(confidence) {
		return math.NaN(), math.NaN()
	}
	c, f := float64(passed)+0.5, float64(trials-passed)+0.5
	lo, hi = betaInterval(c, f, c, f, confidence)
	if passed == 0 {
		lo = 0
	}
	if passed == trials {
		hi = 1
	}
	return lo, hi
}

// betaInterval returns the lower quantile of Beta(aLo, bLo) and the upper one of
// Beta(aHi, bHi). If aLo or bHi is 0, that end is 0 or 1.
func betaInterval(aLo, bLo, aHi, bHi, confidence float64) (lo, hi float64) {
	tail := (1 - confidence) / 2
	lo, hi = 0, 1
	if aLo > 0 {
		lo = betaQuantile(aLo, bLo, tail)
	}
	if bHi > 0 {
		hi = 1 - betaQuantile(bHi, aHi, tail)
	}
	return lo, hi
}

func isSample(passed, trials int, z float64) bool {
	return isCount(passed, trials) && trials >= 1 && z >= 0
}

// MedianPlaces returns two places, from 0, among n sorted values: the median of the population
// is between them with at least the confidence, for any distribution. They are the narrowest
// with equal distances from both ends. ok is false if n is too small, below 6 at 0.95.
//
// H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed. (2003), section 7.1.
func MedianPlaces(n int, confidence float64) (lo, hi int, ok bool) {
	if n < 2 || !(confidence > 0 && confidence < 1) {
		return 0, 0, false
	}
	// P(value lo <= median <= value hi) = P(lo < X <= hi), X binomial of n and 1/2.
	size, half := float64(n), float64(n/2)
	all, _ := math.Lgamma(size + 1)
	below, _ := math.Lgamma(half + 1)
	above, _ := math.Lgamma(size - half + 1)
	mass := math.Exp(all - below - above - size*math.Ln2)
	covered := mass * float64(1+n%2)
	x := n / 2 // the smallest number of values below the median that is covered
	for ; covered < confidence-1e-12; x-- {
		if x == 1 {
			return 0, 0, false
		}
		mass *= float64(x) / float64(n-x+1)
		covered += 2 * mass
	}
	return x - 1, n - x, true
}

// maxScores bounds the exact computation, whose time grows with the square of the scores.
const maxScores = 2000

// BoundedMean returns Gaffke's interval for the mean of independent values in [0, 1] of any
// distribution. On values 0 and 1 it is [ClopperPearson]. More than 2000 values are replaced
// by means of equal blocks, in order. Coverage is proven for special cases, otherwise a
// conjecture that no simulation has broken. Without values it is [0, 1].
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

// BoundedMeanPAbove returns the p-value against "the mean is at most this", which gives the
// lower end of [BoundedMean]. NaN for a value outside [0, 1].
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

// BoundedMeanPBelow returns the p-value against "the mean is at least this".
func BoundedMeanPBelow(values []float64, mean float64) float64 {
	return BoundedMeanPAbove(complements(values), 1-mean)
}

// bounded counts the ones. ok is false if a value is outside [0, 1].
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

// blockMeans returns the means of at most maxScores equal blocks of consecutive values.
func blockMeans(values []float64) []float64 {
	size := (len(values) + maxScores - 1) / maxScores
	if size <= 1 {
		return values
	}
	out := make([]float64, 0, maxScores)
	for start := 0; start < len(values); start += size {
		block := values[start:min(start+size, len(values))]
		out = append(out, math.Min(1, floats.Sum(block)/float64(len(block))))
	}
	return out
}

// gaffkeP is P(sum of D_i x_i <= m), with D flat Dirichlet over the values and a 0. Let a_i be
// x_i - m for values above m, b_j m - x_j for those below, Q_0 = 0 and Q_j = 1. Each a_i sets
// Q_j = (b_j Q_j + a_i Q_{j-1}) / (a_i + b_j). Q_j below least are 0. The Q rise with j, so
// those at 0 or 1 are not computed again.
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
// quantile, which is nearly linear.
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

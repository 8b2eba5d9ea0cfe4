package stats

import (
	"errors"
	"math"
	"sync"
)

// TInterval returns the Student t interval mean ± t(n-1) s/sqrt(n) of a sample with these
// moments, with the exact t quantile, not clamped. It is an error unless 0 < confidence < 1,
// and below two values or with one that is not finite.
//
// Student, Biometrika 6 (1908) 1-25.
func (m Moments) TInterval(confidence float64) (lo, hi float64, err error) {
	nan := math.NaN()
	switch {
	case !isLevel(confidence):
		return nan, nan, errConfidence(confidence)
	case m.N < 2:
		return nan, nan, errors.New("a t interval needs at least 2 scores")
	case math.IsNaN(m.Deviation) || math.IsInf(m.Deviation, 0):
		return nan, nan, errors.New("a t interval needs finite scores")
	}
	half := StudentT(confidence, m.N-1) * m.Deviation / math.Sqrt(float64(m.N))
	return m.Mean - half, m.Mean + half, nil
}

// MeanDeviation returns the mean and the sample standard deviation (divisor n-1) of values. The
// mean of nothing and the deviation of fewer than two values are NaN.
func MeanDeviation(values []float64) (mean, deviation float64) {
	n := float64(len(values))
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	// Around the first value, so that neither a large common offset nor a
	// constant sample leaves rounding noise in the deviation.
	shift := values[0]
	mean = shift + sum(values, func(v float64) float64 { return v - shift })/n
	if n < 2 {
		return mean, math.NaN()
	}
	squares := sum(values, func(v float64) float64 { return (v - mean) * (v - mean) })
	return mean, math.Sqrt(squares / (n - 1))
}

// Moments are what a t interval needs of a sample.
type Moments struct {
	N               int
	Mean, Deviation float64 // as MeanDeviation returns them
}

// MomentsOf returns the moments of values.
func MomentsOf(values []float64) Moments {
	mean, deviation := MeanDeviation(values)
	return Moments{N: len(values), Mean: mean, Deviation: deviation}
}

// With returns the moments of the sample with n further values that are all the
// same, without looking at the others again.
func (m Moments) With(n int, value float64) Moments {
	s := m.scored().With(Scored{N: n, Mean: value})
	out := Moments{N: s.N, Mean: s.Mean, Deviation: math.NaN()}
	if s.N > 1 {
		out.Deviation = math.Sqrt(s.Squares / float64(s.N-1))
	}
	return out
}

// sum adds f over values with Neumaier's compensation.
func sum(values []float64, f func(float64) float64) float64 {
	var total, lost float64
	for _, v := range values {
		x := f(v)
		next := total + x
		if math.Abs(total) >= math.Abs(x) {
			lost += (total - next) + x
		} else {
			lost += (x - next) + total
		}
		total = next
	}
	return total + lost
}

// StudentT returns the two-sided quantile of Student's t: the t for which P(|T| <= t) = confidence
// with df degrees of freedom. NaN unless 0 < confidence < 1 and df >= 1.
func StudentT(confidence float64, df int) float64 {
	if !isLevel(confidence) || df < 1 {
		return math.NaN()
	}
	return studentT(confidence, float64(df))
}

// studentT is StudentT for degrees of freedom that need not be whole.
func studentT(confidence, df float64) float64 { return quantilesOfT.of(confidence, df) }

// quantilesOfT are those asked for before: solving for one takes longer than everything else about
// a test, and most tests of a run have the same number of trials.
var quantilesOfT tQuantiles

type tQuantiles struct {
	mu    sync.RWMutex
	known map[tQuantile]float64
}

type tQuantile struct {
	confidence, df float64
}

func (q *tQuantiles) of(confidence, df float64) float64 {
	which := tQuantile{confidence, df}
	q.mu.RLock()
	t, ok := q.known[which]
	q.mu.RUnlock()
	if ok {
		return t
	}
	t = solveT(confidence, df)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known == nil {
		q.known = map[tQuantile]float64{}
	}
	const mostQuantiles = 1 << 12 // bounds the memory of those that are known
	if len(q.known) < mostQuantiles {
		q.known[which] = t
	}
	return t
}

func solveT(confidence, df float64) float64 {
	// T^2/(df+T^2) is Beta(1/2, df/2). Near 1 its complement is the one to
	// solve for, or the quotient below loses its digits.
	half := df / 2
	near := betaQuantile(0.5, half, confidence)
	if near < 0.5 {
		return math.Sqrt(df * near / (1 - near))
	}
	far := betaQuantile(half, 0.5, 1-confidence)
	return math.Sqrt(df * (1 - far) / far)
}

// StudentTBelow returns P(T <= t) for Student's t with df degrees of freedom.
// NaN for a t that is not a number and unless df >= 1.
//
// Abramowitz & Stegun 26.7.1.
func StudentTBelow(t float64, df int) float64 {
	if math.IsNaN(t) || df < 1 {
		return math.NaN()
	}
	tail := tailsOfT(t, float64(df))
	if t < 0 {
		return tail / 2
	}
	return 1 - tail/2
}

// tailsOfT returns P(|T| >= |t|). Of the two beta variables that have it as a
// tail, it takes the one that is not near 1 and keeps its digits.
func tailsOfT(t, df float64) float64 {
	if square := t * t; square < df {
		_, upper := betaTails(0.5, df/2, square/(df+square))
		return upper
	}
	lower, _ := betaTails(df/2, 0.5, df/(df+t*t))
	return lower
}

// byGroup are the sums of the values of each group, in the order in which groups come, and
// how many there are. groups has the group of each value; with nil every value is its own.
func byGroup(values []float64, groups []int) (sums, sizes []float64) {
	place := map[int]int{}
	for i, v := range values {
		g := i
		if groups != nil {
			g = groups[i]
		}
		at, known := place[g]
		if !known {
			at = len(sums)
			place[g], sums, sizes = at, append(sums, 0), append(sizes, 0)
		}
		sums[at] += v
		sizes[at]++
	}
	return sums, sizes
}

// MeansByGroup are the means of the values of each group, in the order in which groups
// come. groups has the group of each value.
func MeansByGroup(values []float64, groups []int) []float64 {
	means, sizes := byGroup(values, groups)
	for i := range means {
		means[i] /= sizes[i]
	}
	return means
}

// MeanOfGroups returns the mean of values, each once, with an error from the spread between the
// groups that they move in: the cluster-robust variance with the correction CR2, and Student's t
// with the degrees of freedom of Satterthwaite if values are independent, which need not be whole.
// groups has the group of each value; with nil every value is its own, and the whole is Student's t
// interval. Below two groups there is no error, and where no group differs from another no p-value.
//
// R. M. Bell, D. F. McCaffrey, Survey Methodology 28 (2002) 169-181; E. Miller,
// arXiv:2411.00640 (2024), for differences of paired tests.
func MeanOfGroups(values []float64, groups []int, confidence float64) DifferenceEstimate {
	mean, _ := MeanDeviation(values)
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = v - mean
	}
	residuals, sizes := byGroup(away, groups)
	if len(sizes) < 2 {
		return noDifference(mean)
	}
	n := float64(len(values))
	variance, squares, cross, quarters := 0., 0., 0., 0.
	for g, size := range sizes {
		share := size / n
		variance += residuals[g] * residuals[g] / (1 - share) / (n * n)
		squares += size * size
		term := size * share / (1 - share)
		cross += term
		quarters += term * term
	}
	// The quadratic form has the matrix a_g a_h (n_g [g = h] - n_g n_h / n), a_g^2 = 1/(1 - n_g/n),
	// of which the diagonal is n_g.
	return Estimate(mean, variance, n*n/(squares+cross*cross-quarters), confidence)
}

// DifferenceOfMeans returns the mean of the first sample less that of the second, with
// Welch's error and degrees of freedom; where a sample has one value, with the variance of
// the other. Two single values have no error.
//
// B. L. Welch, Biometrika 34 (1947) 28-35.
func DifferenceOfMeans(first, second []float64, confidence float64) DifferenceEstimate {
	return differenceOfScored(ScoredOf(first), ScoredOf(second), confidence)
}

// MeansApart is the two-sided p-value of Welch's test of two samples of which the means are
// known, and at least what the rarest arrangement of their values has in a permutation test.
func MeansApart(first, second Scored) float64 {
	e := differenceOfScored(first, second, 0.95)
	ways, _ := math.Lgamma(float64(first.N + second.N + 1))
	for _, n := range []int{first.N, second.N} {
		own, _ := math.Lgamma(float64(n + 1))
		ways -= own
	}
	rarest := math.Min(1, 2*math.Exp(-ways))
	switch {
	case e.DF > 0 && e.SE == 0 && e.Value != 0:
		return rarest
	case math.IsNaN(e.P):
		return 1
	}
	return math.Max(rarest, e.P)
}

func differenceOfScored(a, b Scored, confidence float64) DifferenceEstimate {
	n1, n2, value := float64(a.N), float64(b.N), a.Mean-b.Mean
	if n1 < 2 || n2 < 2 {
		df := n1 + n2 - 2
		return Estimate(value, (a.Squares+b.Squares)/df*(1/n1+1/n2), df, confidence)
	}
	v1, v2 := a.Squares/(n1-1)/n1, b.Squares/(n2-1)/n2
	df := n1 + n2 - 2
	if v1+v2 > 0 {
		df = (v1 + v2) * (v1 + v2) / (v1*v1/(n1-1) + v2*v2/(n2-1))
	}
	return Estimate(value, v1+v2, df, confidence)
}

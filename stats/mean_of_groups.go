package stats

import "math"

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

// MeanOfGroups returns the mean of values, each once, with an error from the spread
// between the groups that they move in: the cluster-robust variance with the correction
// CR2, and Student's t with the degrees of freedom of Satterthwaite if values are
// independent, which need not be whole. groups has the group of each value; with nil every
// value is its own, and the whole is Student's t interval. Below two groups there is no
// error, and where no group differs from another no p-value.
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

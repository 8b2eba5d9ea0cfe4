package stats

import "math"

// GroupedTable is a test on both sides of a comparison, and the group of tests
// that it moves with. Tests that move alone have a group each.
type GroupedTable struct {
	Group int
	Table
}

// ClusterDesign says how [ClusterDifference] compares two sides. Paired: each
// test with itself, every test the same weight. Otherwise side by side, and
// ByTrials weighs a test by its trials in place of once.
type ClusterDesign struct {
	Paired, ByTrials bool
	Confidence       float64
}

// DifferenceEstimate is a difference with its standard error, the degrees of
// freedom behind it (0 where there are none), its interval, and the two-sided
// p-value against no difference. What is unknown is NaN.
type DifferenceEstimate struct {
	Value, SE, DF float64
	Lo, Hi, P     float64
}

// ClusterDifference returns the mean pass rate of the first side less that of the
// second, with an error from the spread between groups only, whatever makes tests
// of a group move together: the cluster-robust variance with the factor G/(G-1)
// and Student's t with G-1 degrees of freedom, G the groups (of the side that has
// fewer). Below two groups there is no error, and where no group differs from
// another no p-value. Tests without trials on a side have no part in that side,
// paired in neither. Everything is NaN without tests, and for impossible counts.
//
// E. Miller, arXiv:2411.00640 (2024), sections 2.2, 4.2 and appendix A; G/(G-1) and t
// for z are for few groups.
func ClusterDifference(tests []GroupedTable, d ClusterDesign) DifferenceEstimate {
	var first, second, change groupedMean
	for _, t := range tests {
		if !isCount(t.Passed1, t.N1) || !isCount(t.Passed2, t.N2) {
			return noDifference(math.NaN())
		}
		p1, p2 := float64(t.Passed1)/float64(t.N1), float64(t.Passed2)/float64(t.N2)
		w1, w2 := 1., 1.
		if d.ByTrials && !d.Paired {
			w1, w2 = float64(t.N1), float64(t.N2)
		}
		if t.N1 > 0 && t.N2 > 0 {
			change.add(t.Group, p1-p2, 1)
		}
		if t.N1 > 0 {
			first.add(t.Group, p1, w1)
		}
		if t.N2 > 0 {
			second.add(t.Group, p2, w2)
		}
	}
	if d.Paired {
		mean, variance, groups := change.estimate()
		return Estimate(mean, variance, groups-1, d.Confidence)
	}
	mean1, variance1, groups1 := first.estimate()
	mean2, variance2, groups2 := second.estimate()
	return Estimate(mean1-mean2, variance1+variance2, math.Min(groups1, groups2)-1, d.Confidence)
}

func noDifference(value float64) DifferenceEstimate {
	return DifferenceEstimate{Value: value, SE: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), P: math.NaN()}
}

// noSpread is the standard error below which nothing was seen to vary, and what
// is left is rounding.
const noSpread = 1e-12

// Estimate is a difference whose variance was estimated with so many degrees of
// freedom: value ± t s, and the p-value of Student's t. Without any there is neither,
// and without variance no p-value.
func Estimate(value, variance, df, confidence float64) DifferenceEstimate {
	e := noDifference(value)
	if !(df > 0) || math.IsNaN(value) {
		return e
	}
	e.DF, e.SE = df, math.Sqrt(variance)
	if e.SE < noSpread {
		e.SE, e.Lo, e.Hi = 0, value, value
		return e
	}
	half := studentT(confidence, df) * e.SE
	e.Lo, e.Hi, e.P = value-half, value+half, tailsOfT(value/e.SE, df)
	return e
}

// groupedMean is a weighted mean of values in groups.
type groupedMean struct {
	values, weights []float64
	groups          []int
}

func (m *groupedMean) add(group int, value, weight float64) {
	m.values, m.weights, m.groups = append(m.values, value), append(m.weights, weight), append(m.groups, group)
}

// estimate is the mean, its variance G/(G-1) times the sum over groups of
// (sum of w (v - mean))^2, over the square of all weight, and G.
func (m *groupedMean) estimate() (mean, variance, groups float64) {
	weight := 0.
	for i, w := range m.weights {
		weight += w
		mean += w * m.values[i]
	}
	mean /= weight
	for i, w := range m.weights {
		m.values[i] = w * (m.values[i] - mean)
	}
	residuals, _ := byGroup(m.values, m.groups)
	for _, r := range residuals {
		variance += r * r
	}
	groups = float64(len(residuals))
	return mean, groups / (groups - 1) * variance / (weight * weight), groups
}

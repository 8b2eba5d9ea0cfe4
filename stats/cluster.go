package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Cluster is a group of trials that share something (a task, a session, a machine) and may therefore fail together.
type Cluster struct {
	Passed, N int
}

// ErrTooFewClusters is returned where the spread between clusters is needed.
var ErrTooFewClusters = errors.New("at least 2 clusters with trials are needed")

// ErrClusterCounts is returned for a cluster that is not 0 <= Passed <= N.
var ErrClusterCounts = errors.New("a cluster must have 0 <= passed <= trials")

// Overdispersion says how far clustered trials are from independent ones.
type Overdispersion struct {
	// Clusters with at least one trial, and the trials in them.
	Clusters, Passed, Trials int
	// ICC is the intraclass correlation by the one-way analysis of variance estimator: 0 for independent trials, 1 when
	// a cluster always agrees with itself, below 0 when clusters are more alike than chance. NaN if all trials ended
	// alike or every cluster has one trial: nothing then says whether trials of a cluster depend on each other.
	ICC float64
	// DesignEffect is 1 + (m-1) max(ICC, 0), m the trial-weighted mean cluster size: by how much
	// the variance of the pass rate exceeds the binomial. NaN with ICC.
	DesignEffect float64
	// EffectiveN is Trials / DesignEffect: the number of independent trials that would say as much. NaN with ICC.
	EffectiveN float64
}

// Clustering estimates the overdispersion of clustered pass/fail trials. Clusters without trials
// are ignored. It is an error if a cluster is not 0 <= Passed <= N, or fewer than two have trials.
//
// M. S. Ridout, C. G. B. Demétrio, D. Firth, Biometrics 55 (1999) 137-148; L. Kish, Survey Sampling (1965).
func Clustering(clusters []Cluster) (Overdispersion, error) {
	c, err := newClusters(clusters)
	if err != nil {
		return Overdispersion{}, err
	}
	o := Overdispersion{Clusters: len(c.of), Passed: int(c.passed), Trials: int(c.trials), ICC: c.icc()}
	o.DesignEffect = 1 + (c.squares/c.trials-1)*math.Max(o.ICC, 0)
	if math.IsNaN(o.ICC) {
		o.DesignEffect = math.NaN()
	}
	o.EffectiveN = c.trials / o.DesignEffect
	return o, nil
}

// clusters are those with trials, and their totals.
type clusters struct {
	of                      []Cluster
	passed, trials, squares float64
}

func newClusters(all []Cluster) (clusters, error) {
	c := clusters{of: all}
	if slices.ContainsFunc(all, func(x Cluster) bool { return x.N == 0 }) {
		c.of = slices.DeleteFunc(slices.Clone(all), func(x Cluster) bool { return x == Cluster{} })
	}
	for _, x := range c.of {
		if !isCount(x.Passed, x.N) {
			return c, ErrClusterCounts
		}
		c.passed += float64(x.Passed)
		c.trials += float64(x.N)
		c.squares += float64(x.N) * float64(x.N)
	}
	if len(c.of) < 2 {
		return c, ErrTooFewClusters
	}
	return c, nil
}

func (c clusters) rate() float64 { return c.passed / c.trials }

// icc is (MSB-MSW) / (MSB + (n0-1) MSW), from the mean squares between and
// within clusters and their adjusted mean size n0.
func (c clusters) icc() float64 {
	if c.trials <= float64(len(c.of)) {
		return math.NaN()
	}
	between, within := c.meanSquares()
	return (between - within) / (between + (c.size()-1)*within)
}

// meanSquares are those of the analysis of variance.
func (c clusters) meanSquares() (between, within float64) {
	k := float64(len(c.of))
	for _, x := range c.of {
		n, p := float64(x.N), float64(x.Passed)/float64(x.N)
		between += n * (p - c.rate()) * (p - c.rate())
		within += n * p * (1 - p)
	}
	return between / (k - 1), within / (c.trials - k)
}

// size is the adjusted mean number of trials of a cluster.
func (c clusters) size() float64 { return (c.trials - c.squares/c.trials) / (float64(len(c.of)) - 1) }

// GroupedTable is a test on both sides of a comparison, and the group of tests
// that it moves with. Tests that move alone have a group each.
type GroupedTable struct {
	Group int
	Table
}

// ClusterDesign says how [ClusterDifference] compares two sides. Paired: each test with itself, every test the same
// weight. Otherwise side by side, and ByTrials weighs a test by its trials in place of once.
type ClusterDesign struct {
	Paired, ByTrials bool
	Confidence       float64
}

// DifferenceEstimate is a difference with its standard error, the degrees of freedom behind it (0 where there are none),
// its interval, and the two-sided p-value against no difference. What is unknown is NaN.
type DifferenceEstimate struct {
	Value, SE, DF float64
	Lo, Hi, P     float64
}

// ClusterDifference returns the mean pass rate of the first side less that of the second, with an error from the spread
// between groups only, whatever makes tests of a group move together: the cluster-robust variance with the factor
// G/(G-1) and Student's t with G-1 degrees of freedom, G the groups (of the side that has fewer). Below two groups there
// is no error, and where no group differs from another no p-value. Tests without trials on a side have no part in that
// side, paired in neither. Everything is NaN without tests, and for impossible counts.
//
// E. Miller, arXiv:2411.00640 (2024), sections 2.2, 4.2 and appendix A; G/(G-1) and t for z are for few groups.
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

// noSpread is the standard error below which nothing was seen to vary, and what is left is rounding.
const noSpread = 1e-12

// Estimate is a difference whose variance was estimated with so many degrees of freedom: value ± t
// s, and the p-value of Student's t. Without any there is neither, and without variance no p-value.
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

// ClusteredRun is a comparison to plan: Tests on each side with Trials each, whose trials correlate
// by ICC within a test. Paired means the same tests on both sides, each moved alike, so that what
// tests differ in cancels; otherwise each side has tests of its own.
type ClusteredRun struct {
	Paired        bool
	Tests, Trials int
	Rate          float64 // of the base
	ICC           float64
	Alpha         float64 // two-sided
}

// Check reports a comparison that cannot be planned.
func (c ClusteredRun) Check() error {
	switch {
	case c.Tests < 1 || c.Trials < 1:
		return fmt.Errorf("%d tests of %d trials: there must be at least one of each", c.Tests, c.Trials)
	case !isRate(c.Rate):
		return fmt.Errorf("rate is %v: it must be between 0 and 1", c.Rate)
	case !isRate(c.ICC):
		return fmt.Errorf("icc is %v: it must be between 0 and 1", c.ICC)
	case !isLevel(c.Alpha):
		return fmt.Errorf("alpha is %v: it must be between 0 and 1, both excluded", c.Alpha)
	}
	return nil
}

// DesignEffect is by how much the variance of the difference exceeds that of
// independent trials: 1 + (n-1) ICC, paired 1 - ICC.
//
// L. Kish, Survey Sampling (1965).
func (c ClusteredRun) DesignEffect() float64 {
	if c.Paired {
		return 1 - c.ICC
	}
	return 1 + (float64(c.Trials)-1)*c.ICC
}

// EffectiveN is the number of independent trials a side that would say as much; NaN where the design effect is 0.
func (c ClusteredRun) EffectiveN() float64 {
	if c.DesignEffect() == 0 {
		return math.NaN()
	}
	return float64(c.Tests) * float64(c.Trials) / c.DesignEffect()
}

// perTrial is the design effect over all trials: the variance of a mean whose trials have the variance 1.
func (c ClusteredRun) perTrial() float64 {
	return c.DesignEffect() / (float64(c.Tests) * float64(c.Trials))
}

// Power is the chance to see the rate fall by fall (rise, below 0), by the normal approximation and
// in the right direction. NaN where Check has an error, beyond 0..1 and without any variance.
//
// E. Miller, arXiv:2411.00640 (2024), section 5.
func (c ClusteredRun) Power(fall float64) float64 {
	to := c.Rate - fall
	if c.Check() != nil || !isRate(to) {
		return math.NaN()
	}
	variance := (c.Rate*(1-c.Rate) + to*(1-to)) * c.perTrial()
	if !(variance > 0) {
		return math.NaN()
	}
	return normalBelow(math.Abs(fall)/math.Sqrt(variance) - Z(1-c.Alpha))
}

// Detectable is the smallest fall that is seen with the given power. NaN where
// Check has an error, and where no fall is large enough.
func (c ClusteredRun) Detectable(power float64) float64 {
	if c.Check() != nil || !isLevel(power) {
		return math.NaN()
	}
	reach := Z(1-c.Alpha) + mathext.NormalQuantile(power)
	k, p := reach*reach*c.perTrial(), c.Rate
	root := math.Sqrt(k*k*(2*p-1)*(2*p-1) + 8*k*(1+k)*p*(1-p))
	fall := (k*(2*p-1) + root) / (2 * (1 + k))
	if fall > p {
		return math.NaN()
	}
	return fall
}

func normalBelow(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

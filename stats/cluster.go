package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Cluster is a group of trials that share something (a task, a session, a
// machine) and may therefore fail together.
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
	// ICC is the intraclass correlation by the one-way analysis of variance estimator: 0 for
	// independent trials, 1 when a cluster always agrees with itself, below 0 when clusters are
	// more alike than chance. NaN if all trials ended alike or every cluster has one trial: nothing
	// then says whether trials of a cluster depend on each other.
	ICC float64
	// DesignEffect is 1 + (m-1) max(ICC, 0), m the trial-weighted mean cluster size: by how much
	// the variance of the pass rate exceeds the binomial. NaN with ICC.
	DesignEffect float64
	// EffectiveN is Trials / DesignEffect: the number of independent trials
	// that would say as much. NaN with ICC.
	EffectiveN float64
}

// Clustering estimates the overdispersion of clustered pass/fail trials. Clusters without trials
// are ignored. It is an error if a cluster is not 0 <= Passed <= N, or fewer than two have trials.
//
// M. S. Ridout, C. G. B. Demétrio, D. Firth, Biometrics 55 (1999) 137-148;
// L. Kish, Survey Sampling (1965).
func Clustering(clusters []Cluster) (Overdispersion, error) {
	o, squares := Overdispersion{ICC: math.NaN()}, 0.
	for _, c := range clusters {
		if !isCount(c.Passed, c.N) {
			return Overdispersion{}, ErrClusterCounts
		}
		if c.N > 0 {
			o.Clusters++
		}
		o.Passed, o.Trials, squares = o.Passed+c.Passed, o.Trials+c.N, squares+float64(c.N)*float64(c.N)
	}
	if o.Clusters < 2 {
		return Overdispersion{}, ErrTooFewClusters
	}
	k, trials := float64(o.Clusters), float64(o.Trials)
	if o.Trials > o.Clusters {
		rate, between, within := float64(o.Passed)/trials, 0., 0.
		for _, c := range clusters {
			if c.N > 0 {
				n, p := float64(c.N), float64(c.Passed)/float64(c.N)
				between += n * (p - rate) * (p - rate)
				within += n * p * (1 - p)
			}
		}
		between, within = between/(k-1), within/(trials-k) // the mean squares of the analysis of variance
		size := (trials - squares/trials) / (k - 1)        // the adjusted mean number of trials of a cluster
		o.ICC = (between - within) / (between + (size-1)*within)
	}
	o.DesignEffect = 1 + (squares/trials-1)*math.Max(o.ICC, 0)
	o.EffectiveN = trials / o.DesignEffect
	return o, nil
}

// DifferenceEstimate is a difference with its standard error, the degrees of
// freedom behind it (0 where there are none), its interval, and the two-sided
// p-value against no difference. What is unknown is NaN.
type DifferenceEstimate struct {
	Value, SE, DF float64
	Lo, Hi, P     float64
}

func noDifference(value float64) DifferenceEstimate {
	return DifferenceEstimate{Value: value, SE: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), P: math.NaN()}
}

// noSpread is the standard error below which nothing was seen to vary, and what
// is left is rounding.
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

// EffectiveN is the number of independent trials a side that would say as much;
// NaN where the design effect is 0.
func (c ClusteredRun) EffectiveN() float64 {
	if c.DesignEffect() == 0 {
		return math.NaN()
	}
	return float64(c.Tests) * float64(c.Trials) / c.DesignEffect()
}

// perTrial is the design effect over all trials: the variance of a mean whose
// trials have the variance 1.
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

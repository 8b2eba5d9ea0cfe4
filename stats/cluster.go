package stats

import (
	"errors"
	"math"
	"slices"
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
	// ICC is the intraclass correlation by the one-way analysis of variance
	// estimator: 0 for independent trials, 1 when a cluster always agrees with
	// itself, below 0 when clusters are more alike than chance. NaN if all
	// trials ended alike or every cluster has one trial: nothing then says
	// whether trials of a cluster depend on each other.
	ICC float64
	// DesignEffect is 1 + (m-1) max(ICC, 0), m the trial-weighted mean cluster
	// size: by how much the variance of the pass rate exceeds the binomial.
	// NaN with ICC.
	DesignEffect float64
	// EffectiveN is Trials / DesignEffect: the number of independent trials
	// that would say as much. NaN with ICC.
	EffectiveN float64
}

// Clustering estimates the overdispersion of clustered pass/fail trials.
// Clusters without trials are ignored.
// It is an error if a cluster is not 0 <= Passed <= N, or fewer than two have
// trials.
//
// M. S. Ridout, C. G. B. Demétrio, D. Firth, Biometrics 55 (1999) 137-148;
// L. Kish, Survey Sampling (1965).
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
func (c clusters) size() float64 {
	return (c.trials - c.squares/c.trials) / (float64(len(c.of)) - 1)
}

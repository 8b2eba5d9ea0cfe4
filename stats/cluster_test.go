package stats

import (
	"errors"
	"math"
	"testing"
)

func TestClustering(t *testing.T) {
	for _, c := range []struct {
		name         string
		clusters     []Cluster
		icc, deff, n float64
		reason       string
	}{
		{"always agreeing", []Cluster{{5, 5}, {0, 5}}, 1, 5, 2,
			"two clusters that never disagree with themselves are two trials"},
		{"alike", []Cluster{{2, 4}, {2, 4}}, -1. / 3, 1, 8,
			"no spread between clusters is the least the estimator can be, -1/(m-1), and no reason to shrink n"},
		// By hand: rates 0.8, 0.4, 0.6 of 5; MSB = 5(0.04+0.04)/2 = 0.2,
		// MSW = (0.8+1.2+1.2)/12 = 4/15; ICC = (3/15-4/15)/(3/15+4*4/15).
		{"by hand", []Cluster{{4, 5}, {2, 5}, {3, 5}}, -1. / 19, 1, 15, "hand calculation"},
		// Rates 1 and 0.5 of 4 and 2: p = 5/6, n0 = 6-20/6 = 8/3,
		// MSB = 4/36+2/9 = 1/3, MSW = 0.5/4 = 1/8.
		{"unequal", []Cluster{{4, 4}, {1, 2}}, (1./3 - 1./8) / (1./3 + 5./3/8),
			1 + (20./6-1)*(5./24)/(13./24), 6 / (1 + (20./6-1)*(5./13)), "hand calculation with adjusted mean size"},
		{"empty ones ignored", []Cluster{{5, 5}, {0, 0}, {0, 5}}, 1, 5, 2, "a cluster without trials is not one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := Clustering(c.clusters)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "ICC", o.ICC, c.icc, 1e-12, c.reason)
			near(t, "design effect", o.DesignEffect, c.deff, 1e-12, c.reason)
			near(t, "effective n", o.EffectiveN, c.n, 1e-12, c.reason)
		})
	}
}

func TestClusteringCannotTell(t *testing.T) {
	for _, c := range []struct {
		clusters []Cluster
		reason   string
	}{
		{[]Cluster{{5, 5}, {7, 7}}, "all passed: no spread of any sort"},
		{[]Cluster{{1, 1}, {0, 1}}, "one trial a cluster: nothing within"},
	} {
		o, err := Clustering(c.clusters)
		if err != nil || !math.IsNaN(o.ICC) || !math.IsNaN(o.DesignEffect) || !math.IsNaN(o.EffectiveN) {
			t.Errorf("Clustering(%v) = %+v, %v, want NaN: %s", c.clusters, o, err, c.reason)
		}
	}
	if _, err := Clustering([]Cluster{{1, 2}}); !errors.Is(err, ErrTooFewClusters) {
		t.Errorf("one cluster: %v", err)
	}
	if _, err := Clustering([]Cluster{{3, 2}, {1, 2}}); !errors.Is(err, ErrClusterCounts) {
		t.Errorf("3 of 2: %v", err)
	}
}

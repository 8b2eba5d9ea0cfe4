package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
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
	if _, _, _, err := ClusterInterval([]Cluster{{3, 2}, {1, 2}}, 0.95); !errors.Is(err, ErrClusterCounts) {
		t.Errorf("3 of 2: %v", err)
	}
	if _, _, _, err := ClusterRobust([]Cluster{{1, 2}, {1, 2}}, 95); err == nil {
		t.Error("a confidence of 95 is not a fraction, and must be refused")
	}
}

// The ratio estimator by hand: 4/5 and 2/5, rate 0.6, residuals 1 and -1,
// s = sqrt(2/1*2)/10 = 0.2, t(1) = 12.7062 at 95 %.
func TestClusterRobustByHand(t *testing.T) {
	rate, lo, hi, err := ClusterRobust([]Cluster{{4, 5}, {2, 5}}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "rate", rate, 0.6, 1e-15, "6 of 10")
	near(t, "lo", lo, 0.6-12.706204736432095*0.2, 1e-9, "t table, 1 df")
	near(t, "hi", hi, 0.6+12.706204736432095*0.2, 1e-9, "t table, 1 df")
}

// With one trial a cluster there is nothing to correlate, and with all clusters
// unanimous nothing to tell ten trials from ten clusters.
func TestClusterIntervalUnanimous(t *testing.T) {
	var clusters []Cluster
	for range 10 {
		clusters = append(clusters, Cluster{50, 50})
	}
	_, lo, hi, err := ClusterInterval(clusters, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if lo > 0.85 || hi != 1 {
		t.Errorf("500 passes in 10 clusters give %v..%v: as far as can be told these are 10 trials, so the interval must reach below 0.85 and to 1", lo, hi)
	}
}

// TestClusterCoverage simulates beta-binomial clusters of unequal sizes. The
// cluster interval covers the rate in at least 93 % of runs; Wilson's interval,
// which takes the trials for independent, does not come near: the negative
// control.
func TestClusterCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("simulation")
	}
	const runs, confidence = 200, 0.95
	random := rand.New(rand.NewPCG(20, 26))
	for _, design := range []struct{ clusters, size int }{{10, 5}, {10, 20}} {
		for _, icc := range []float64{0, 0.2, 0.5} {
			for _, rate := range []float64{0.5, 0.95} {
				honest, naive := 0, 0
				for range runs {
					sample := betaBinomialSample(random, design.clusters, design.size, rate, icc)
					_, lo, hi, err := ClusterInterval(sample, confidence)
					if err != nil {
						t.Fatal(err)
					}
					honest += covers(lo, hi, rate)
					passed, trials := pooled(sample)
					lo, hi = Wilson(passed, trials, Z(confidence))
					naive += covers(lo, hi, rate)
				}
				if got := float64(honest) / runs; got < 0.93 {
					t.Errorf("%+v icc %v rate %v: cluster interval covers %.3f, want 0.93", design, icc, rate, got)
				}
				if got := float64(naive) / runs; icc == 0.5 && design.size == 20 && got > 0.8 {
					t.Errorf("%+v icc %v rate %v: Wilson covers %.3f, and should fail here", design, icc, rate, got)
				}
			}
		}
	}
}

func betaBinomialSample(random *rand.Rand, clusters, size int, rate, icc float64) []Cluster {
	sample := make([]Cluster, clusters)
	for i := range sample {
		p := rate
		if icc > 0 {
			theta := (1 - icc) / icc
			p = distuv.Beta{Alpha: rate * theta, Beta: (1 - rate) * theta, Src: random}.Rand()
		}
		sample[i].N = 1 + random.IntN(2*size-1)
		for range sample[i].N {
			if random.Float64() < p {
				sample[i].Passed++
			}
		}
	}
	return sample
}

func covers(lo, hi, rate float64) int {
	if lo <= rate && rate <= hi {
		return 1
	}
	return 0
}

func pooled(sample []Cluster) (passed, trials int) {
	for _, c := range sample {
		passed += c.Passed
		trials += c.N
	}
	return passed, trials
}

// The long sums must agree with adding up, whatever the correlation.
func TestLogSum(t *testing.T) {
	for _, u := range []float64{1e-3, 0.5, 1} {
		for _, r := range []float64{0, 1e-12, 1e-3, 0.5, 1} {
			want := 0.
			for j := range 5000 {
				want += math.Log(u + float64(j)*r)
			}
			near(t, "logSum", logSum(u, r, 5000), want, 1e-9*5000, "term by term")
		}
	}
}

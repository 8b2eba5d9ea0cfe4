package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBetweenRunsOfOneTest: the estimator is that of Clustering, which vectors hold,
// and one test has the degrees of freedom of its runs.
func TestBetweenRunsOfOneTest(t *testing.T) {
	runs := []Cluster{{9, 10}, {5, 10}, {10, 12}, {2, 10}}
	want, err := Clustering(runs)
	if err != nil {
		t.Fatal(err)
	}
	got := BetweenRuns(ofPasses([][]Cluster{runs}))
	near(t, "ICC", got.ICC, want.ICC, 1e-12, "one-way analysis of variance")
	if got.DF != 3 || got.Runs != 4 {
		t.Errorf("%+v, want 3 degrees of freedom of 4 runs", got)
	}
}

// TestDegreesOfFreedom: tests that move as one say no more than one of them.
func TestDegreesOfFreedom(t *testing.T) {
	one := []Cluster{{9, 10}, {5, 10}, {10, 10}, {2, 10}}
	if got := BetweenRuns(ofPasses([][]Cluster{one, one, one, one})); got.DF != 3 {
		t.Errorf("%d degrees of freedom of four tests that move as one, want 3", got.DF)
	}
	if got := BetweenRuns(ofPasses([][]Cluster{{{9, 10}}}), ofPasses([][]Cluster{{{5, 10}}})); got.DF != 0 {
		t.Errorf("one run a side: %+v, want nothing known", got)
	}
	if got := BetweenRuns(ofPasses([][]Cluster{{{1, 1}, {0, 1}}})); got.DF != 0 {
		t.Errorf("runs of one trial: %+v, want nothing known", got)
	}
}

// TestInflatedP by hand: z = 2 for independent trials and a design effect of 4 leave
// t = 1 with one degree of freedom, Cauchy's law, whose tails beyond 1 are half.
func TestInflatedP(t *testing.T) {
	near(t, "p", InflatedP(math.Erfc(math.Sqrt2), 4, 1), 0.5, 1e-12, "Cauchy")
	tens, unequal := []Scored{{N: 10}, {N: 10}, {N: 10}}, []Scored{{N: 80}, {N: 5}, {N: 5}}
	v := RunVariance{ICC: 0.1, DF: 40, ratio: 2, size: 10, within: 540}
	effect, df := v.DesignEffect(tens, tens)
	near(t, "effect", effect, 1.9, 1e-12, "1 + 9 0.1")
	near(t, "degrees of freedom", df, 40, 1e-12, "runs of equal size")
	effect, _ = v.DesignEffect([]Scored{{N: 10}}, []Scored{{N: 1}})
	near(t, "effect", effect, (1.9/10+1)/1.1, 1e-12, "of 10 trials and of 1")
	effect, df = v.DesignEffect(unequal, unequal)
	near(t, "effect", effect, 1+0.1*(6450./90-1), 1e-12, "80² + 5² + 5² over 90")
	share := 6450. / 90 / 10
	near(t, "degrees of freedom", df, (1+share)*(1+share)/(4*share*share/40+(1-share)*(1-share)/540), 1e-9, "Satterthwaite")
	near(t, "undoing", UndoingICC(1.9, 1, 10, 10), 0.1, 1e-12, "the inverse")
	near(t, "always", UndoingICC(50, 1, 10, 10), 1, 0, "no correlation is above 1")
	near(t, "single trials", UndoingICC(1.1, 1, 1, 1), 1, 0, "one trial correlates with none")
}

// TestSpreadOfRuns by hand: two tests of weight 1, whose rates are 1, 0.5 and 0, 0.5 in
// two runs move against each other, and 1, 0.5 and 1, 0.5 together by 0.25 either way.
func TestSpreadOfRuns(t *testing.T) {
	up, down := []Cluster{{2, 2}, {1, 2}}, []Cluster{{0, 2}, {1, 2}}
	against, df := SpreadOfRuns([]float64{1, 1}, ofPasses([][]Cluster{up, down}))
	together, _ := SpreadOfRuns([]float64{1, 1}, ofPasses([][]Cluster{up, up}))
	near(t, "against", against, 0, 1e-15, "the mean stands still")
	near(t, "together", together, 2*0.25*0.25, 1e-15, "sum of squares over 1")
	if df != 1 {
		t.Errorf("%d degrees of freedom, want 1", df)
	}
}

// TestRunsThatVary: of 20 unchanged tests with 90 trials in three runs a side, which
// correlate by 0.1 within a run, some one is called worse in 60 of 100 comparisons
// by Fisher's test alone, and in 5 at the most when the variance between runs is heeded:
// also where tests of a run move as one, where the first run has most of the trials, and
// where one test alone varies by a correlation of 0.5.
func TestRunsThatVary(t *testing.T) {
	const tests, times = 20, 120
	for _, c := range []struct {
		sizes    []int
		together bool
		odd      bool
	}{{[]int{30, 30, 30}, false, false}, {[]int{30, 30, 30}, true, false}, {[]int{80, 5, 5}, false, false}, {[]int{60, 2, 2, 2}, false, false}, {[]int{30, 30, 30}, false, true}} {
		rng := rand.New(rand.NewPCG(11, 1))
		side := func() [][]Cluster {
			out := make([][]Cluster, tests)
			for _, trials := range c.sizes {
				shared := rng.Float64()
				for i := range out {
					u := rng.Float64()
					if c.together {
						u = shared
					}
					rate := 0.9
					switch {
					case !c.odd:
						rate = betaQuantile(0.9*9, 0.1*9, u)
					case i == 0:
						rate = betaQuantile(0.5, 0.5, u)
					}
					out[i] = append(out[i], Cluster{Passed: passes(rng, trials, rate), N: trials})
				}
			}
			return out
		}
		heeded, alone := 0, 0
		for range times {
			base, candidate := side(), side()
			before, after := ofPasses(base), ofPasses(candidate)
			v := BetweenRuns(before, after)
			var p, naive []float64
			for i := range base {
				b, c := sumOf(base[i]), sumOf(candidate[i])
				exact := FisherExact(b.Passed, b.N, c.Passed, c.N)
				if c.Passed > b.Passed {
					exact = 1
				}
				naive = append(naive, exact)
				effect, df := v.OrOwn(BetweenRuns(before[i:i+1], after[i:i+1])).DesignEffect(before[i], after[i])
				p = append(p, InflatedP(exact, effect, df))
			}
			heeded, alone = heeded+anyBelow(Holm(p), 0.05), alone+anyBelow(Holm(naive), 0.05)
		}
		if heeded > times*5/100 {
			t.Errorf("%+v: %d of %d comparisons are red", c, heeded, times)
		}
		if alone < times*15/100 {
			t.Errorf("%+v: the control is red in %d of %d alone", c, alone, times)
		}
	}
}

func passes(rng *rand.Rand, n int, rate float64) int {
	passed := 0
	for range n {
		if rng.Float64() < rate {
			passed++
		}
	}
	return passed
}

func sumOf(runs []Cluster) Cluster {
	var all Cluster
	for _, r := range runs {
		all.Passed, all.N = all.Passed+r.Passed, all.N+r.N
	}
	return all
}

func anyBelow(p []float64, level float64) int {
	for _, v := range p {
		if v <= level {
			return 1
		}
	}
	return 0
}

// ofPasses are the trials of tests in their runs as scores of 1 and 0.
func ofPasses(tests [][]Cluster) [][]Scored {
	out := make([][]Scored, len(tests))
	for i, runs := range tests {
		for _, r := range runs {
			out[i] = append(out[i], r.Scored())
		}
	}
	return out
}

// TestScoredOf: passes are scores of 1 and 0.
func TestScoredOf(t *testing.T) {
	got, want := ScoredOf([]float64{1, 0, 1, 1}), Cluster{3, 4}.Scored()
	near(t, "squares", got.Squares, want.Squares, 1e-12, "n p (1 - p)")
	if got.N != want.N || got.Mean != want.Mean || ScoredOf(nil).N != 0 || ScoredOf([]float64{0.7}).Squares != 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

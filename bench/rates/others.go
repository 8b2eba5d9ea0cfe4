package main

import (
	"fmt"
	"math"

	"tribunal/stats"
)

// ranks draws normal estimates of five variants.
func ranks(s *simulation) (rows []row) {
	for _, c := range []struct {
		what  string
		truth []float64
	}{{"5 variants, all equal", make([]float64, 5)}, {"5 variants, two pairs equal", []float64{2, 2, 1, 1, 0}}, {"5 variants apart", []float64{8, 6, 4, 2, 0}}} {
		n, held := s.times(2000), 0
		for range n {
			estimates, covariance := make([]float64, 5), make([][]float64, 5)
			for i := range estimates {
				estimates[i] = c.truth[i] + 0.5*s.NormFloat64()
				covariance[i] = make([]float64, 5)
				covariance[i][i] = 0.25
			}
			if coversRanks(c.truth, stats.RankCI(estimates, covariance, 0.95, stats.RankHolm)) {
				held++
			}
		}
		rows = append(rows, row{c.what + ": all rank sets cover", "0.95 at least", share(held, n), ""})
	}
	return rows
}

// coversRanks reports sets that hold every rank that a tie can have.
func coversRanks(truth []float64, r *stats.Ranks) bool {
	for i := range truth {
		above, below := 0, 0
		for _, v := range truth {
			if v > truth[i] {
				above++
			}
			if v < truth[i] {
				below++
			}
		}
		if r.Lo[i] > 1+above || r.Hi[i] < len(truth)-below {
			return false
		}
	}
	return true
}

// covering is a share that is nominally so much at least, and says where it misses that
// by more than its own standard error.
func covering(held, n int, nominal float64) string {
	return missing(share(held, n), nominal-float64(held)/float64(n), held, n)
}

// erring is a share that is nominally so much at most.
func erring(wrong, n int, nominal float64) string {
	return missing(share(wrong, n), float64(wrong)/float64(n)-nominal, wrong, n)
}

func missing(measured string, by float64, part, n int) string {
	p := float64(part) / float64(n)
	if by > math.Sqrt(p*(1-p)/float64(n)) {
		return measured + " **misses**"
	}
	return measured
}

func judges(s *simulation) (rows []row) {
	for _, c := range []struct {
		sensitivity, specificity, p float64
		labels                      int
	}{{0.9, 0.85, 0.7, 50}, {0.95, 0.9, 0.9, 100}, {0.8, 0.8, 0.5, 100}} {
		n, corrected, powered, raw := s.times(4000), 0, 0, 0
		for range n {
			judged := func() (truth, pass bool) {
				truth = s.Float64() < c.p
				if truth {
					return true, s.Float64() < c.sensitivity
				}
				return false, s.Float64() >= c.specificity
			}
			var labelled stats.Judged
			for range c.labels {
				switch truth, pass := judged(); {
				case truth && pass:
					labelled.BothPass++
				case pass:
					labelled.JudgeOnly++
				case truth:
					labelled.TruthOnly++
				default:
					labelled.Neither++
				}
			}
			passed := 0
			for range 200 {
				if _, pass := judged(); pass {
					passed++
				}
			}
			if x := stats.RoganGladen(passed, 200, labelled, 0.95); math.IsNaN(x.Lo) || x.Lo <= c.p && c.p <= x.Hi {
				corrected++
			}
			if x := stats.PPIMean(passed, 200, labelled, math.NaN(), 0.95); x.Lo <= c.p && c.p <= x.Hi {
				powered++
			}
			if lo, hi := stats.Wilson(passed, 200, 1.96); lo <= c.p && c.p <= hi {
				raw++
			}
		}
		rows = append(rows, row{fmt.Sprintf("judge %v:%v, rate %v, %d labels, 200 trials more: the interval covers", c.sensitivity, c.specificity, c.p, c.labels),
			"0.95; 0.95 (nominal)", covering(corrected, n, 0.95) + "; " + covering(powered, n, 0.95), share(raw, n) + " (the judge's own rate)"})
	}
	return rows
}

// components judges 60 trials three times each.
func components(s *simulation) (rows []row) {
	for _, icc := range []float64{0.2, 0.6} {
		n, held := s.times(2000), 0
		for range n {
			var trials []stats.Cluster
			for range 60 {
				trials = append(trials, stats.Cluster{Passed: s.passes(3, rate(0.6, icc, s.Float64())), N: 3})
			}
			if v := stats.VarianceComponents(trials, 0.95); v.Lo <= icc && icc <= v.Hi {
				held++
			}
		}
		rows = append(rows, row{fmt.Sprintf("60 trials judged 3 times, ICC %v: the interval covers", icc), "0.95 (nominal, of normal data)", covering(held, n, 0.95), ""})
	}
	return rows
}

func pairedE(s *simulation) (rows []row) {
	for _, margin := range []float64{0, 0.1} {
		test, err := stats.NewPairedE(margin)
		if err != nil {
			panic(err) // the margins are constants in range
		}
		n, crossed, fixed := s.times(4000), 0, 0
		for range n {
			candidate, ever := 0, [2]bool{}
			for pair := 1; pair <= 150; pair++ {
				if s.Float64() < (1+margin)/2 {
					candidate++
				}
				ever[0] = ever[0] || test.LogE(candidate, pair-candidate).LogBetter >= math.Log(20)
				ever[1] = ever[1] || stats.BinomialPAbove(candidate, pair, (1+margin)/2) <= 0.05
			}
			if ever[0] {
				crossed++
			}
			if ever[1] {
				fixed++
			}
		}
		rows = append(rows, row{fmt.Sprintf("no better than the margin %v, looked at after each of 150 discordant pairs: ever better", margin), "0.05", share(crossed, n), share(fixed, n) + " (the exact test at every look)"})
	}
	return rows
}

func gsprt(s *simulation) (rows []row) {
	test, err := stats.NewGSPRT(-0.05, 0, 0.05, 0.05)
	if err != nil {
		panic(err) // constants in range
	}
	lower, upper := test.Bounds()
	for _, discordant := range []float64{0.1, 0.3} {
		n, wrong := s.times(600), [2]int{}
		for i, d := range []float64{test.D0, test.D1} {
			for range n {
				counts := make([]int, 3)
				for {
					switch u := s.Float64(); {
					case u < (discordant+d)/2:
						counts[2]++
					case u < discordant:
						counts[0]++
					default:
						counts[1]++
					}
					llr := 0.
					if (counts[0]+counts[1]+counts[2])%4 == 0 {
						llr = test.LLR(counts)
					}
					if llr < lower || llr > upper {
						if (llr > upper) == (i == 0) {
							wrong[i]++
						}
						break
					}
				}
			}
		}
		rows = append(rows, row{fmt.Sprintf("-0.05 against 0, discordant share %v: h1 at -0.05, h0 at 0", discordant), "0.05, 0.05 (nominal, in the limit)", erring(wrong[0], n, 0.05) + ", " + erring(wrong[1], n, 0.05), ""})
	}
	return rows
}

// power compares the formula with the share of comparisons that see a fall.
func power(s *simulation) []row {
	const tests, trials, icc = 60, 6, 0.3
	run := stats.ClusteredRun{Tests: tests, Trials: trials, Rate: 0.8, ICC: icc, Alpha: 0.05}
	n, seen := s.times(2000), 0
	for range n {
		var of []stats.GroupedTable
		for i := range tests {
			of = append(of, stats.GroupedTable{Group: i, Table: stats.Table{Passed1: s.passes(trials, rate(0.72, icc, s.Float64())), N1: trials,
				Passed2: s.passes(trials, rate(0.8, icc, s.Float64())), N2: trials}})
		}
		if e := stats.ClusterDifference(of, stats.ClusterDesign{Confidence: 0.95}); e.P <= 0.05 && e.Value < 0 {
			seen++
		}
	}
	return []row{{"60 tests of 6 trials a side, other tests each, ICC 0.3, from 0.8 to 0.72: seen", fmt.Sprintf("%.3f by the formula", run.Power(0.08)), share(seen, n), ""}}
}

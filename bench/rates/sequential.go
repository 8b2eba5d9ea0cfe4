package main

import (
	"fmt"

	"tribunal/stats"
)

// round draws pairs of trials that have nothing in common, one of each pair of rates.
func (s *simulation) round(rates [][2]float64) (r stats.PairedRound) {
	for _, of := range rates {
		base, candidate := s.Float64() < of[0], s.Float64() < of[1]
		switch {
		case base == candidate:
			r.Alike++
		case base:
			r.Base++
		default:
			r.Candidate++
		}
	}
	return r
}

func sequential(s *simulation) (rows []row) {
	spread := make([][2]float64, 20)
	for i := range spread {
		rate := 0.3 + 0.65*float64(i)/float64(len(spread)-1)
		spread[i] = [2]float64{rate, rate}
	}
	for _, run := range []struct {
		situation string
		rates     [][2]float64
		rounds    int
	}{
		{"an unchanged test of rate 0.9, looked at after each of 200 pairs: ever changed", [][2]float64{{0.9, 0.9}}, 200},
		{"an unchanged run of 20 tests of rates 0.3 to 0.95, looked at after each of 60 rounds: ever changed", spread, 60},
	} {
		n, changed, exact := s.times(2000), 0, 0
		for range n {
			var seq stats.PairedSequence
			won, lost, ever := 0, 0, false
			for range run.rounds {
				r := s.round(run.rates)
				won, lost, seq = won+r.Candidate, lost+r.Base, append(seq, r)
				ever = ever || stats.McNemarExact(lost, won) <= 0.05
			}
			if seq.PValue() <= 0.05 { // at the end it is what it was at the best look
				changed++
			}
			if ever {
				exact++
			}
		}
		rows = append(rows, row{run.situation, "0.05", share(changed, n), share(exact, n) + " (McNemar's test at every look)"})
	}
	return append(rows, s.atTheMargin())
}

// atTheMargin is a test that got worse by exactly the margin.
func (s *simulation) atTheMargin() row {
	const margin = 0.1
	n, within, covered := s.times(2000), 0, 0
	for range n {
		seq := make(stats.PairedSequence, 300)
		for i := range seq {
			seq[i] = s.round([][2]float64{{0.9, 0.9 - margin}})
		}
		if _, ok := seq.Within(margin, 0.05); ok {
			within++
		}
		if lo, hi := seq.Interval(0.05); lo <= -margin && -margin <= hi {
			covered++
		}
	}
	return row{fmt.Sprintf("worse by exactly the margin %v, looked at after each of 300 pairs: ever equivalent; the intervals of all looks cover", margin),
		"0.025; 0.95", share(within, n) + "; " + share(covered, n), ""}
}

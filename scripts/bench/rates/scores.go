package main

import (
	"fmt"
	"log"

	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/verdict"
)

// scoredRun is a run judged by scores: of each test its group and what its trials scored.
func scoredRun(groups []int, tests [][]float64) compare.Input {
	held, err := verdict.Resolve(envelope.Policy{Metrics: "none"})
	if err != nil {
		log.Fatal(err)
	}
	b := count.NewBuilder(0, 0.5)
	in := b.Input("runs", "native")
	for test, scores := range tests {
		for _, score := range scores {
			in.Trial(&envelope.Trial{Key: envelope.Key{Suite: fmt.Sprint(groups[test]), Test: fmt.Sprint(test)}, Score: envelope.Some(score)})
		}
	}
	in.Close()
	e, err := verdict.Seal(b.Run(held.OnConflict, 0), held)
	if err != nil {
		log.Fatal(err)
	}
	return compare.Input{Envelope: e}
}

// unchangedScores are two sides of one agent: tests of n trials that score 1, 1/2 or 0, each
// with a mean of its own; moved are by how much groups move from one side to the other, in
// shares of trials.
func (s *simulation) unchangedScores(groups []int, n int, moved float64) (base, candidate compare.Input) {
	effects := map[int]float64{}
	var before, after [][]float64
	for _, g := range groups {
		if _, known := effects[g]; !known {
			effects[g] = moved * s.NormFloat64()
		}
		mean := 0.3 + 0.4*s.Float64()
		side := func(mean float64) (scores []float64) {
			for range n {
				scores = append(scores, float64(s.passes(2, mean))/2)
			}
			return scores
		}
		before, after = append(before, side(mean)), append(after, side(mean+effects[g]))
	}
	return scoredRun(groups, before), scoredRun(groups, after)
}

func sizesOf(sizes ...int) (groups []int) {
	for g, n := range sizes {
		for range n {
			groups = append(groups, g)
		}
	}
	return groups
}

// scores measures comparisons of mean scores.
func scores(s *simulation) (rows []row) {
	changed := func(c *compare.Comparison) (test, run int) {
		x := c.Contrasts[0]
		if x.Summary.Regressed+x.Summary.Improved > 0 {
			test = 1
		}
		if x.Run.State == compare.Regressed || x.Run.State == compare.Improved {
			run = 1
		}
		return test, run
	}
	for _, tests := range []int{5, 20} {
		n := s.times(1000)
		test, run := 0, 0
		for range n {
			base, candidate := s.unchangedScores(make([]int, tests), 8, 0)
			a, b := changed(compared(base, candidate, compare.Defaults()))
			test, run = test+a, run+b
		}
		rows = append(rows, row{fmt.Sprintf("unchanged, %d tests of 8 trials that score 1, 0.5 or 0: a test changed, the run", tests), "0.05, 0.05", erring(test, n, 0.05) + ", " + erring(run, n, 0.05), ""})
	}
	n := s.times(2000)
	by, alone := 0, 0
	o := compare.Defaults()
	o.ClusterBy = "suite"
	for range n {
		base, candidate := s.unchangedScores(sizesOf(20, 2, 2, 2, 2), 5, 0.1)
		_, run := changed(compared(base, candidate, o))
		_, without := changed(compared(base, candidate, compare.Defaults()))
		by, alone = by+run, alone+without
	}
	rows = append(rows, row{"groups of 20, 2, 2, 2 and 2 tests that move together by 10 points around no change, `--cluster-by`: the run changed", "0.05", erring(by, n, 0.05), share(alone, n)})
	equivalent := 0
	for range n {
		var before, after [][]float64
		for range 5 {
			var ones, fell []float64
			for range 20 {
				ones, fell = append(ones, 1), append(fell, float64(s.passes(1, 0.9))/2+0.5)
			}
			before, after = append(before, ones), append(after, fell)
		}
		if compared(scoredRun(make([]int, 5), before), scoredRun(make([]int, 5), after), compare.Defaults()).Contrasts[0].Run.State == compare.Equivalent {
			equivalent++
		}
	}
	return append(rows, row{"from scores of 1 worse by exactly the margin 0.05, 5 tests of 20 trials: the run EQUIVALENT", "0.06", erring(equivalent, n, 0.06), ""})
}

func compared(base, candidate compare.Input, o compare.Options) *compare.Comparison {
	c, err := compare.Runs("", base, []compare.Input{candidate}, nil, o)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

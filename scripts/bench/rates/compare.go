package main

import (
	"fmt"
	"log"
	"math"

	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/stats"
	"tribunal/verdict"
)

const (
	comparedTests  = 20
	comparedTrials = 30
)

// oneRun is a run: what passed of each test.
type oneRun [comparedTests]int

// aRun draws a run. Trials of a test correlate by icc; together, all tests of the run
// move as one.
func (s *simulation) aRun(icc float64, together bool) (r oneRun) {
	u := s.Float64()
	for i := range r {
		if !together {
			u = s.Float64()
		}
		r[i] = s.passes(comparedTrials, rate(0.9, icc, u))
	}
	return r
}

func input(runs ...oneRun) compare.Input {
	held, err := verdict.Resolve(envelope.Policy{Metrics: "none"})
	if err != nil {
		log.Fatal(err)
	}
	b := count.NewBuilder(0, 0.5)
	in := b.Input("runs", "native")
	for _, run := range runs {
		for test, passed := range run {
			for i := range comparedTrials {
				trial := envelope.Trial{Key: envelope.Key{Suite: fmt.Sprint(test / 4), Test: fmt.Sprint(test)}, Status: envelope.Fail}
				if i < passed {
					trial.Status = envelope.Pass
				}
				in.Trial(&trial)
			}
		}
	}
	in.Close()
	e, err := verdict.Seal(b.Run(held.OnConflict, 0), held)
	if err != nil {
		log.Fatal(err)
	}
	return compare.Input{Envelope: e}
}

func counts(runs []oneRun) []compare.Counts {
	var out []compare.Counts
	for _, run := range runs {
		c := compare.Counts{}
		for test, passed := range run {
			c[envelope.Key{Suite: fmt.Sprint(test / 4), Test: fmt.Sprint(test)}] = compare.Counted{Passes: stats.Cluster{Passed: passed, N: comparedTrials}.Scored()}
		}
		out = append(out, c)
	}
	return out
}

// red counts comparisons in which some test, and in which the run, is REGRESSED.
type red struct{ test, run int }

func (r *red) compare(base, candidate compare.Input, o compare.Options) {
	c, err := compare.Runs("", base, []compare.Input{candidate}, nil, o)
	if err != nil {
		log.Fatal(err)
	}
	if c.Contrasts[0].Summary.Regressed > 0 {
		r.test++
	}
	if c.Contrasts[0].Run.State == compare.Regressed {
		r.run++
	}
}

func (r red) of(n int) string { return share(r.test, n) + ", " + share(r.run, n) }

// promised is of for what is 0.05 at most.
func (r red) promised(n int) string {
	return erring(r.test, n, 0.05) + ", " + erring(r.run, n, 0.05)
}

func severalRuns(s *simulation) (rows []row) {
	for _, together := range []bool{false, true} {
		for _, icc := range []float64{0, 0.05, 0.1} {
			if together && icc == 0 {
				continue
			}
			n := s.times(400)
			var three, plain, past, alone red
			for range n {
				var b, c, h []oneRun
				for range 3 {
					b, c = append(b, s.aRun(icc, together)), append(c, s.aRun(icc, together))
				}
				for range 10 {
					h = append(h, s.aRun(icc, together))
				}
				base, candidate := input(b...), input(c...)
				plain.compare(base, candidate, compare.Defaults())
				base.Runs, candidate.Runs = counts(b), counts(c)
				three.compare(base, candidate, compare.Defaults())
				base, candidate = input(b[0]), input(c[0])
				alone.compare(base, candidate, compare.Defaults())
				base.Past = counts(h)
				past.compare(base, candidate, compare.Defaults())
			}
			how := fmt.Sprintf("unchanged, 20 tests of 30 trials a run, ICC %v", icc)
			if together {
				how += ", tests of a run move as one"
			}
			rows = append(rows, row{how + ", 3 runs a side: a test REGRESSED, the run", "0.05, 0.05", three.promised(n), plain.of(n)},
				row{how + ", 1 run a side and 10 of the history", "0.05, 0.05", past.promised(n), alone.of(n)})
		}
	}
	return rows
}

// clustered lets suites of four tests move together from one side to the other, by
// effects whose mean is 0.
func clustered(s *simulation) []row {
	n := s.times(1000)
	var by, without red
	o := compare.Defaults()
	o.ClusterBy = "suite"
	for range n {
		var b, c oneRun
		for i := range b {
			b[i] = s.passes(comparedTrials, 0.7)
		}
		for suite := range comparedTests / 4 {
			effect := 0.12 * s.NormFloat64()
			for i := range 4 {
				c[4*suite+i] = s.passes(comparedTrials, math.Max(0, math.Min(1, 0.7+effect)))
			}
		}
		base, candidate := input(b), input(c)
		by.compare(base, candidate, o)
		without.compare(base, candidate, compare.Defaults())
	}
	return []row{{"5 suites of 4 tests that move together by 12 points around no change: the run REGRESSED", "0.05, both ways together", erring(by.run, n, 0.05), share(without.run, n)}}
}

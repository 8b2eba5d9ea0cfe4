package plan

import (
	"fmt"
	"math"

	"tribunal/envelope"
	"tribunal/stats"
)

// Clustered says what a comparison of runs of many tests can see, whose trials
// correlate within a test: the one that is planned, and others of as many trials.
type Clustered struct {
	ICC        float64 `json:"icc"`
	Rate       float64 `json:"rate"` // of the base
	Confidence float64 `json:"confidence"`
	Power      float64 `json:"power"`
	// To is the rate to distinguish from Rate, where one is given.
	To      envelope.Opt[float64] `json:"to,omitzero"`
	Designs []Design              `json:"designs"` // the planned one first, the others by their tests
}

// Design is so many tests of so many trials each, a side.
type Design struct {
	Tests  int    `json:"tests"`
	Trials int    `json:"trials"`
	Effort Effort `json:"effort"` // of both sides
	// Same is for the same tests on both sides, each moved alike; Other for tests of
	// their own.
	Same  Seen `json:"same_tests"`
	Other Seen `json:"other_tests"`
}

// Seen is what a design can see.
type Seen struct {
	DesignEffect float64               `json:"design_effect"`
	EffectiveN   envelope.Opt[float64] `json:"effective_n,omitzero"` // trials a side that would say as much
	Detectable   envelope.Opt[float64] `json:"detectable,omitzero"`  // the smallest fall that is seen with the power
	Power        envelope.Opt[float64] `json:"power,omitzero"`       // to see the fall to To
}

// clustered answers how far a run of many tests sees.
func (q Question) clustered() (*Clustered, error) {
	c := &Clustered{ICC: q.ICC.V, Rate: q.Expect.Or(0.5), Confidence: q.Confidence, Power: q.Power}
	if q.Rates != nil {
		c.Rate, c.To = q.Rates[0], envelope.Some(q.Rates[1])
	}
	for _, d := range sameBudget(q.Tests.V, q.Trials.V) {
		row := Design{Tests: d[0], Trials: d[1], Effort: q.effort(2 * d[0] * d[1])}
		for _, side := range []struct {
			paired bool
			into   *Seen
		}{{true, &row.Same}, {false, &row.Other}} {
			seen, err := c.seen(stats.ClusteredRun{Paired: side.paired, Tests: d[0], Trials: d[1], Rate: c.Rate, ICC: c.ICC, Alpha: 1 - c.Confidence})
			if err != nil {
				return nil, err
			}
			*side.into = seen
		}
		c.Designs = append(c.Designs, row)
	}
	return c, nil
}

func (c *Clustered) seen(run stats.ClusteredRun) (Seen, error) {
	if err := run.Check(); err != nil {
		return Seen{}, fmt.Errorf("clustered trials: %w", err)
	}
	s := Seen{DesignEffect: digits(run.DesignEffect()), EffectiveN: known(run.EffectiveN()), Detectable: known(run.Detectable(c.Power))}
	if c.To.OK {
		s.Power = known(run.Power(c.Rate - c.To.V))
	}
	return s, nil
}

// sameBudget is the design and those of as many trials with a quarter, a half, twice
// and four times the tests, where that is a whole number of trials.
func sameBudget(tests, trials int) [][2]int {
	out := [][2]int{{tests, trials}}
	for _, factor := range []float64{0.25, 0.5, 2, 4} {
		t, n := float64(tests)*factor, float64(trials)/factor
		if t == math.Trunc(t) && n == math.Trunc(n) && t >= 1 && n >= 1 {
			out = append(out, [2]int{int(t), int(n)})
		}
	}
	return out
}

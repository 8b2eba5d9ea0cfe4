package reliability

import (
	"cmp"
	"fmt"
	"math"
)

// weighed is one test of a categorical metric: its counts, those of its prior
// outcomes, and how many tests have exactly these.
type weighed struct {
	counts, prior Categories
	trials, tests float64
}

// rewards returns the reward of each category, 0 and 1 by default.
// It is an error if they are not finite.
func (p Params) rewards() ([]float64, error) {
	if p.W == nil {
		return []float64{0, 1}, nil
	}
	if len(p.W) == 0 {
		return nil, fmt.Errorf("no rewards: there must be one per category")
	}
	for j, w := range p.W {
		if math.IsNaN(w) || math.Abs(w) > 1e150 {
			return nil, fmt.Errorf("reward %d is %v: rewards must be finite, at most 1e150 in size", j, w)
		}
	}
	return p.W, nil
}

// weighedRows returns the tests with at least n trials. Without rewards the
// outcomes are pass and fail, and equal tests come once, unless each has a
// prior of its own.
func (s *Sample) weighedRows(p Params, categories, n int) (rows []weighed, used int, err error) {
	if p.Prior != nil && len(p.Prior) != len(s.rows) {
		return nil, 0, fmt.Errorf("%d prior rows for %d tests: there must be one per test", len(p.Prior), len(s.rows))
	}
	if p.Prior == nil && s.binary(p) {
		states, used := s.atLeast(n)
		for _, st := range states {
			rows = append(rows, weighed{passFail(st.Counts), nil, float64(st.N), st.tests})
		}
		return rows, used, nil
	}
	if !s.binary(p) && s.categories == nil {
		return nil, 0, fmt.Errorf("%d rewards, but the trials carry no category", len(p.W))
	}
	rows = make([]weighed, 0, len(s.rows))
	for i := range s.rows {
		row := s.weighedRow(i, p)
		if err := cmp.Or(fits(row.counts, categories), fits(row.prior, categories)); err != nil {
			return nil, 0, fmt.Errorf("row %d: %w", i, err)
		}
		if row.trials >= float64(max(n, 1)) {
			rows = append(rows, row)
		}
	}
	return rows, len(rows), nil
}

// binary reports whether rewards apply to pass and fail.
func (s *Sample) binary(p Params) bool {
	return p.W == nil || s.categories == nil && len(p.W) == 2
}

func (s *Sample) weighedRow(i int, p Params) weighed {
	row := weighed{tests: 1}
	if s.binary(p) {
		row.counts = passFail(s.rows[i])
	} else {
		row.counts = s.categories[i]
	}
	if p.Prior != nil {
		row.prior = p.Prior[i]
	}
	for _, n := range row.counts {
		row.trials += float64(n)
	}
	return row
}

func passFail(c Counts) Categories { return Categories{c.N - c.Passed, c.Passed} }

// fits is an error if a count is negative or lies in a category without a
// reward.
func fits(counts Categories, categories int) error {
	for j, n := range counts {
		if n < 0 {
			return fmt.Errorf("category %d has a negative count", j)
		}
		if n > 0 && j >= categories {
			return fmt.Errorf("category %d has no reward: rewards cover 0..%d", j, categories-1)
		}
	}
	return nil
}

// observed returns the number of trials in category j.
func (w weighed) observed(j int) float64 { return at(w.counts, j) }

// posterior returns the Dirichlet parameter of category j: one, plus the prior
// outcomes, plus the trials.
func (w weighed) posterior(j int) float64 { return 1 + at(w.prior, j) + at(w.counts, j) }

func at(counts Categories, j int) float64 {
	if j >= len(counts) {
		return 0
	}
	return float64(counts[j])
}

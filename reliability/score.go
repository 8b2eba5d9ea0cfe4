package reliability

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"tribunal/internal/each"
)

// score is the credit of a draw of k trials by its number of passes: the one idea behind every metric of the pass family. The metric of a
// test is the expected credit, over draws without replacement from its trials for the point, over its unknown rate for the interval.
type score struct {
	k    int
	kind kind
	// credit[j] is the credit for j passes, j = 0..k. Only general scores store it; the others know it.
	credit []float64
}

type kind int

const (
	general kind = iota
	anyPass      // 1 from one pass on
	allPass      // 1 for k passes only
)

// newScore builds a score from the credit for each number of passes.
func newScore(k int, credit func(j int) float64) score {
	s := score{k: k, credit: make([]float64, k+1)}
	for j := range s.credit {
		s.credit[j] = credit(j)
	}
	return s
}

func (s score) at(j int) float64 {
	switch s.kind {
	case anyPass:
		return indicator(j >= 1)
	case allPass:
		return indicator(j == s.k)
	}
	return s.credit[j]
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// atLeast gives credit from r passes on, 1 <= r <= k.
func atLeast(k, r int) score {
	switch r {
	case 1:
		return score{k: k, kind: anyPass}
	case k:
		return score{k: k, kind: allPass}
	}
	return newScore(k, func(j int) float64 { return indicator(j >= r) })
}

// The rows of the table. Each turns parameters into a score.

func passScore(p Params) (score, error)    { return atLeast(p.K, 1), p.checkK() }
func passHatScore(p Params) (score, error) { return atLeast(p.K, max(p.K, 1)), p.checkK() }

// tauScore asks for ceil(tau k) passes, at least one. The small slack keeps 0.28 times 25, which is 7.000000000000001 in floats, at 7.
func tauScore(p Params) (score, error) {
	if !(p.Tau >= 0 && p.Tau <= 1) {
		return score{}, fmt.Errorf("tau is %v: it must be in 0..1", p.Tau)
	}
	if err := p.checkGeneralK(); err != nil {
		return score{}, err
	}
	needed := int(math.Ceil(p.Tau*float64(p.K) - 1e-9))
	return atLeast(p.K, max(1, needed)), nil
}

func majorityScore(p Params) (score, error) {
	if err := p.checkGeneralK(); err != nil {
		return score{}, err
	}
	return atLeast(p.K, p.K/2+1), nil
}

// meanTauScore is mG-Pass: 2/k for every pass beyond ceil(k/2).
func meanTauScore(p Params) (score, error) {
	if err := p.checkGeneralK(); err != nil {
		return score{}, err
	}
	middle := (p.K + 1) / 2
	return newScore(p.K, func(j int) float64 {
		return 2 / float64(p.K) * float64(max(j-middle, 0))
	}), nil
}

// aucScore averages pass@1..pass@k by the trapezoid rule. A draw of k trials
// with j passes is itself a bank of trials, whose pass@i this credits.
func aucScore(p Params) (score, error) {
	if err := p.checkGeneralK(); err != nil {
		return score{}, err
	}
	if p.K == 1 {
		return atLeast(1, 1), nil
	}
	return newScore(p.K, func(j int) float64 {
		area, none := 0., 1.
		for i := range p.K {
			none *= float64(p.K-j-i) / float64(p.K-i)
			none = math.Max(none, 0)
			width := 1.
			if i == 0 || i == p.K-1 {
				width = 0.5
			}
			area += width * (1 - none)
		}
		return area / float64(p.K-1)
	}), nil
}

// spectrumScore credits j passes with the sum of the first j weights.
func spectrumScore(p Params) (score, error) {
	if err := p.checkGeneralK(); err != nil {
		return score{}, err
	}
	if p.Weights == nil {
		return meanTauScore(p)
	}
	if len(p.Weights) != p.K {
		return score{}, fmt.Errorf("the number of weights is %d, but k is %d: give one for each of 1..k", len(p.Weights), p.K)
	}
	credit := make([]float64, p.K+1)
	for j, w := range p.Weights {
		if !(w >= 0) {
			return score{}, fmt.Errorf("weight %d is %v: weights must not be negative", j+1, w)
		}
		credit[j+1] = credit[j] + w
	}
	if !(credit[p.K] <= 1+1e-12) {
		return score{}, errors.New("weights add up to more than 1: give weights with a sum of at most 1")
	}
	return score{k: p.K, credit: credit}, nil
}

// weighed is one test of a categorical metric: its counts, those of its prior outcomes, and how many tests have exactly these.
type weighed struct {
	counts, prior Categories
	trials, tests float64
}

// rewards returns the reward of each category, 0 and 1 by default. It is an error if they are not finite.
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

// weighedRows returns the tests with at least n trials. Without rewards the outcomes are pass and
// fail, and equal tests come once, unless each has a prior of its own.
func (s *Sample) weighedRows(p Params, categories, n int) (rows []weighed, used int, err error) {
	if p.Prior != nil && len(p.Prior) != len(s.rows) {
		return nil, 0, fmt.Errorf("prior rows: %d, tests: %d; give one row per test", len(p.Prior), len(s.rows))
	}
	if p.Prior == nil && s.binary(p) {
		states, used := s.atLeast(n)
		rows = each.Of(states, func(st state) weighed { return weighed{passFail(st.Counts), nil, float64(st.N), st.tests} })
		return rows, used, nil
	}
	if !s.binary(p) && s.categories == nil {
		return nil, 0, errors.New("there are rewards, but no categories of the trials: add them with WithCategories")
	}
	rows = make([]weighed, 0, len(s.rows))
	for i := range s.rows {
		row := s.weighedRow(i, p)
		if err := cmp.Or(fits(row.counts, categories), fits(row.prior, categories)); err != nil {
			return nil, 0, fmt.Errorf("test %d, or its row of R0: %w", i+1, err)
		}
		if row.trials >= float64(max(n, 1)) {
			rows = append(rows, row)
		}
	}
	return rows, len(rows), nil
}

// binary reports whether rewards apply to pass and fail.
func (s *Sample) binary(p Params) bool { return p.W == nil || s.categories == nil && len(p.W) == 2 }

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

// fits is an error if a count is negative or lies in a category without a reward.
func fits(counts Categories, categories int) error {
	for j, n := range counts {
		if n < 0 {
			return fmt.Errorf("category %d has a negative count", j)
		}
		if n > 0 && j >= categories {
			return fmt.Errorf("category %d has no reward: there are rewards for 0 to %d only; give more weights", j, categories-1)
		}
	}
	return nil
}

func (w weighed) observed(j int) float64 { return at(w.counts, j) }

// posterior returns the Dirichlet parameter of category j: one, plus the prior outcomes, plus the trials.
func (w weighed) posterior(j int) float64 { return 1 + at(w.prior, j) + at(w.counts, j) }

func at(counts Categories, j int) float64 {
	if j >= len(counts) {
		return 0
	}
	return float64(counts[j])
}

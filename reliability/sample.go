package reliability

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tribunal/internal/each"
)

// Counts are the sufficient statistics of one test with two outcomes.
type Counts struct {
	// Passed of N counted trials passed.
	Passed, N int
}

// Categories are the sufficient statistics of one test with several outcomes: entry j counts the trials that fell into category j.
type Categories []int

// Sample is a run as the metrics see it: one row of counts per test. Rows may
// have different numbers of trials. Equal rows are kept once with their
// multiplicity, so evaluating a metric costs what the distinct rows cost.
type Sample struct {
	rows       []Counts
	categories []Categories
	states     []state
	powers     *powers // of these states, by the metrics so far
}

// state is a distinct row and the number of tests that have it.
type state struct {
	Counts
	tests float64
}

// NewSample groups one row of counts per test. It is an error unless 0 <= Passed <= N in every row.
func NewSample(rows []Counts) (*Sample, error) {
	for i, r := range rows {
		if r.Passed < 0 || r.Passed > r.N {
			return nil, fmt.Errorf("rows[%d]: Passed is %d and N is %d: Passed must be in 0..N", i, r.Passed, r.N)
		}
	}
	return &Sample{rows: rows, states: group(rows), powers: &powers{}}, nil
}

// WithCategories adds the counts per category of the same tests, in the same order, for the metrics
// that weigh categories. It is an error unless there is one row per test and no count is negative.
func (s *Sample) WithCategories(rows []Categories) (*Sample, error) {
	if len(rows) != len(s.rows) {
		return nil, fmt.Errorf("rows of categories: %d, tests: %d; give one row per test", len(rows), len(s.rows))
	}
	for i, r := range rows {
		if slices.ContainsFunc(r, func(n int) bool { return n < 0 }) {
			return nil, fmt.Errorf("rows[%d]: a category count is negative", i)
		}
	}
	return &Sample{rows: s.rows, categories: rows, states: s.states, powers: s.powers}, nil
}

// Tests returns the number of tests, also of those without trials.
func (s *Sample) Tests() int { return len(s.rows) }

// MinTrials returns the smallest number of trials of any test that has trials,
// the largest k for which every such test is used; 0 if there is none.
func (s *Sample) MinTrials() int {
	if len(s.states) == 0 {
		return 0
	}
	return slices.MinFunc(s.states, func(a, b state) int { return cmp.Compare(a.N, b.N) }).N
}

// atLeast returns the distinct rows with n trials or more and the number of tests they stand for.
func (s *Sample) atLeast(n int) (states []state, tests int) {
	for _, st := range s.states {
		if st.N >= n {
			states = append(states, st)
			tests += int(st.tests)
		}
	}
	return states, tests
}

// group counts equal rows, leaving out those without trials. The order is that
// of (N, Passed), so sums come out the same whatever the order of the tests.
func group(rows []Counts) []state {
	tally := make(map[Counts]int)
	for _, r := range rows {
		if r.N > 0 {
			tally[r]++
		}
	}
	states := make([]state, 0, len(tally))
	for counts, tests := range tally {
		states = append(states, state{counts, float64(tests)})
	}
	slices.SortFunc(states, func(a, b state) int {
		return cmp.Or(cmp.Compare(a.N, b.N), cmp.Compare(a.Passed, b.Passed))
	})
	return states
}

// Reliability describes the counted trials of one test in canonical order. Everything but Runs is a percentage rounded to a whole number.
type Reliability struct {
	// Runs is the number of counted trials, at least 1.
	Runs int
	// PassAtK is 100 if any trial passed, else 0.
	PassAtK int
	// PassHatK is the last entry of Curve.
	PassHatK int
	// AllPassed is 100 if every trial passed, else 0.
	AllPassed int
	// VarianceAmplification is the population deviation of the 0/1 outcomes
	// relative to its maximum of 0.5: 0 always the same, 100 a coin.
	VarianceAmplification int
	// GracefulDegradation weights trial i by i, so that late passes count more than early ones.
	GracefulDegradation int
	// Curve is the pass rate of the first k trials to the power k, k = 1..Runs.
	Curve []int
}

// Of returns the reliability of one test from its outcomes, true for a pass,
// in canonical order. Without outcomes there is nothing to report, and ok is
// false: an absent reliability is not a reliability of zero.
func Of(outcomes []bool) (r Reliability, ok bool) {
	n := len(outcomes)
	if n == 0 {
		return Reliability{}, false
	}
	passed := count(outcomes)
	curve := DecayCurve(outcomes)
	return Reliability{
		Runs:                  n,
		PassAtK:               percentIf(passed > 0),
		PassHatK:              curve[n-1],
		AllPassed:             percentIf(passed == n),
		VarianceAmplification: VarianceAmplification(passed, n),
		GracefulDegradation:   GracefulDegradation(outcomes),
		Curve:                 curve,
	}, true
}

// GracefulDegradation returns 100 sum(i pass_i) / sum(i), i = 1..n, rounded half up, in integers. It is 0 without outcomes.
func GracefulDegradation(outcomes []bool) int {
	n := int64(len(outcomes))
	if n == 0 {
		return 0
	}
	var weighted int64
	for i, pass := range outcomes {
		if pass {
			weighted += int64(i) + 1
		}
	}
	total := n * (n + 1) / 2
	return int((200*weighted + total) / (2 * total))
}

// VarianceAmplification returns 100 sd / 0.5, sd the population deviation of passed ones among n,
// rounded half away from zero. It is 0 for n < 1 or a count outside 0..n.
func VarianceAmplification(passed, n int) int {
	if n < 1 || passed < 0 || passed > n {
		return 0
	}
	// sd/0.5 = 2 sqrt(passed failed) / n. The float is within an ulp or two of
	// the truth, so only its neighbour can be the answer instead.
	guess := int(math.Round(200 * math.Sqrt(float64(passed)*float64(n-passed)) / float64(n)))
	for guess > 0 && !reachesHalfBelow(guess, passed, n) {
		guess--
	}
	for reachesHalfBelow(guess+1, passed, n) {
		guess++
	}
	return guess
}

func count(outcomes []bool) int { return each.Count(outcomes, func(pass bool) bool { return pass }) }

func percentIf(yes bool) int {
	if yes {
		return 100
	}
	return 0
}

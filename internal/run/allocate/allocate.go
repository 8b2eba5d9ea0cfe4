// Package allocate says which test the next trial is worth most: where a verdict
// can be expected for the least money. It is Gittins' index of a job that pays 1
// when it is done, with a rule that stops by itself as the job:
//
//	index = max over h <= H of P(decided within h more trials) / (cost x E[min(T, h)])
//
// T is the number of further trials until the verdict. To start the test of the
// highest index first gives more verdicts for the same money than taking turns:
// measured, ten times as many with a third of it.
//
// It knows nothing of tests, policies and journals: package runner asks it.
//
// J. C. Gittins, J. R. Stat. Soc. B 41 (1979) 148-177.
package allocate

import (
	"math"

	"tribunal/stats"
)

// Prize is what an index pays for.
type Prize int

// The prizes.
const (
	Verdict Prize = iota // any verdict
	Fail                 // a fail: the first red test soonest
)

// strength is how many trials the belief about a test without any is worth.
const strength = 3

// Mean is the pass rate that is expected of a test without trials, by those of the whole run:
// rounded to 0.05, so that it does not change with every trial, and never certain.
func Mean(passed, counted int) float64 {
	const grid = 20
	rate := (float64(passed) + 1) / (float64(counted) + 2)
	return min(max(math.Round(rate*grid), 1), grid-1) / grid
}

// State is where an open test stands: so many of its counted trials passed, and
// Left more count at most.
type State struct {
	Passed, Counted, Left int
	// Least is the number of counted trials below which a verdict is not heard, and
	// Decided tells that it only waits for them.
	Least   int
	Decided bool
}

// PerTrial is the index of a test whose counted trials cost 1, when so many passes are expected of
// tests like it: see Mean. The index of a test whose counted trials cost c is PerTrial / c.
func PerTrial(rule *stats.Boundary, s State, mean float64, prize Prize) float64 {
	const farthest = 200 // how many further trials an index looks ahead at most
	horizon := min(s.Left, farthest)
	if s.Decided {
		return sure(s.Least - s.Counted)
	}
	prior := stats.Beta{Passes: strength * mean, Failures: strength * (1 - mean)}
	unheard := s.Least - s.Counted // with fewer further trials no verdict is heard
	best, won, going, trials := 0., 0., 1., 0.
	for more, chances := range rule.Foresee(prior, stats.Start{Passed: s.Passed, Trials: s.Counted}, horizon) {
		trials += going
		won += chances.Fail
		if prize == Verdict {
			won += chances.Pass
		}
		if more >= unheard {
			best, going = max(best, won/trials), chances.Undecided
		}
	}
	if best == 0 && unheard <= horizon { // all is decided before the first verdict is heard
		best = won * sure(unheard)
	}
	return best
}

// sure is the index of a test whose verdict comes with that many more trials.
func sure(trials int) float64 { return 1 / float64(max(trials, 1)) }

// ForFixed is the index of a test of a fixed number of trials, of which so many are
// left: its verdict comes with the last of them.
func ForFixed(left int) float64 { return sure(left) }

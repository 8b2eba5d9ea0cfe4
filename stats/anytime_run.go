package stats

import "math"

// AnytimeResult is where an anytime-valid test stopped, and the most evidence
// it ever saw.
type AnytimeResult struct {
	Decision Decision
	// Trials is the trial, counted from 1, at which the bound of the decision
	// was first crossed, or the number of outcomes if none was. Passed counts
	// passes up to there.
	Trials, Passed int
	// Overruled is the trial at which the bound of a pass was crossed that a
	// later fail overrides; 0 where there is none.
	Overruled int
	// At holds the log e-values after Trials, Bounds those that stop the test.
	At, Bounds EValues
	// Sup holds the largest log e-values over all outcomes, also those after
	// the stop. Both are at least 0, the e-value of no trial.
	Sup EValues
}

// PFail returns 1/sup EFail, at most 1: a p-value against "the rate is at least
// P0" that is valid at any stopping time and may enter a multiplicity
// adjustment.
func (r AnytimeResult) PFail() float64 { return math.Exp(-r.Sup.LogFail) }

// Run feeds outcomes, true for a pass, to the test. The decision is that of the
// first crossing, unless it is a pass and a fail comes after it; outcomes after
// that only add to Sup.
func (a Anytime) Run(outcomes []bool) AnytimeResult {
	r := AnytimeResult{Bounds: a.Bounds()}
	passed := 0
	a.walk(outcomes, func(trial int, pass bool, e EValues) {
		if pass {
			passed++
		}
		r.Sup.LogFail = math.Max(r.Sup.LogFail, e.LogFail)
		r.Sup.LogPass = math.Max(r.Sup.LogPass, e.LogPass)
		now := a.Decide(e)
		switch {
		case r.Decision == Undecided:
			r.Decision = now
		case r.Decision == Pass && now == Fail:
			r.Decision, r.Overruled = Fail, r.Trials
		default:
			return
		}
		r.Trials, r.Passed, r.At = trial, passed, e
	})
	return r
}

// Path returns the log e-values after each outcome, also beyond the stop, for
// drawing.
func (a Anytime) Path(outcomes []bool) []EValues {
	path := make([]EValues, len(outcomes))
	a.walk(outcomes, func(trial int, _ bool, e EValues) { path[trial-1] = e })
	return path
}

// walk visits the log e-values after each trial, counted from 1.
func (a Anytime) walk(outcomes []bool, visit func(trial int, pass bool, e EValues)) {
	below, above := newMixtureWalk(a.P0), newMixtureWalk(1-a.P1)
	for i, pass := range outcomes {
		visit(i+1, pass, EValues{LogFail: below.add(pass), LogPass: above.add(!pass)})
	}
}

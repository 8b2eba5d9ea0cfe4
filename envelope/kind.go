package envelope

import "slices"

// KindOf is the kind of a judged test.
func (t *Test) KindOf() Kind {
	switch {
	case t.Excused():
		return KindExcused
	case t.Status == Skip:
		return KindSkipped
	case t.Status == Inconclusive:
		return KindUndecided
	case t.Status == Pass && t.Trials.Passed < t.Trials.Counted:
		return KindUnstable
	case t.Status == Pass:
		return KindPassed
	case t.Trials.Counted == 0 || t.Status == Error:
		return KindErrored
	case t.History != nil && t.History.Worse():
		return KindRegressed
	case t.Trials.Passed == 0:
		return KindBroken
	}
	return KindFlaky
}

// Red reports a kind that makes the build red.
func (k Kind) Red() bool {
	return k == KindRegressed || k == KindBroken || k == KindFlaky || k == KindErrored
}

// RunJudgedAlone reports a run that is judged and names no rule for all tests: then tests
// are shown as ever, and the build is that of the run. Under the default rule one failing
// trial of hundreds would fail what was asked to hold 90 %. Where outcomes said how many
// trials there are, the run cannot be judged in the place of its tests.
func (e *Envelope) RunJudgedAlone() bool {
	p := &e.Policy
	return p.RunThreshold.OK && p.Rule == "all" && p.RetryRule == "any" && !p.RuleNamed.V &&
		!slices.ContainsFunc(e.Tests, func(t Test) bool { return t.StoppedByOutcome(&e.Run) })
}

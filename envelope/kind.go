package envelope

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

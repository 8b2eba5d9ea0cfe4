package envelope

// CountingRules are the parts of a policy that decide what one trial counts as.
type CountingRules struct {
	ScoreThreshold  float64 // a trial with a score and no status passes from here
	DetectEmptyRuns bool    // a non-pass with 0 tool calls and no class is an empty run
}

// Classify says what row i counts as, and for an excluded or skipped trial the
// class it is excluded under.
//
//	pass, whatever its class                        counted, passed
//	fail; error with no class or the user's own     counted, not passed
//	timeout with tool calls, or unknown ones        counted, not passed
//	timeout with 0 tool calls (idle-timeout),
//	infrastructure, pre-validation, empty-run       excluded
//	skip                                            excluded from both denominators
func (r *Rows) Classify(i int, rules CountingRules) (Outcome, string) {
	status := r.decide(i, rules)
	switch status {
	case Pass:
		return Passed, ""
	case Skip:
		return Skipped, string(Skip)
	}
	class, calls := r.ErrorClass.At(i), r.ToolCalls.opt(i)
	if rules.DetectEmptyRuns && class == "" && calls.OK && calls.V == 0 {
		return Excluded, ClassEmptyRun
	}
	if shown, excluded := excludedClass(class, calls); excluded {
		return Excluded, shown
	}
	if status == Error {
		return Errored, ""
	}
	return Failed, ""
}

// decide gives a status to a trial that came with a score or a category only.
// A category passes from 1: 0 is the category of failure.
func (r *Rows) decide(i int, rules CountingRules) Status {
	if r.Given[i] != Undecided {
		return r.Given[i].Status()
	}
	passed := false
	if score, ok := r.Score.At(i); ok {
		passed = score >= rules.ScoreThreshold
	} else if category, ok := r.Category.At(i); ok {
		passed = category >= 1
	}
	if passed {
		return Pass
	}
	return Fail
}

func excludedClass(class string, calls Opt[int32]) (shown string, excluded bool) {
	switch class {
	case ClassInfrastructure, ClassPreValidation, ClassEmptyRun:
		return class, true
	case ClassTimeout:
		return ClassIdleTimeout, calls.OK && calls.V == 0
	}
	return "", false
}

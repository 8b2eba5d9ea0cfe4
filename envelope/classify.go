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
	return notPassed(status, r.ErrorClass.At(i), r.ToolCalls.Opt(i), rules)
}

// Classify says what a trial counts as that stands in no rows yet, as
// Rows.Classify does.
func (t *Trial) Classify(rules CountingRules) (Outcome, string) {
	status := t.Status
	if status == "" {
		status = scored(t.Score, t.Category, rules)
	}
	switch status {
	case Pass:
		return Passed, ""
	case Skip:
		return Skipped, string(Skip)
	}
	return notPassed(status, t.ErrorClass, t.ToolCalls, rules)
}

// notPassed says what a trial counts as that neither passed nor was skipped.
func notPassed(status Status, class string, calls Opt[int32], rules CountingRules) (Outcome, string) {
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
func (r *Rows) decide(i int, rules CountingRules) Status {
	if r.Given[i] != Undecided {
		return r.Given[i].Status()
	}
	return scored(r.Score.Opt(i), r.Category.Opt(i), rules)
}

// scored is the status of a trial that came with a score or a category only. A
// category passes from 1: 0 is the category of failure.
func scored(score Opt[float64], category Opt[int32], rules CountingRules) Status {
	if score.OK && score.V >= rules.ScoreThreshold || !score.OK && category.OK && category.V >= 1 {
		return Pass
	}
	return Fail
}

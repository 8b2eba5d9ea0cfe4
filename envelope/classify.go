package envelope

import "slices"

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
//	infrastructure, pre-validation, empty-run,
//	max-error-rate                                  excluded
//	skip                                            excluded from both denominators
func (r *Rows) Classify(i int, rules CountingRules) (Outcome, string) {
	status := r.decide(i, rules)
	switch status {
	case Pass:
		return Passed, ""
	case Skip:
		return Skipped, string(Skip)
	}
	return notPassed(status, r.ErrorClass().At(i), r.ToolCalls().Opt(i), rules)
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

// decide gives a status to a trial that came with a score, a category or checks
// only.
func (r *Rows) decide(i int, rules CountingRules) Status {
	if r.Given[i] != Undecided {
		return r.Given[i].Status()
	}
	score, category := r.Score().Opt(i), r.Category().Opt(i)
	if !score.OK && !category.OK && r.Checks().Any(i) {
		return r.Checks().status(i, rules)
	}
	return scored(score, category, rules)
}

// scored is the status of a trial that came with a score or a category only. A
// category passes from 1: 0 is the category of failure.
func scored(score Opt[float64], category Opt[int32], rules CountingRules) Status {
	if score.OK && score.V >= rules.ScoreThreshold || !score.OK && category.OK && category.V >= 1 {
		return Pass
	}
	return Fail
}

// ClassifyChecks says how each check of each row ended. A score without a status
// passes from the threshold on.
func (r *Rows) ClassifyChecks(rules CountingRules) {
	is := r.Inside()
	is.Checks = slices.Clone(is.Checks) // rows that share them keep their outcomes
	r.SetInside(is)
	for i := range is.Checks {
		c := &is.Checks[i]
		c.Outcome = make([]Outcome, len(c.Given))
		for row, given := range c.Given {
			c.Outcome[row] = c.decided(row, given, rules)
		}
	}
}

func (c *CheckColumn) decided(row int, given Given, rules CountingRules) Outcome {
	if given != Undecided {
		return Outcome(given)
	}
	if scored(c.Score.Opt(row), Opt[int32]{}, rules) == Pass {
		return Passed
	}
	return Failed
}

// status is that of a trial that came with checks alone: it passes when all pass
// that are not skipped, and is a skip where there are none such.
func (c Checks) status(row int, rules CountingRules) Status {
	status := Skip
	for i := range c {
		given := c[i].GivenAt(row)
		if given == Given(NotChecked) {
			continue
		}
		switch c[i].decided(row, given, rules) {
		case Skipped:
		case Passed:
			status = Pass
		default:
			return Fail
		}
	}
	return status
}

package runner

import "tribunal/envelope"

// look takes the trials of a test in the order of their attempts, as far as they
// have ended, until the test ends.
func (s *Scheduler) look(id int) {
	t := s.tests[id]
	if t.pair != nil {
		s.lookAtPairs(t.pair)
		return
	}
	for t.window.len() > 0 && t.window.at(t.window.base).state == ended && t.how == Open {
		a := t.window.pop()
		t.near-- // at most: see Stopping.near
		s.do(Record{id, a.trial})
		s.count(t, a.trial)
		if how, over := s.over(t); over {
			s.end(id, how)
		}
	}
}

// count adds the next trial of a test to what counts of it.
func (s *Scheduler) count(t *test, trial *envelope.Trial) {
	outcome, class := trial.Classify(t.stop.classify)
	if t.pair != nil {
		defer s.join(t.pair, t, looked{outcome, class})
	}
	switch {
	case outcome.Counted():
		t.counted++
		s.counted++
		if outcome == envelope.Passed {
			t.passed++
			s.passed++
		}
		if t.stop.scores != nil {
			t.scores = append(t.scores, trial.Score.Or(t.stop.points(outcome == envelope.Passed)))
		}
		if t.stop.inOrder != nil {
			t.outcomes = append(t.outcomes, outcome == envelope.Passed)
		}
		t.stop.look(&t.tally)
		if t.certain == 0 && !t.stop.rule.Sequential && t.stop.certain(t.tally) {
			t.certain = t.counted
		}
		return
	case outcome == envelope.Skipped:
		t.skipped++
		t.stop, t.near = s.stoppings.upTo(t.stop.ruling, t.stop.trials-1), 0 // of fewer trials
		return
	}
	t.excluded++
	s.excluded++
	switch class {
	case envelope.ClassPreValidation, envelope.ClassErrorRate:
		t.void = true
	case envelope.ClassEmptyRun:
		t.empty++
	default:
		t.replaced++
	}
}

// over reports whether a test ends with the trials that were looked at, and how.
func (s *Scheduler) over(t *test) (How, bool) {
	const emptyRuns = 1 // that are replaced
	switch {
	case t.void:
		return CheckFailed, true
	case t.counted == 0 && t.skipped > 0 && t.skipped >= s.skips(t):
		return Full, true
	}
	if how, over := t.stop.ends(t.tally); over {
		return how, true
	}
	if s.plan.FailFast && t.stop.certain(t.tally) && t.stop.says(t.tally) == envelope.Fail {
		return Early, true
	}
	if t.replaced > s.plan.InfraRetries || t.empty > emptyRuns {
		return Infrastructure, true
	}
	return Open, false
}

// skips is how many trials of a test are skipped before it is skipped: as many as
// it takes to decide, for all of them may run at once.
func (s *Scheduler) skips(t *test) int {
	return s.stoppings.upTo(t.stop.ruling, t.planned).near(tally{excluded: t.excluded}, 1)
}

// end closes a test. What is held of it is no trial, and running trials are ended,
// unless it runs together with others.
func (s *Scheduler) end(id int, how How) {
	t := s.tests[id]
	t.how = how
	s.open--
	if !t.checked {
		t.checked = true
		s.groups[t.group].unchecked--
	}
	if t.told != how {
		s.do(End{id, how, t.status()})
	}
	s.empty(id)
	if s.plan.FailFast && s.halted == nil && t.status() == envelope.Fail {
		s.halt(halt{FirstFail, CutShort, Interrupted}, true)
	}
}

// empty takes out what a test that has ended left in its window. Where it can go
// on in another run, that run needs it as it is.
func (s *Scheduler) empty(id int) {
	t := s.tests[id]
	if t.how.again() {
		return
	}
	for number := t.window.base; number < t.window.next(); number++ {
		switch a := t.window.at(number); {
		case a.state == ended:
			s.do(Beyond{id, a.trial})
		case a.state == running && s.starts == 0:
			s.bury(Place{id, number, int(a.tries) - 1})
		case a.state == running && s.plan.Form == Each:
			s.kill(int(a.slot))
		}
	}
	t.window = window{base: t.window.next()}
	t.idle = 0
}

// status is the one that the trials of an ended test have before any adjusting.
func (t *test) status() envelope.Status {
	if t.pair != nil && t.how != CheckFailed {
		return t.statusOfPairs()
	}
	if t.counted+t.excluded+t.skipped == 0 || t.how == CheckFailed {
		return envelope.Error // it was not tried at all, or not to its end
	}
	if status, unasked := t.stop.unasked(t.counted, t.excluded); unasked {
		return status
	}
	switch {
	case t.stop.scores != nil && (t.how == Full || t.judgedAsIs()):
		return statusOf(t.stop.scores(t.scores))
	case t.stop.scores != nil:
		return envelope.Inconclusive
	case t.stop.inOrder != nil: // a minimum of trials or coverage lets some come after the decision
		return t.stop.inOrder(t.outcomes)
	case t.how == Full || t.how == Early || t.judgedAsIs() || t.stop.certain(t.tally):
		return t.stop.says(t.tally)
	}
	return envelope.Inconclusive // some of a fixed number of trials are missing
}

// judgedAsIs reports a test that a limit ended, under a rule that has two answers.
func (t *test) judgedAsIs() bool {
	return (t.how == Cost || t.how == Time) && t.counted > 0 && !t.stop.rule.ThreeWay
}

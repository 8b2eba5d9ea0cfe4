package runner

import (
	"fmt"

	"tribunal/envelope"
)

func (s *Scheduler) ended(e Ended) {
	r := s.release(e.Slot)
	reported := make(map[int]*envelope.Trial, len(e.Trials))
	for _, t := range e.Trials { // the last one where a runner tried a test again
		reported[t.Test] = t.Trial
	}
	broken := len(r.Trials) > 0 || e.Broken
	if g := s.groups[r.group]; len(r.Trials) > 0 || !e.Broken { // else it has told no test, and is started again
		g.listed = true
	}
	for _, place := range r.Trials {
		trial := reported[place.Test]
		delete(reported, place.Test)
		if trial == nil {
			broken = false
			s.cut(place, Unreached, unreached(e.Unreached))
			continue
		}
		t := s.tests[place.Test]
		_, class := trial.Classify(t.stop.classify)
		broken = broken && class == envelope.ClassInfrastructure
		s.finish(place, trial)
	}
	for _, extra := range e.Trials {
		if reported[extra.Test] == extra.Trial {
			t := s.tests[extra.Test] // it had ended: where it can go on in another run, the trial is held for it
			number := t.window.waiting()
			if t.how.again() {
				t.window.upTo(number).state = ended
			}
			s.beyond(Place{Test: extra.Test, Attempt: number}, extra.Trial)
		}
	}
	pause, down := s.outage.add(broken, r.pauses)
	switch {
	case down || e.Permanent:
		s.halt(halt{InfrastructureDown, CutShort, Interrupted}, true)
	case pause > 0:
		s.do(Pause{pause})
	}
}

// mostUnreached is how many starts in a row may have no result of a test that they were asked for.
const mostUnreached = 3

// unreached is the trial of a test that so many starts did not reach, by what the last of
// them said: never a pass.
func unreached(last *envelope.Trial) *envelope.Trial {
	t := envelope.Trial{Message: "the command printed no trial of this test"}
	if last != nil {
		t = *last
	}
	t.Status, t.ErrorClass = envelope.Error, envelope.ClassPreValidation
	t.Message += fmt.Sprintf("\n%d starts in a row printed no trial of this test", mostUnreached)
	return &t
}

func (s *Scheduler) finish(p Place, trial *envelope.Trial) {
	t := s.tests[p.Test]
	t.inFlight--
	s.inFlight--
	a := t.window.at(p.Attempt)
	if t.how != Open || a == nil {
		s.beyond(p, trial)
		s.refresh(p.Test)
		return
	}
	s.pay(t, trial.CostUSD)
	s.hold(p, a, trial)
	s.refresh(p.Test)
}

// pay notes what an ended trial of a test cost.
func (s *Scheduler) pay(t *test, cost envelope.Opt[float64]) {
	t.spent += s.money.pay(cost)
	if cost.OK {
		t.reported += cost.V
		t.priced++
	}
}

// hold keeps an ended trial until those before it have ended, which may be now.
func (s *Scheduler) hold(p Place, a *attempt, trial *envelope.Trial) {
	s.name(trial, p)
	a.trial, a.state = trial, ended
	if !s.ready(p.Test, p.Attempt) {
		s.do(Hold{p.Test, trial})
		return
	}
	s.takeEnded(p.Test)
}

func (s *Scheduler) name(trial *envelope.Trial, p Place) {
	trial.Key, trial.Attempt = s.tests[p.Test].key, envelope.Some(int32(p.Attempt))
}

// beyond keeps a trial that is behind the end of its test, or was not asked for.
func (s *Scheduler) beyond(p Place, trial *envelope.Trial) {
	s.name(trial, p)
	s.pay(s.tests[p.Test], trial.CostUSD)
	s.do(Beyond{p.Test, trial})
}

// takeEnded takes the trials of a test in the order of their attempts, as far as they
// have ended, until the test ends.
func (s *Scheduler) takeEnded(id int) {
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
		if how, over := s.endOf(t); over {
			s.end(id, how)
		}
	}
}

func (s *Scheduler) count(t *test, trial *envelope.Trial) {
	outcome, class := trial.Classify(t.stop.classify)
	if t.pair != nil {
		defer s.addToPair(t.pair, t, looked{outcome, class})
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

// endOf reports whether a test ends with the trials that were looked at, and how.
func (s *Scheduler) endOf(t *test) (How, bool) {
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
	if s.fits(t) && (how == Time || how == Cost) && t.counted+t.skipped > 0 {
		how = Full
	}
	t.how = how
	s.open--
	if !t.checked {
		t.checked = true
		s.groups[t.group].unchecked--
	}
	if t.recorded != how {
		s.do(End{id, how, t.status()})
	}
	s.clearWindow(id)
	if s.plan.FailFast && s.halted == nil && t.status() == envelope.Fail {
		s.halt(halt{FirstFail, CutShort, Interrupted}, true)
	}
}

// clearWindow takes out what a test that has ended left in its window. Where it can go
// on in another run, that run needs it as it is.
func (s *Scheduler) clearWindow(id int) {
	t := s.tests[id]
	if t.how.again() {
		return
	}
	for number := t.window.base; number < t.window.next(); number++ {
		switch a := t.window.at(number); {
		case a.state == ended:
			s.do(Beyond{id, a.trial})
		case a.state == running && s.starts == 0:
			s.cutEnded(Place{id, number, int(a.tries) - 1})
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

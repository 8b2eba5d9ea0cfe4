package runner

import (
	"fmt"

	"tribunal/envelope"
)

// ended takes what a start has ended with.
func (s *Scheduler) ended(e Ended) {
	r := s.release(e.Slot)
	reported := byTest(e.Trials)
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
			s.extra(extra.Test, extra.Trial)
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

// byTest finds trials by their test; the last one is the trial where a runner
// tried a test again.
func byTest(trials []Reported) map[int]*envelope.Trial {
	if len(trials) == 0 {
		return nil
	}
	by := make(map[int]*envelope.Trial, len(trials))
	for _, t := range trials {
		by[t.Test] = t.Trial
	}
	return by
}

// mostUnreached is how many starts in a row may have no result of a test that they were
// asked for.
const mostUnreached = 3

// unreached is the trial of a test that so many starts did not reach, by what the last of
// them said: never a pass.
func unreached(last *envelope.Trial) *envelope.Trial {
	t := envelope.Trial{Message: "asked for, not reported"}
	if last != nil {
		t = *last
	}
	t.Status, t.ErrorClass = envelope.Error, envelope.ClassPreValidation
	t.Message += fmt.Sprintf("\n%d starts in a row had no result of it", mostUnreached)
	return &t
}

// finish takes a trial that has ended.
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
		t.said += cost.V
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
	s.look(p.Test)
}

func (s *Scheduler) name(trial *envelope.Trial, p Place) {
	trial.Key, trial.Attempt = s.tests[p.Test].key, envelope.Some(int32(p.Attempt))
}

// extra keeps a trial of a sweep that was not asked for, as its test had ended. Where
// that can go on in another run, the trial is held for it.
func (s *Scheduler) extra(id int, trial *envelope.Trial) {
	t := s.tests[id]
	number := t.window.waiting()
	if t.how.again() {
		t.window.upTo(number).state = ended
	}
	s.beyond(Place{Test: id, Attempt: number}, trial)
}

// beyond keeps a trial that is behind the end of its test, or was not asked for.
func (s *Scheduler) beyond(p Place, trial *envelope.Trial) {
	s.name(trial, p)
	s.pay(s.tests[p.Test], trial.CostUSD)
	s.do(Beyond{p.Test, trial})
}

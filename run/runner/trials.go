package runner

import "tribunal/envelope"

// ended takes what a start has ended with.
func (s *Scheduler) ended(e Ended) {
	r := s.release(e.Slot)
	reported := byTest(e.Trials)
	broken := len(r.Trials) > 0 || len(e.Trials) == 0 && e.Missing == envelope.ClassInfrastructure
	if g := s.groups[r.group]; !g.listed && len(r.Trials) == 0 && broken { // it has told no test, and is started again
		g.repeat(r.Number)
	} else {
		g.listed = true
	}
	for _, place := range r.Trials {
		trial := reported[place.Test]
		delete(reported, place.Test)
		if trial == nil {
			trial = missing(e.Missing)
		}
		t := s.tests[place.Test]
		_, class := trial.Classify(t.stop.classify)
		broken = broken && class == envelope.ClassInfrastructure
		s.finish(place, trial)
	}
	for _, extra := range e.Trials {
		if reported[extra.Test] == extra.Trial {
			s.beyond(Place{Test: extra.Test, Attempt: r.Number}, extra.Trial)
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

// missing is a trial that was asked for and is in no output: never a pass.
func missing(class string) *envelope.Trial {
	if class == "" {
		class = envelope.ClassPreValidation
	}
	return &envelope.Trial{Status: envelope.Error, ErrorClass: class, Message: "asked for, not reported"}
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

// beyond keeps a trial that is behind the end of its test, or was not asked for.
func (s *Scheduler) beyond(p Place, trial *envelope.Trial) {
	s.name(trial, p)
	s.pay(s.tests[p.Test], trial.CostUSD)
	s.do(Beyond{p.Test, trial})
}

package runner

import "tribunal/envelope"

// cutOff takes what was ended by us.
func (s *Scheduler) cutOff(e CutOff) {
	r := s.release(e.Slot)
	why := Interrupted
	if s.halted != nil {
		why = s.halted.why
	}
	if r.Check {
		s.unchecked(r.Trials[0].Test)
		return
	}
	cost := e.CostUSD
	if cost.OK && len(r.Trials) > 0 {
		cost.V /= float64(len(r.Trials))
	}
	for _, p := range r.Trials {
		s.cut(p, why, &envelope.Trial{CostUSD: cost, ToolCalls: e.ToolCalls})
	}
}

// cut takes a trial that was cut off, or that its start did not reach. Its attempt is
// started again, but for one that must not be for ever. One that was cut off twice is
// recorded as what it did: an agent that takes the runner down, or that does not end
// before the time of the run is over. One that three starts did not reach is recorded as
// the trial that is given.
func (s *Scheduler) cut(p Place, why Why, trial *envelope.Trial) {
	t := s.tests[p.Test]
	t.inFlight--
	s.inFlight--
	t.spent += s.lost(why, trial.CostUSD)
	a := t.window.at(p.Attempt)
	defer s.refresh(p.Test)
	if t.how != Open || a == nil {
		s.do(Cut{p, TestOver})
		return
	}
	switch a.cut(why); {
	case a.late == mostUnreached:
		s.hold(p, a, trial)
		return
	case a.cuts > 1:
		trial.Status, trial.ErrorClass, trial.Message = envelope.Error, classOf(why), "cut off twice"
		s.hold(p, a, trial)
		return
	}
	t.idle++
	s.do(Cut{p, why})
}

// cut notes that an attempt was cut off and waits to be started again. One that was not
// reached has not been tried.
func (a *attempt) cut(why Why) {
	a.state = waiting
	switch why {
	case Unreached:
		a.late++
		a.tries--
	case Lost, TimeOver:
		a.cuts++
	}
}

// lost is what a trial that was cut off is taken to have cost, which one among others
// that its start did not reach has not.
func (s *Scheduler) lost(why Why, cost envelope.Opt[float64]) float64 {
	if why == Unreached && s.plan.Form != Each {
		return 0
	}
	return s.money.lose(cost)
}

// classOf is the class of a trial that is recorded although it was cut off.
func classOf(why Why) string {
	if why == TimeOver {
		return envelope.ClassTimeout
	}
	return envelope.ClassInfrastructure
}

// wasChecked opens a test, or records the one trial that it will ever have.
func (s *Scheduler) wasChecked(e Checked) {
	r := s.release(e.Slot)
	id := r.Trials[0].Test
	s.unchecked(id)
	t := s.tests[id]
	t.checked = true
	g := s.groups[t.group]
	g.unchecked--
	if e.Failed != nil {
		e.Failed.Status, e.Failed.ErrorClass = envelope.Error, envelope.ClassPreValidation
		s.hold(Place{Test: id}, t.window.upTo(0), e.Failed)
	}
	s.refresh(id)
	if g.unchecked == 0 && s.plan.Form == Batch {
		for _, other := range g.tests {
			s.refresh(other)
		}
	}
}

func (s *Scheduler) unchecked(id int) {
	s.tests[id].checking = false
	s.refresh(id)
}

package runner

import (
	"slices"

	"tribunal/envelope"
)

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
	again := len(r.Trials) == 0
	for _, p := range r.Trials {
		again = s.cut(p, why, &envelope.Trial{CostUSD: cost, ToolCalls: e.ToolCalls}) || again
	}
	if again && s.plan.Form == Sweep {
		s.groups[r.group].repeat(r.Number)
	}
}

// cut takes a trial that was cut off. The second time for the same attempt it is
// recorded as what it did: an agent that takes the runner down must not be started
// for ever, nor one that does not end before the time of the run is over. It
// reports whether the attempt is to be started again.
func (s *Scheduler) cut(p Place, why Why, trial *envelope.Trial) (again bool) {
	t := s.tests[p.Test]
	t.inFlight--
	s.inFlight--
	t.spent += s.money.lose(trial.CostUSD)
	a := t.window.at(p.Attempt)
	defer s.refresh(p.Test)
	if t.how != Open || a == nil {
		s.do(Cut{p, TestOver})
		return false
	}
	if why == Interrupted {
		s.wait(t, a)
		s.do(Cut{p, why})
		return true
	}
	if a.cuts++; a.cuts > 1 {
		trial.Status, trial.ErrorClass, trial.Message = envelope.Error, classOf(why), "cut off twice"
		s.hold(p, a, trial)
		return false
	}
	s.wait(t, a)
	s.do(Cut{p, why})
	return true
}

// wait makes an attempt one that is to be started again.
func (s *Scheduler) wait(t *test, a *attempt) {
	a.state = waiting
	t.idle++
}

// classOf is the class of a trial that is recorded although it was cut off.
func classOf(why Why) string {
	if why == TimeOver {
		return envelope.ClassTimeout
	}
	return envelope.ClassInfrastructure
}

// repeat notes that a start of a sweep is to be started again.
func (g *group) repeat(number int) {
	if i, found := slices.BinarySearch(g.again, number); !found {
		g.again = slices.Insert(g.again, i, number)
	}
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

package runner

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/each"
)

// Line is what a journal holds of a run: a Start, and the actions Hold, Record,
// Beyond, Cut and End.
type Line interface {
	test() int // its one test, or several
}

const several = -1

func (Start) test() int    { return several }
func (l Hold) test() int   { return l.Test }
func (l Record) test() int { return l.Test }
func (l Beyond) test() int { return l.Test }
func (l Cut) test() int    { return l.Test }
func (l End) test() int    { return l.Test }

// Recover tells a line of the journal of this run, in their order and before
// Begin: those that were written, and no others, have happened. The error is that
// of a line that no run of this plan has written.
func (s *Scheduler) Recover(line Line) error {
	if of := line.test(); of != several {
		if err := s.known(of); err != nil {
			return err
		}
	}
	switch l := line.(type) {
	case Start:
		return s.recoverStart(l)
	case Hold:
		return s.recoverTrial(l.Test, l.Trial, "held", func(t *test, a *attempt) { a.state, a.trial = ended, l.Trial })
	case Beyond:
		return s.recoverBeyond(l)
	case Record:
		return s.recoverRecord(l)
	case Cut:
		return s.recoverCut(l)
	case End:
		s.tests[l.Test].recorded = l.How
	}
	return nil
}

func (s *Scheduler) known(test int) error {
	if test < 0 || test >= len(s.tests) {
		return fmt.Errorf("the journal names a test that the run does not have: number %d of %d", test, len(s.tests))
	}
	return nil
}

func (s *Scheduler) recoverStart(r Start) error {
	if s.plan.Form != Each && !r.Check {
		g := s.groups[s.group(s.groupKey(r.Group))]
		if g.listed {
			g.starts = max(g.starts, r.Number+1)
		}
	}
	for _, p := range r.Trials {
		if err := s.known(p.Test); err != nil {
			return err
		}
		t := s.tests[p.Test]
		a := t.window.at(p.Attempt)
		switch {
		case r.Check:
		case p.Attempt < t.window.base || a != nil && a.state != waiting:
			return fmt.Errorf("the journal starts attempt %d of %s again, although its first start did not end", p.Attempt+1, t.key)
		default:
			t.checked = true
			a = t.window.upTo(p.Attempt)
			a.state, a.tries = running, int16(p.Try+1)
			t.inFlight++
			s.inFlight++
		}
	}
	return nil
}

func (s *Scheduler) recoverTrial(id int, trial *envelope.Trial, what string, take func(*test, *attempt)) error {
	t := s.tests[id]
	number := int(trial.Attempt.Or(-1))
	if number < t.window.base {
		return fmt.Errorf("the journal has attempt %d of %s %s after attempt %d", number+1, t.key, what, t.window.base)
	}
	a := t.window.upTo(number)
	if a.state == running {
		t.inFlight--
		s.inFlight--
	}
	if a.state != ended {
		s.pay(t, trial.CostUSD)
	}
	take(t, a)
	return nil
}

// recoverBeyond takes a trial behind the end of its test. Sweeps go on behind the
// end of a test that had no money left: where it goes on now, those are held.
func (s *Scheduler) recoverBeyond(l Beyond) error {
	t := s.tests[l.Test]
	number := int(l.Trial.Attempt.Or(-1))
	if s.plan.Form == Sweep && t.recorded.again() && number >= t.window.base {
		return s.recoverTrial(l.Test, l.Trial, "beyond", func(_ *test, a *attempt) { a.state, a.trial = ended, l.Trial })
	}
	if a := t.window.at(number); a == nil || t.recorded == Open {
		s.pay(t, l.Trial.CostUSD)
		return nil
	}
	return s.recoverTrial(l.Test, l.Trial, "beyond", func(_ *test, a *attempt) { a.state, a.trial = waiting, nil })
}

func (s *Scheduler) recoverRecord(l Record) error {
	if t, number := s.tests[l.Test], int(l.Trial.Attempt.Or(-1)); number > t.window.base {
		return fmt.Errorf("the journal has attempt %d of %s in the stream before attempt %d", number+1, t.key, t.window.base+1)
	}
	return s.recoverTrial(l.Test, l.Trial, "in the stream", func(t *test, a *attempt) {
		t.checked = true
		t.window.pop()
		s.count(t, l.Trial)
	})
}

func (s *Scheduler) recoverCut(l Cut) error {
	t := s.tests[l.Test]
	a := t.window.at(l.Attempt)
	if a == nil || a.state != running {
		return fmt.Errorf("the journal ends attempt %d of %s, which is not running", l.Attempt+1, t.key)
	}
	a.cut(l.Why)
	t.inFlight--
	s.inFlight--
	t.spent += s.lostCost(l.Why, envelope.Opt[float64]{})
	return nil
}

// Begin ends the telling of the journal, which for a new run has told nothing, and
// returns what is to be done before the first start: what ran when the journal
// ended is cut off as lost, what was held may be recorded, and tests that a limit
// or a halt had ended are open again. When nothing is left the run stops at once.
func (s *Scheduler) Begin() []Action {
	s.actions = s.actions[:0]
	s.begun = true
	s.recoverPairs()
	for _, t := range s.tests {
		t.how = s.resumed(t)
		if t.how == Open {
			s.open++
		}
	}
	for id, t := range s.tests {
		if t.how == Open {
			s.reopen(id)
		} else {
			s.close(id)
		}
	}
	for _, g := range s.groups {
		g.unchecked = each.Count(g.tests, func(id int) bool { return s.tests[id].how == Open && !s.tests[id].checked })
	}
	for id := range s.tests {
		s.refresh(id)
	}
	s.lookAtRounds()
	s.settle()
	return s.actions
}

func (s *Scheduler) resumed(t *test) How {
	if t.recorded == Infrastructure || t.recorded == CheckFailed || t.recorded == Full && s.fits(t) {
		return t.recorded // whatever may be replaced now: what came behind is no trial
	}
	if t.pair != nil {
		return t.pair.how
	}
	how, _ := s.endOf(t)
	return how
}

// reopen cuts off what ran of a test, and looks at what may be looked at now. An end that
// a limit made is taken back with the journal's, and has to be told again.
func (s *Scheduler) reopen(id int) {
	t := s.tests[id]
	t.idle, t.recorded = 0, Open
	for _, a := range t.window.ring[t.window.head:] {
		if a.state == waiting {
			t.idle++
		}
	}
	for number := t.window.base; number < t.window.next() && t.how == Open; number++ {
		if a := t.window.at(number); a != nil && a.state == running {
			s.cut(Place{id, number, int(a.tries) - 1}, Lost, &envelope.Trial{})
		}
	}
	if t.how == Open {
		s.takeEnded(id)
	}
}

// close says what the journal does not say of a test that has ended.
func (s *Scheduler) close(id int) {
	t := s.tests[id]
	if t.recorded != t.how {
		s.do(End{id, t.how, t.status()})
	}
	for number := t.window.base; number < t.window.next(); number++ {
		switch a := t.window.at(number); a.state {
		case ended:
			s.do(Beyond{id, a.trial})
		case running:
			s.cutEnded(Place{id, number, int(a.tries) - 1})
		}
	}
	t.window = window{base: t.window.next()}
}

// cutEnded cuts off what ran when the journal ended, of a test that has ended.
func (s *Scheduler) cutEnded(p Place) {
	t := s.tests[p.Test]
	t.inFlight--
	s.inFlight--
	t.spent += s.money.lose(envelope.Opt[float64]{})
	s.do(Cut{p, TestOver})
}

package runner

import "slices"

func haltOf(why HaltWhy) halt {
	switch why {
	case ByTime:
		return halt{TimeIsOver, Time, TimeOver}
	case BySetup:
		return halt{SetupFailed, NoSetup, Interrupted}
	}
	return halt{Stopped, CutShort, Interrupted}
}

// halt stops all starts, and what runs if that is not to end by itself. The first
// reason is the one that is told.
func (s *Scheduler) halt(h halt, now bool) {
	if s.halted == nil {
		s.halted = &h
	}
	if !now {
		return
	}
	for slot := range s.slots {
		s.kill(slot)
	}
}

// kill asks once for the end of what runs in a slot.
func (s *Scheduler) kill(slot int) {
	if r := s.slots[slot]; r != nil && !r.killed {
		r.killed = true
		s.do(Kill{slot})
	}
}

// settle ends what ends when nothing runs any more.
func (s *Scheduler) settle() {
	if s.stopped || s.starts > 0 || s.outage.paused && s.halted == nil {
		return
	}
	switch {
	case s.halted != nil:
		s.stop(s.halted.run, s.halted.how)
	case s.open == 0 && !s.lists():
		s.stop(Finished, Open)
	case !s.money.allows(0):
		s.stop(MoneySpent, Cost)
	}
}

// lists reports a sweep whose tests are not known.
func (s *Scheduler) lists() bool {
	return slices.ContainsFunc(s.groups, func(g *group) bool { return !g.listed })
}

// stop ends the tests that are open, and the run.
func (s *Scheduler) stop(run RunEnd, how How) {
	s.stopped = true
	for id, t := range s.tests {
		if t.how == Open {
			s.end(id, how)
		}
	}
	s.do(Stop{run})
}

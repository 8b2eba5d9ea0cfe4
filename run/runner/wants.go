package runner

// refresh works out what a test may start, after anything of it has changed, and what its
// partner may.
func (s *Scheduler) refresh(id int) {
	s.refreshOne(id)
	if p := s.tests[id].pair; p != nil {
		s.refreshOne(p.partner(id))
	}
}

func (s *Scheduler) refreshOne(id int) {
	t := s.tests[id]
	if !s.told {
		return
	}
	if t.how == Open && t.inFlight == 0 && !t.checking && !s.money.allowsTest(t) {
		s.end(id, Cost)
	}
	if t.how == Open {
		t.near = s.room(t)
	}
	if s.plan.Form != Sweep {
		wants := s.wants(t)
		priority := t.priority
		if wants {
			priority = s.plan.Order.priority(s, id)
		}
		s.queue.update(id, wants, priority)
	}
}

// room is how many attempts a test may have in its window.
func (s *Scheduler) room(t *test) int {
	if t.pair != nil {
		return s.roomOfPairs(t.pair, t)
	}
	near := t.stop.near(t.tally, t.near)
	if t.counted == 0 && t.skipped > 0 {
		near = min(near, s.skips(t)-t.skipped)
	}
	return near
}

// wants reports whether a test may be started.
func (s *Scheduler) wants(t *test) bool {
	switch {
	case t.how != Open || t.checking:
		return false
	case !t.checked:
		return true
	case s.plan.Form == Batch && s.groups[t.group].unchecked > 0:
		return false
	}
	if t.idle == 0 && t.pair != nil && t.window.next() > s.partnerOf(t).window.next() {
		return false // its partner is next
	}
	return t.idle > 0 || t.window.len() < t.near
}

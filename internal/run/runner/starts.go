package runner

import (
	"slices"
	"time"

	"tribunal/envelope"
)

// Next returns the next start, for which there is a place, money and a test that
// may run. It is false when there is none before the next event. The driver writes
// the start down before anything of it runs.
func (s *Scheduler) Next() (Start, bool) {
	if !s.begun || s.stopped || s.halted != nil || s.outage.paused || s.starts == len(s.slots) || !s.money.allows(s.inFlight, s.together()) {
		return Start{}, false
	}
	if s.plan.Form == Sweep {
		return s.nextSweep()
	}
	for s.queue.Len() > 0 {
		id := s.queue.of[0]
		t := s.tests[id]
		switch {
		case !t.checked:
			return s.startCheck(id), true
		case !s.money.allowsTest(t): // until one of its trials ends
			s.queue.update(id, false, t.priority)
		case s.plan.Form == Batch:
			return s.startGroup(t.group, s.due(id)), true
		default:
			return s.launch(t.group, Start{Number: t.window.waiting(), Trials: []Place{{Test: id}}}), true
		}
	}
	return Start{}, false
}

// launch gives a start its slot and its trials their tries.
func (s *Scheduler) launch(group int, r Start) Start {
	for s.slots[r.Slot] != nil {
		r.Slot++
	}
	g := s.groups[group]
	r.Group = g.key
	g.running++
	s.starts++
	s.slots[r.Slot] = &start{Start: r, group: group, pauses: s.outage.pauses}
	if r.Check {
		return r
	}
	for i := range r.Trials {
		p := &r.Trials[i]
		p.Attempt = s.tests[p.Test].window.waiting()
		p.Try = s.run(p.Test, r.Slot, p.Attempt)
		s.refresh(p.Test)
	}
	return r
}

// run notes that an attempt runs and returns which try of it that is.
func (s *Scheduler) run(id, slot, number int) (try int) {
	t := s.tests[id]
	if number < t.window.next() {
		t.idle--
	}
	t.idle += max(0, number-t.window.next())
	a := t.window.upTo(number)
	a.state, a.slot = running, int32(slot)
	a.tries++
	t.inFlight++
	s.inFlight++
	return int(a.tries) - 1
}

func (s *Scheduler) startCheck(id int) Start {
	t := s.tests[id]
	t.checking = true
	r := s.launch(t.group, Start{Check: true, Trials: []Place{{Test: id}}})
	s.refresh(id)
	return r
}

func (s *Scheduler) startGroup(group int, tests []Place) Start {
	g := s.groups[group]
	r := Start{Number: g.starts, Trials: tests}
	if g.listed {
		g.starts++
	}
	if s.plan.Form == Batch {
		s.fit(g, &r)
	}
	return s.launch(group, r)
}

// due are the tests of a batch that may run and are as far as the one whose turn it is:
// those that the start before did not reach are started again without the others, and
// what two did not reach alone, so that it is seen which of them keeps others from it.
func (s *Scheduler) due(first int) (due []Place) {
	late := s.tests[first].late()
	if late == mostUnreached-1 {
		return []Place{{Test: first}}
	}
	for _, id := range s.groups[s.tests[first].group].tests {
		if t := s.tests[id]; s.wants(t) && s.money.allowsTest(t) && t.late() == late && s.money.holds(s.inFlight+len(due), 1) {
			due = append(due, Place{Test: id})
		}
	}
	return due
}

func (t *test) late() uint8 {
	if a := t.window.at(t.window.waiting()); a != nil {
		return a.late
	}
	return 0
}

// fit leaves the trials to a start that it can name, first those of the tests with
// the fewest: the others have the next start.
func (s *Scheduler) fit(g *group, r *Start) {
	fits := func() int { r.Group = g.key; return max(1, s.plan.Fits(*r)) }
	if s.plan.Fits == nil || fits() >= len(r.Trials) {
		return
	}
	slices.SortStableFunc(r.Trials, func(a, b Place) int { return s.tests[a.Test].window.waiting() - s.tests[b.Test].window.waiting() })
	r.Trials = r.Trials[:min(fits(), len(r.Trials))]
}

// nextSweep starts the sweep that was started least often of those that may run.
func (s *Scheduler) nextSweep() (Start, bool) {
	best := -1
	for i, g := range s.groups {
		if id, found := s.nextCheck(g); found {
			return s.startCheck(id), true
		}
		if s.sweeps(g) && (best < 0 || g.starts < s.groups[best].starts) {
			best = i
		}
	}
	if best < 0 {
		return Start{}, false
	}
	var open []Place
	for _, id := range s.groups[best].tests {
		if s.tests[id].how == Open {
			open = append(open, Place{Test: id})
		}
	}
	return s.startGroup(best, open), true
}

// nextCheck finds a test of a sweep whose check has not begun.
func (s *Scheduler) nextCheck(g *group) (id int, found bool) {
	if g.unchecked == 0 {
		return 0, false
	}
	for _, id := range g.tests {
		if t := s.tests[id]; t.how == Open && !t.checked && !t.checking {
			return id, true
		}
	}
	return 0, false
}

// sweeps reports whether a sweep may be started: as long as some open test has fewer attempts ahead
// than can decide it. A sweep whose tests are not known runs alone.
func (s *Scheduler) sweeps(g *group) bool {
	if !g.listed {
		return g.running == 0
	}
	if g.unchecked > 0 {
		return false
	}
	return slices.ContainsFunc(g.tests, func(id int) bool {
		t := s.tests[id]
		return t.how == Open && (t.idle > 0 || t.window.len() < t.near) && s.money.allowsTest(t)
	})
}

// Limits are in US dollars; absent ones are none. CostPerTrialUSD is what a trial
// is taken to cost before any has said it.
type Limits struct {
	MaxCostUSD, MaxCostPerTestUSD, CostPerTrialUSD envelope.Opt[float64]
	SpentUSD                                       float64 // before the run
}

// budget knows what was spent and what what runs will cost at most, as far as the
// trials so far can tell. Trials that do not say their cost are free.
type budget struct {
	limits  Limits
	spent   float64
	largest envelope.Opt[float64]
	known   int // trials that said their cost
	ended   int // trials, with or without a cost
	said    float64
}

// pay takes an ended trial and returns what it cost.
func (p *budget) pay(cost envelope.Opt[float64]) float64 {
	p.ended++
	if !cost.OK {
		return 0
	}
	p.known++
	p.said += cost.V
	p.spent += cost.V
	p.largest = envelope.Some(max(cost.V, p.largest.Or(cost.V)))
	return cost.V
}

// lose takes a trial that was cut off: what it cost, or the mean.
func (p *budget) lose(cost envelope.Opt[float64]) float64 {
	v := cost.Or(p.mean())
	p.spent += v
	return v
}

func (p *budget) mean() float64 {
	if p.known == 0 {
		return p.limits.CostPerTrialUSD.Or(0)
	}
	return p.said / float64(p.known)
}

// reserve is what one more running trial is taken to cost.
func (p *budget) reserve() float64 {
	if p.known > 0 {
		return p.largest.V
	}
	return p.limits.CostPerTrialUSD.Or(0)
}

// together is how many trials the next start pays for.
func (s *Scheduler) together() int {
	if s.plan.Form != Sweep {
		return 1
	}
	return max(1, len(s.tests)/len(s.groups))
}

// allows reports whether the run has money for one more start, of so many trials.
func (p *budget) allows(inFlight, trials int) bool {
	limited := p.limits.MaxCostUSD.OK || p.limits.MaxCostPerTestUSD.OK
	if limited && inFlight > 0 && p.ended == 0 && !p.limits.CostPerTrialUSD.OK {
		return false // nobody knows what a trial costs: the first one runs alone
	}
	return p.holds(inFlight, trials)
}

// holds reports whether the limit of the run still holds after so many more trials than those that run.
func (p *budget) holds(inFlight, trials int) bool {
	each, limit := p.reserve(), p.limits.MaxCostUSD
	more, spent := each*float64(trials), p.spent+float64(inFlight)*each
	if p.known > 0 { // trials of one start differ, so they cost their mean
		more = max(each, p.said/float64(p.ended)*float64(trials))
	}
	return within(spent, limit) && (!limit.OK || spent+more <= limit.V+cent*limit.V)
}

func (p *budget) allowsTest(t *test) bool {
	return within(t.spent+float64(t.inFlight)*p.reserve(), p.limits.MaxCostPerTestUSD)
}

// cent is the share of a limit that sums of decimals may be short of it: 50 times
// 0.10 is 5.00, whatever floats make of it.
const cent = 1e-9

func within(spent float64, limit envelope.Opt[float64]) bool {
	return !limit.OK || spent < limit.V-cent*limit.V
}

var haltOf = map[HaltWhy]halt{
	ByUser: {Stopped, CutShort, Interrupted}, ByTime: {TimeIsOver, Time, TimeOver}, BySetup: {SetupFailed, NoSetup, Interrupted},
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
	case !s.money.allows(0, s.together()):
		s.stop(MoneySpent, Cost)
	}
}

// lists reports a sweep whose tests are not known.
func (s *Scheduler) lists() bool {
	return slices.ContainsFunc(s.groups, func(g *group) bool { return !g.listed })
}

func (s *Scheduler) stop(run RunEnd, how How) {
	s.stopped = true
	for id, t := range s.tests {
		if t.how == Open {
			s.end(id, how)
		}
	}
	switch again := slices.ContainsFunc(s.tests, func(t *test) bool { return t.how.again() }); {
	case again && run == Finished:
		run = MoneySpent // of a test
	case (how == Time || how == Cost) && !s.lists() && !again:
		run = Finished // the limit was the plan
	}
	s.do(Stop{run})
}

const (
	rowPauses = 5  // starts in a row that ended by infrastructure, and pause the run
	rowEnds   = 10 // those that end it
	longPause = time.Minute
)

// outage counts starts in a row that ended by infrastructure, over all tests.
// Those that ran already when a pause began say nothing new: they are not counted.
type outage struct {
	inRow  int
	pauses int
	paused bool
}

// add takes an ended start that began after so many pauses. It returns the longest time of a pause
// that begins with it, 0 for none, and whether the infrastructure is taken to be down.
func (o *outage) add(broken bool, pauses int) (pause time.Duration, down bool) {
	switch {
	case !broken:
		o.inRow = 0
		return 0, false
	case pauses < o.pauses:
		return 0, false
	}
	o.inRow++
	if o.inRow < rowPauses {
		return 0, false
	}
	o.pauses++
	o.paused = true
	return min(time.Second<<(o.inRow-rowPauses), longPause), o.inRow >= rowEnds
}

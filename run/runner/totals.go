package runner

import "tribunal/envelope"

// Progress is where a test stands.
type Progress struct {
	Key     envelope.Key
	Started int // attempts that run or have ended
	Running int
	Held    int // ended behind one that still runs
	Counted int
	Passed  int
	// Excluded trials were tried and do not count; Skipped ones were not tried.
	Excluded, Skipped int
	Trials            int // that count at most
	// Near is the fewest further counted trials that can end the test, 0 when it
	// has ended.
	Near     int
	SpentUSD float64
	How      How
	Certain  bool // no further trial changes its verdict, and it goes on to its number of trials
}

// Progress is where a test stands.
func (s *Scheduler) Progress(id int) Progress {
	t := s.tests[id]
	p := Progress{
		Key: t.key, Started: t.window.next() - t.idle, Running: t.inFlight, Held: t.window.len() - t.idle - t.inFlight,
		Counted: t.counted, Passed: t.passed, Excluded: t.excluded, Skipped: t.skipped, Trials: t.stop.trials,
		SpentUSD: t.spent, How: t.how, Certain: t.certain > 0 && t.pair == nil,
	}
	if t.how == Open {
		p.Near = t.near
	}
	return p
}

// Index is the index of an open test under an order by value; 0 under others.
func (s *Scheduler) Index(id int) float64 {
	v, is := s.plan.Order.(*byValue)
	if !is || s.tests[id].how != Open {
		return 0
	}
	return v.index(s, id)
}

// Needs are the fewest further trials after which a pass of an open test is certain
// if all of them pass, and a fail if all of them fail; 0 where there is no such
// number.
func (s *Scheduler) Needs(id int) (passes, failures int) {
	t := s.tests[id]
	if t.how != Open || t.pair != nil {
		return 0, 0
	}
	return t.stop.needs(t.tally)
}

// Totals are those of the run so far.
type Totals struct {
	Tests, Ended int
	// Planned are the most trials that could count, Counted those that do. Saved
	// are those that were not run as their tests had their verdicts.
	Planned, Counted, Saved int
	// EarlySaves are the trials of tests of a fixed number that were run when
	// nothing could change their verdicts any more: what stopping early would have
	// saved on these outcomes.
	EarlySaves int
	Running    int // trials
	Redrawn    int // attempts that were started again after they had been cut off
	// SpentUSD and MeanUSD are absent until a trial says its cost.
	SpentUSD, MeanUSD envelope.Opt[float64]
}

// Totals are those of the run so far.
func (s *Scheduler) Totals() Totals {
	out := Totals{Tests: len(s.tests), Ended: len(s.tests) - s.open, Running: s.inFlight, Redrawn: s.redrawn}
	for _, t := range s.tests {
		out.Planned += t.planned
		out.Counted += t.counted
		switch {
		case t.how == Decided || t.how == Early:
			out.Saved += t.stop.trials - t.counted
		case t.how == Full && t.certain > 0 && t.pair == nil:
			out.EarlySaves += t.counted - t.certain
		}
	}
	if s.money.known > 0 {
		out.SpentUSD, out.MeanUSD = envelope.Some(s.money.spent), envelope.Some(s.money.mean())
	}
	return out
}

// Sequential reports whether a test stops at its verdict, by its rule or by its pairs.
func (s *Scheduler) Sequential(id int) bool {
	return s.tests[id].pair != nil || s.tests[id].stop.rule.Sequential
}

// Costs are how many trials ended, and how many of them said what they cost.
func (s *Scheduler) Costs() (ended, told int) { return s.money.told, s.money.known }

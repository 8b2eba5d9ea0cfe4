// Package runner decides which trials a run starts, which of them count and when
// it is over. It starts nothing itself: it has no clock, no process, no file and no
// goroutine. A driver tells it what happened, and it answers with what to do, so
// that all of it can be simulated, with crashes at any moment.
//
// # The three laws
//
// Start order. Trials of a test are looked at in the order of their attempts, never
// of their ends: attempt k counts when 0 to k-1 have ended. Failures often take
// longer than passes, or shorter. Who looks at trials as they end sees the quick
// ones first, and a sequential rule then decides wrongly far more often than it
// promises.
//
// No trial in vain. A test has never more trials in flight than the fewest that can
// decide it (see Stopping.Near), less those that are held. So none of it runs when
// its verdict falls, however many may run at once; free places go to other tests.
// What was in flight is ended only where a test ends for another reason: it could
// not be tried, its trials had to be replaced too often, or a skip took one of them
// away.
//
// The journal is the run. What is written down (starts, and the actions that are
// lines) is all that a scheduler needs to go on (see Scheduler.Recover), and a
// reader of it counts of each test exactly the trials that one at a time would
// have had. Decisions come from verdict.DecideFor and stats.Boundary, and nowhere
// else.
//
// # Driving it
//
// Make a Scheduler with New, tell it the lines of an unfinished journal with
// Recover, and perform what Begin returns. Then, until Stop comes: start what Next
// returns, as long as it returns something and the rate of starts allows; wait
// until something happens; tell it to Step; perform the actions that it returns in
// their order. A line is to be safe in the journal before anything that depends on
// it: a Start before its process exists, the others before the next start. The
// example is such a driver.
//
// # What a trial does to its test
//
// A trial counts as package envelope says. An excluded one takes its place in the
// order and is replaced by a new attempt behind the others: Plan.InfraRetries times
// where the infrastructure broke it or it timed out idle, once where it was an empty
// run. Then the test has ended. A trial of the class pre-validation ends it at once.
// What the test itself did is never tried again: neither a failure, nor a skip,
// which takes one of the trials of the test away. A test of which nothing counts
// and that was skipped as often as could have decided it is over.
//
// An attempt that was cut off is no trial and is started again under its number, now
// or by the run that goes on with the journal. The second time, unless somebody
// asked for it, it is recorded: as infrastructure where the runner died, as a timeout
// where the time of the run was over.
//
// # Pairs
//
// With Plan.Pairs two variants of each test are compared while their trials are
// started (see Pairs). The laws are the same, for pairs: they are looked at in the order
// of their attempts, none is started of a test that is decided, and the journal is all
// that it takes to go on. Decisions come from a Comparison, and nowhere else.
//
// This package leaves out what needs a clock or a process: rates of starts, waiting,
// ending what runs, reading what it said, writing the journal; and the words of
// reports, which are made from the journal alone.
package runner

import (
	"fmt"

	"tribunal/envelope"
)

// Scheduler decides what a run starts, what of it counts and when it is over. It
// is not for several goroutines at once.
type Scheduler struct {
	plan      Plan
	stoppings *stoppings
	tests     []*test
	ids       map[envelope.Key]int
	groups    []*group
	groupIDs  map[envelope.Key]int
	queue     queue
	slots     []*start // what runs, by slot
	starts    int      // that run
	inFlight  int      // trials that run
	open      int      // tests that have not ended
	money     budget
	outage    outage
	halted    *halt
	stopped   bool
	told      bool // Begin was called: the journal has said what it holds
	redrawn   int
	// Of a run of pairs: its tests, and the rounds that were looked at.
	pairs      []*pair
	comparison Comparison
	rounds     int
	// The trials in the streams of all tests.
	counted, passed, excluded int
	actions                   []Action
}

type test struct {
	key      envelope.Key
	stop     *Stopping
	planned  int // trials that count at most, before any was skipped
	group    int
	rank     int // among all tests, by key
	priority float64
	queued   int // place in the queue

	checked, checking bool
	tally
	skipped  int
	replaced int // excluded trials that --infra-retries pays for
	empty    int // empty runs
	void     bool
	scores   []float64 // of the counted trials, where scores decide
	outcomes []bool    // of the counted trials, where their order decides
	window   window
	idle     int // attempts in the window that wait to be started
	inFlight int
	near     int
	certain  int // counted trials after which no further one could change the verdict
	spent    float64
	said     float64 // cost of the trials that say it
	priced   int     // these
	how      How
	told     How // its last end in the journal
	pair     *pair
}

// group is what a start can hold: the tests of a batch or of a sweep.
type group struct {
	key       envelope.Key
	tests     []int
	unchecked int
	starts    int // so far, without those of a sweep that told no test
	running   int
	listed    bool // its tests are known
}

// start is what runs in a slot.
type start struct {
	Start
	group  int
	pauses int // of the run, before it began
	killed bool
}

// halt is why nothing more is started.
type halt struct {
	run RunEnd
	how How // of the tests that are open
	why Why // of what is cut off
}

// New makes the scheduler of a plan. The error lists what the plan asks for and
// cannot have, each with what to do; nothing has been started then.
func New(plan Plan) (*Scheduler, error) {
	plan = plan.normal()
	if err := plan.check(); err != nil {
		return nil, err
	}
	s := &Scheduler{
		plan: plan, stoppings: newStoppings(plan), ids: map[envelope.Key]int{}, groupIDs: map[envelope.Key]int{},
		slots: make([]*start, plan.Places), money: budget{limits: plan.Limits},
	}
	if err := s.add(plan.Tests); err != nil {
		return nil, err
	}
	if err := s.pairUp(); err != nil {
		return nil, err
	}
	if plan.Form == Sweep && len(plan.Tests) == 0 {
		if err := plan.checkUnlisted(); err != nil {
			return nil, err
		}
		for _, variant := range plan.Sweeps {
			s.groups[s.group(envelope.Key{Variant: variant})].listed = false
		}
	}
	return s, nil
}

// List tells the tests of a sweep, by the variant that was started, once its first
// output is there and before its end is told. The error is that of New.
func (s *Scheduler) List(variant string, tests []Test) error {
	id := s.group(s.groupKey(envelope.Key{Variant: variant}))
	g := s.groups[id]
	from := len(s.tests)
	if err := s.add(tests); err != nil {
		return err
	}
	g.listed, g.starts = true, max(g.starts, 1)
	if !s.told {
		return nil
	}
	for slot, r := range s.slots {
		if r == nil || r.group != id || r.Check {
			continue
		}
		for test := from; test < len(s.tests); test++ {
			r.Trials = append(r.Trials, Place{test, 0, s.run(test, slot, 0)})
		}
	}
	for id := from; id < len(s.tests); id++ {
		s.open++
		s.refresh(id)
	}
	return nil
}

// Find is the number of a test, by which events and actions name it: its place in
// Plan.Tests, and behind them those of List.
func (s *Scheduler) Find(key envelope.Key) (test int, ok bool) {
	test, ok = s.ids[key]
	return test, ok
}

// Step takes an event and returns what is to be done, in this order. The actions
// are valid until the next call. After it Next may have something to start, unless
// the last action is Stop.
func (s *Scheduler) Step(e Event) []Action {
	s.actions = s.actions[:0]
	switch e := e.(type) {
	case Ended:
		s.ended(e)
	case CutOff:
		s.cutOff(e)
	case Checked:
		s.wasChecked(e)
	case Continue:
		s.outage.paused = false
	case Halt:
		s.halt(haltOf(e.Why), e.Now || e.Why == ByTime)
	}
	s.lookAtRounds()
	if s.plan.Order.drifted(s) {
		s.reorder()
	}
	s.settle()
	return s.actions
}

func (s *Scheduler) do(a Action) { s.actions = append(s.actions, a) }

// release frees a slot. It is a mistake of the driver to name one in which nothing
// runs.
func (s *Scheduler) release(slot int) *start {
	r := s.slots[slot]
	if r == nil {
		panic(fmt.Sprintf("runner: nothing runs in slot %d", slot))
	}
	s.slots[slot] = nil
	s.starts--
	s.groups[r.group].running--
	return r
}

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
	Trials            int // that count at most; 0 is as many as fit into the limits
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
	if s.fits(t) {
		p.Trials = 0
	}
	return p
}

// fits reports a test that has as many trials as fit into the limits of the run.
func (s *Scheduler) fits(t *test) bool { return s.plan.Fit && t.planned == unlimited }

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
	if t.how != Open || t.pair != nil || s.fits(t) {
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
		if !s.fits(t) {
			out.Planned += t.planned
		}
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

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

// test is the state of one test.
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

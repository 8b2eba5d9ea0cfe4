// Package runner decides which trials a run starts, which of them count and when it ends.
// It has no clock, process, file or goroutine: a driver reports what happened, and it
// returns what to do. So tests can simulate all of it, with crashes at any moment.
//
// # The three laws
//
// Start order. Trials of a test count in the order of their attempts, never of their ends:
// attempt k counts when 0 to k-1 have ended. Failures often take longer than passes, or
// shorter. A sequential rule that saw quick trials first would break its error rates.
//
// No wasted trial. A test never has more trials running than the fewest that can decide it
// (see Stopping.Near), less those that are held. So none runs when its verdict comes, and
// free slots go to other tests. Running trials are ended only if their test ends for another
// reason: it could not be tried, trials were replaced too often, or one was skipped.
//
// The journal is the run. Its lines (starts, and actions that are lines) are all that a scheduler
// needs to resume (see Scheduler.Recover). A reader counts exactly the trials that one trial at a
// time would have had. All decisions come from verdict.DecideFor and stats.Boundary.
//
// # Driving it
//
// Make a Scheduler with New, pass the lines of an unfinished journal to Recover, and perform
// what Begin returns. Then, until Stop: start what Next returns, as far as the rate of starts
// allows; wait for an event; pass it to Step; perform the returned actions in order. Sync a
// line to the journal before anything that depends on it: a Start before its process, others
// before the next start. See the example.
//
// # What a trial does to its test
//
// Package envelope says which trials count. An excluded trial keeps its place and is replaced
// by a further attempt: Plan.InfraRetries times after infrastructure failures and idle
// timeouts, once after an empty run. Then the test ends. A trial of the class pre-validation
// ends it at once. Failures and skips are never tried again, and a skip uses up one of the
// trials. A test ends if nothing counts and it was skipped as often as could have decided it.
//
// An attempt that was cut off is no trial. It starts again under its number, now or when the
// run is resumed. The second time, unless a person stopped it, it is recorded: as
// infrastructure if the runner died, as a timeout if the time limit was reached.
//
// # Pairs
//
// With Plan.Pairs, two variants of each test are compared while they run (see Pairs). The
// laws hold for pairs. All decisions come from a Comparison.
package runner

import (
	"fmt"
	"slices"

	"tribunal/envelope"
)

// Scheduler decides what a run starts, what counts and when the run ends. Only one goroutine
// may use it at a time.
type Scheduler struct {
	plan      Plan
	stoppings *stoppings
	tests     []*test
	ids       map[envelope.Key]int
	groups    []*group
	groupIDs  map[envelope.Key]int
	queue     queue
	slots     []*start // running starts, by slot
	starts    int      // running
	inFlight  int      // running trials
	open      int      // tests that have not ended
	money     budget
	outage    outage
	halted    *halt
	stopped   bool
	begun     bool // Begin was called, after Recover
	// For pairs: the tests, and the rounds that were compared.
	pairs      []*pair
	comparison Comparison
	rounds     int
	// Trials of all tests.
	counted, passed, excluded int
	actions                   []Action
}

type test struct {
	key      envelope.Key
	stop     *Stopping
	planned  int // most counted trials, before skips
	group    int
	rank     int // among all tests, by key
	priority float64
	queued   int // place in the queue

	checked, checking bool
	tally
	skipped  int
	replaced int // excluded trials, limited by --infra-retries
	empty    int // empty runs
	void     bool
	scores   []float64 // of counted trials, if scores decide
	outcomes []bool    // of counted trials, if their order decides
	window   window
	idle     int // attempts in the window that wait for a start
	inFlight int
	near     int
	certain  int // counted trials after which no further one could change the verdict
	spent    float64
	reported float64 // cost of the trials that report it
	priced   int     // trials that report it
	how      How
	recorded How // its last end in the journal
	pair     *pair
}

// group is the tests that one start can try: a batch or a sweep.
type group struct {
	key       envelope.Key
	tests     []int
	unchecked int
	starts    int // so far, without those of a sweep that listed no test
	running   int
	listed    bool // its tests are known
}

type start struct {
	Start
	group  int
	pauses int // of the run, before this start
	killed bool
}

type halt struct {
	run RunEnd
	how How // of open tests
	why Why // of trials that are cut off
}

// New returns the scheduler of a plan. The error lists what is wrong with the plan, and what to do.
func New(plan Plan) (*Scheduler, error) {
	plan = plan.normal()
	if err := plan.check(); err != nil {
		return nil, err
	}
	s := &Scheduler{
		plan: plan, stoppings: &stoppings{plan: plan, rulings: map[rulingKey]*ruling{}, made: map[stoppingKey]*Stopping{}},
		ids: map[envelope.Key]int{}, groupIDs: map[envelope.Key]int{},
		slots: make([]*start, plan.Places), money: budget{limits: plan.Limits, spent: plan.Limits.SpentUSD},
	}
	if err := s.add(plan.Tests); err != nil {
		return nil, err
	}
	if err := s.findPairs(); err != nil {
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

// List sets the tests of a sweep by variant. Call it after the first output and before the
// end of the start. The error is that of New.
func (s *Scheduler) List(variant string, tests []Test) error {
	id := s.group(s.groupKey(envelope.Key{Variant: variant}))
	g := s.groups[id]
	from := len(s.tests)
	if err := s.add(tests); err != nil {
		return err
	}
	g.listed, g.starts = true, max(g.starts, 1)
	if !s.begun {
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

// Find returns the number of a test in events and actions: its place in Plan.Tests, followed
// by those of List.
func (s *Scheduler) Find(key envelope.Key) (test int, ok bool) {
	test, ok = s.ids[key]
	return test, ok
}

// Step takes an event and returns what to do, in order. The actions are valid until the next
// call. Call Next afterwards, unless the last action is Stop.
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
		s.halt(haltOf[e.Why], e.Now || e.Why == ByTime)
	}
	s.lookAtRounds()
	if s.plan.Order.drifted(s) {
		for id := range s.tests {
			s.refresh(id)
		}
	}
	s.settle()
	return s.actions
}

func (s *Scheduler) do(a Action) { s.actions = append(s.actions, a) }

// release frees a slot. It panics if nothing runs in it, which is a bug of the driver.
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

// Progress is how far a test has come.
type Progress struct {
	Key     envelope.Key
	Started int // attempts that run or ended
	Running int
	Counted int
	Passed  int
	// Excluded trials ran and do not count; Skipped ones did not run.
	Excluded, Skipped int
	Trials            int // most counted trials; 0 is as many as fit into the limits
	// Near is the fewest further counted trials that can end the test, 0 if it has ended.
	Near     int
	SpentUSD float64
	How      How
	Certain  bool // no further trial can change its verdict, but the test still runs
}

// Progress returns how far a test has come.
func (s *Scheduler) Progress(id int) Progress {
	t := s.tests[id]
	p := Progress{
		Key: t.key, Started: t.window.next() - t.idle, Running: t.inFlight,
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

// fits reports whether a test has as many trials as fit into the limits of the run.
func (s *Scheduler) fits(t *test) bool { return s.plan.Fit && t.planned == unlimited }

// Endless reports whether only the limits of the run end one of its tests.
func (s *Scheduler) Endless() bool {
	return slices.ContainsFunc(s.tests, func(t *test) bool { return t.how == Open && s.fits(t) })
}

// Index is the index of an open test under order value, otherwise 0.
func (s *Scheduler) Index(id int) float64 {
	v, is := s.plan.Order.(*byValue)
	if !is || s.tests[id].how != Open {
		return 0
	}
	return v.index(s, id)
}

// Needs returns how many further passes in a row make a pass certain, and how many failures a
// fail. They are 0 if no number does.
func (s *Scheduler) Needs(id int) (passes, failures int) {
	t := s.tests[id]
	if t.how != Open || t.pair != nil || s.fits(t) {
		return 0, 0
	}
	return t.stop.needs(t.tally)
}

// Totals are sums over the run so far.
type Totals struct {
	Tests, Ended int
	// Planned is the most trials that can count, Counted those that do. Saved did not run
	// because their tests had verdicts.
	Planned, Counted, Saved int
	// SpentUSD is absent until a trial reports its cost.
	SpentUSD   envelope.Opt[float64]
	DearestUSD float64 // what the dearest test spent
}

// Totals returns the sums over the run so far.
func (s *Scheduler) Totals() Totals {
	out := Totals{Tests: len(s.tests), Ended: len(s.tests) - s.open}
	for _, t := range s.tests {
		if !s.fits(t) {
			out.Planned += t.planned
		}
		out.Counted += t.counted
		out.DearestUSD = max(out.DearestUSD, t.spent)
		if t.how == Decided || t.how == Early {
			out.Saved += t.stop.trials - t.counted
		}
	}
	if s.money.known > 0 || s.money.spent > 0 {
		out.SpentUSD = envelope.Some(s.money.spent)
	}
	return out
}

// Sequential reports whether a test stops at its verdict, by its rule or by its pairs.
func (s *Scheduler) Sequential(id int) bool {
	return s.tests[id].pair != nil || s.tests[id].stop.rule.Sequential
}

// Costs returns how many trials ended, how many of them reported a cost, and its sum in US dollars.
func (s *Scheduler) Costs() (ended, reported int, usd float64) {
	return s.money.ended, s.money.known, s.money.said
}

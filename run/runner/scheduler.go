package runner

import (
	"fmt"
	"slices"

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
	money     purse
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
	givenUp  bool      // with its suite, for the commands that failed
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
	starts    int // so far; in a sweep the next attempt
	running   int
	again     []int // attempts of a sweep to be started again, in their order
	listed    bool  // its tests are known
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
		slots: make([]*start, plan.Places), money: purse{limits: plan.Limits},
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
	g.listed = true
	if !s.told {
		return nil
	}
	for slot, r := range s.slots {
		if r == nil || r.group != id || r.Check {
			continue
		}
		for test := from; test < len(s.tests); test++ {
			r.Trials = append(r.Trials, Place{test, r.Number, s.run(test, slot, r.Number)})
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

// ended takes what a start has ended with.
func (s *Scheduler) ended(e Ended) {
	r := s.release(e.Slot)
	reported := byTest(e.Trials)
	broken := len(r.Trials) > 0 || len(e.Trials) == 0 && e.Missing == envelope.ClassInfrastructure
	if g := s.groups[r.group]; !g.listed && len(r.Trials) == 0 && broken { // it has told no test, and is started again
		g.repeat(r.Number)
	} else {
		g.listed = true
	}
	for _, place := range r.Trials {
		trial := reported[place.Test]
		delete(reported, place.Test)
		if trial == nil {
			trial = missing(e.Missing)
		}
		t := s.tests[place.Test]
		_, class := trial.Classify(t.stop.classify)
		broken = broken && class == envelope.ClassInfrastructure
		s.finish(place, trial)
	}
	for _, extra := range e.Trials {
		if reported[extra.Test] == extra.Trial {
			s.beyond(Place{Test: extra.Test, Attempt: r.Number}, extra.Trial)
		}
	}
	pause, down := s.outage.add(broken, r.pauses)
	switch {
	case down || e.Permanent:
		s.halt(halt{InfrastructureDown, CutShort, Interrupted}, true)
	case pause > 0:
		s.do(Pause{pause})
	}
}

// byTest finds trials by their test; the last one is the trial where a runner
// tried a test again.
func byTest(trials []Reported) map[int]*envelope.Trial {
	if len(trials) == 0 {
		return nil
	}
	by := make(map[int]*envelope.Trial, len(trials))
	for _, t := range trials {
		by[t.Test] = t.Trial
	}
	return by
}

// missing is a trial that was asked for and is in no output: never a pass.
func missing(class string) *envelope.Trial {
	if class == "" {
		class = envelope.ClassPreValidation
	}
	return &envelope.Trial{Status: envelope.Error, ErrorClass: class, Message: "asked for, not reported"}
}

// finish takes a trial that has ended.
func (s *Scheduler) finish(p Place, trial *envelope.Trial) {
	t := s.tests[p.Test]
	t.inFlight--
	s.inFlight--
	a := t.window.at(p.Attempt)
	if t.how != Open || a == nil {
		s.beyond(p, trial)
		s.refresh(p.Test)
		return
	}
	s.pay(t, trial.CostUSD)
	s.hold(p, a, trial)
	s.refresh(p.Test)
}

// pay notes what an ended trial of a test cost.
func (s *Scheduler) pay(t *test, cost envelope.Opt[float64]) {
	t.spent += s.money.pay(cost)
	if cost.OK {
		t.said += cost.V
		t.priced++
	}
}

// hold keeps an ended trial until those before it have ended, which may be now.
func (s *Scheduler) hold(p Place, a *attempt, trial *envelope.Trial) {
	s.name(trial, p)
	a.trial, a.state = trial, ended
	if !s.ready(p.Test, p.Attempt) {
		s.do(Hold{p.Test, trial})
		return
	}
	s.look(p.Test)
}

func (s *Scheduler) name(trial *envelope.Trial, p Place) {
	trial.Key, trial.Attempt = s.tests[p.Test].key, envelope.Some(int32(p.Attempt))
}

// beyond keeps a trial that is behind the end of its test, or was not asked for.
func (s *Scheduler) beyond(p Place, trial *envelope.Trial) {
	s.name(trial, p)
	s.pay(s.tests[p.Test], trial.CostUSD)
	s.do(Beyond{p.Test, trial})
}

// look takes the trials of a test in the order of their attempts, as far as they
// have ended, until the test ends.
func (s *Scheduler) look(id int) {
	t := s.tests[id]
	if t.pair != nil {
		s.lookAtPairs(t.pair)
		return
	}
	for t.window.len() > 0 && t.window.at(t.window.base).state == ended && t.how == Open {
		a := t.window.pop()
		t.near-- // at most: see Stopping.near
		s.do(Record{id, a.trial})
		s.count(t, a.trial)
		if how, over := s.over(t); over {
			s.end(id, how)
		}
	}
}

// count adds the next trial of a test to what counts of it.
func (s *Scheduler) count(t *test, trial *envelope.Trial) {
	outcome, class := trial.Classify(t.stop.classify)
	if t.pair != nil {
		defer s.join(t.pair, t, looked{outcome, class})
	}
	switch {
	case outcome.Counted():
		t.counted++
		s.counted++
		if outcome == envelope.Passed {
			t.passed++
			s.passed++
		}
		if t.stop.scores != nil {
			t.scores = append(t.scores, pointsOf(trial, outcome))
		}
		if t.stop.inOrder != nil {
			t.outcomes = append(t.outcomes, outcome == envelope.Passed)
		}
		t.stop.look(&t.tally)
		if t.certain == 0 && !t.stop.rule.Sequential && t.stop.certain(t.tally) {
			t.certain = t.counted
		}
		return
	case outcome == envelope.Skipped:
		t.skipped++
		t.stop, t.near = s.stoppings.upTo(t.stop.ruling, t.stop.trials-1), 0 // of fewer trials
		return
	}
	t.excluded++
	s.excluded++
	switch class {
	case envelope.ClassPreValidation:
		t.void = true
	case envelope.ClassErrorRate:
		t.void, t.givenUp = true, true
	case envelope.ClassEmptyRun:
		t.empty++
	default:
		t.replaced++
	}
}

// pointsOf is the score of a counted trial: where it has none, 1 for a pass.
func pointsOf(trial *envelope.Trial, outcome envelope.Outcome) float64 {
	points := 0.
	if outcome == envelope.Passed {
		points = 1
	}
	return trial.Score.Or(points)
}

// over reports whether a test ends with the trials that were looked at, and how.
func (s *Scheduler) over(t *test) (How, bool) {
	const emptyRuns = 1 // that are replaced
	switch {
	case t.void:
		return CheckFailed, true
	case t.counted == 0 && t.skipped > 0 && t.skipped >= s.skips(t):
		return Full, true
	}
	if how, over := t.stop.ends(t.tally); over {
		return how, true
	}
	if s.plan.FailFast && t.stop.certain(t.tally) && t.stop.says(t.tally) == envelope.Fail {
		return Early, true
	}
	if t.replaced > s.plan.InfraRetries || t.empty > emptyRuns {
		return Infrastructure, true
	}
	return Open, false
}

// skips is how many trials of a test are skipped before it is skipped: as many as
// it takes to decide, for all of them may run at once.
func (s *Scheduler) skips(t *test) int {
	return s.stoppings.upTo(t.stop.ruling, t.planned).near(tally{excluded: t.excluded}, 1)
}

// end closes a test. What is held of it is no trial, and what runs is ended,
// unless it runs together with others.
func (s *Scheduler) end(id int, how How) {
	t := s.tests[id]
	t.how = how
	s.open--
	if !t.checked {
		t.checked = true
		s.groups[t.group].unchecked--
	}
	if t.told != how {
		s.do(End{id, how, t.status()})
	}
	s.empty(id)
	if s.plan.FailFast && s.halted == nil && t.status() == envelope.Fail {
		s.halt(halt{FirstFail, CutShort, Interrupted}, true)
	}
}

// empty takes out what a test that has ended left in its window. Where it can go
// on in another run, that run needs it as it is.
func (s *Scheduler) empty(id int) {
	t := s.tests[id]
	if t.how.again() {
		return
	}
	for number := t.window.base; number < t.window.next(); number++ {
		switch a := t.window.at(number); {
		case a.state == ended:
			s.do(Beyond{id, a.trial})
		case a.state == running && s.starts == 0:
			s.bury(Place{id, number, int(a.tries) - 1})
		case a.state == running && s.plan.Form == Each:
			s.kill(int(a.slot))
		}
	}
	t.window = window{base: t.window.next()}
	t.idle = 0
}

// status is the one that the trials of an ended test have before any adjusting.
func (t *test) status() envelope.Status {
	if t.pair != nil {
		return t.statusOfPairs()
	}
	if t.counted+t.excluded+t.skipped == 0 || t.givenUp {
		return envelope.Error // it was not tried at all, or not to its end
	}
	if status, unasked := t.stop.unasked(t.counted, t.excluded); unasked {
		return status
	}
	switch {
	case t.stop.scores != nil && t.how == Full:
		return statusOf(t.stop.scores(t.scores))
	case t.stop.scores != nil:
		return envelope.Inconclusive
	case t.stop.inOrder != nil: // a minimum of trials or coverage lets some come after the decision
		return t.stop.inOrder(t.outcomes)
	case t.how == Full || t.how == Early || t.stop.certain(t.tally):
		return t.stop.says(t.tally)
	}
	return envelope.Inconclusive // some of a fixed number of trials are missing
}

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

func haltOf(why HaltWhy) halt {
	if why == ByTime {
		return halt{TimeIsOver, Time, TimeOver}
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

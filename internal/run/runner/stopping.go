package runner

import (
	"fmt"
	"sort"

	"tribunal/envelope"
	"tribunal/internal/run/allocate"
	"tribunal/internal/verdict/rule"
	"tribunal/stats"
	"tribunal/verdict"
)

// Stopping says when a test may stop: its rule, and the most trials of it that
// count. It decides nothing itself, but asks package verdict for what the rule
// says of counts, and stats.Boundary for where it says so.
type Stopping struct {
	*ruling
	trials int
	early  bool // a rule of a fixed number of trials stops when nothing can change its verdict
}

// ruling is a policy as the scheduler asks it. Tests under one policy share it.
type ruling struct {
	rule     rule.Rule
	classify envelope.CountingRules
	decide   rule.Decide // nil where scores decide
	scores   func([]float64) stats.Decision
	points   func(passed bool) float64    // of a trial without a score
	inOrder  func([]bool) envelope.Status // of a sequential rule
	unasked  func(counted, excluded int) (envelope.Status, bool)
	boundary *stats.Boundary
	walked   int
}

func newRuling(p envelope.Effective) (*ruling, error) {
	by, err := rule.ByName(p.Rule)
	if err != nil {
		return nil, err
	}
	r := &ruling{
		rule: by, decide: verdict.DecideFor(p), scores: verdict.ScoresFor(p), inOrder: verdict.InOrderFor(p), unasked: verdict.UnaskedFor(p),
		points:   func(passed bool) float64 { return rule.PointsUnder(p, passed) },
		classify: envelope.CountingRules{ScoreThreshold: p.ScoreThreshold.V, DetectEmptyRuns: p.DetectEmptyRuns.V},
	}
	if r.decide == nil && r.scores == nil {
		return nil, fmt.Errorf("rule %s has no decision on counts or scores", by.Name)
	}
	if r.decide != nil {
		r.boundary = stats.NewBoundary(r.decide)
	}
	return r, nil
}

// mostWalked bounds the trials whose limits are all worked out beforehand.
const mostWalked = 10_000

func (r *ruling) upTo(trials int, early bool) *Stopping {
	if !r.rule.Sequential && r.boundary != nil && trials <= mostWalked {
		r.at(trials)
	}
	return &Stopping{ruling: r, trials: trials, early: early && !r.rule.Sequential && r.boundary != nil}
}

// at are the limits after some trials. They are walked to, as the next ones will be asked for soon.
func (r *ruling) at(trials int) stats.Limits {
	for ; r.walked < min(trials, mostWalked); r.walked++ {
		r.boundary.At(r.walked + 1)
	}
	return r.boundary.At(trials)
}

type tally struct {
	counted, passed int
	excluded        int            // tried, and not counted
	first           stats.Decision // what a sequential rule said first
}

// look is the tally's decision after a trial was counted: a sequential rule keeps the first one.
func (s *Stopping) look(t *tally) {
	if s.rule.Sequential && t.first == stats.Undecided {
		t.first = s.decide(t.passed, t.counted-t.passed)
	}
}

func (s *Stopping) ends(t tally) (How, bool) {
	switch {
	case s.rule.Sequential && t.first != stats.Undecided && s.heard(t.counted, t.excluded):
		return Decided, true
	case t.counted >= s.trials:
		return Full, true
	case s.early && s.certain(t):
		return Early, true
	}
	return Open, false
}

// heard reports that the rule is asked: enough trials count.
func (s *Stopping) heard(counted, excluded int) bool {
	_, unasked := s.unasked(counted, excluded)
	return !unasked
}

// certain reports that every count of passes that all trials can reach gives the
// same verdict, and that the trials so far give it as well. Without the second
// condition a test could stop as a sure fail with too few trials to be judged.
func (s *Stopping) certain(t tally) bool {
	if s.boundary == nil || t.counted == 0 {
		return false
	}
	d, settled := s.boundary.Settled(t.passed, t.counted, s.trials)
	return settled && s.says(t) == statusOf(d)
}

func (s *Stopping) says(t tally) envelope.Status {
	if status, unasked := s.unasked(t.counted, t.excluded); unasked {
		return status
	}
	if s.rule.Sequential {
		return statusOf(t.first)
	}
	return statusOf(s.decide(t.passed, t.counted-t.passed))
}

func statusOf(d stats.Decision) envelope.Status { return envelope.Status(d.String()) }

// Near is the fewest further counted trials after which a test can stop, whatever
// their outcomes must be for that: the fewest m such that some outcome of m more
// trials decides, or fills the test. 0 when it stops now.
func (s *Stopping) Near(passed, failed int) int {
	t := s.follow(passed, failed)
	if _, ended := s.ends(t); ended {
		return 0
	}
	return s.near(t, 1)
}

// follow is the tally of counts on whose way nothing was decided.
func (s *Stopping) follow(passed, failed int) tally {
	t := tally{counted: passed + failed, passed: passed}
	if t.counted > 0 && s.boundary != nil {
		s.look(&t)
	}
	return t
}

// near is Near for an open test, where fewer than from are known to be too few. A further trial
// takes one away at most, so the search goes on where the one before ended.
func (s *Stopping) near(t tally, from int) int {
	left := s.trials - t.counted
	if !s.rule.Sequential && !s.early {
		return left
	}
	m := max(from, 1)
	for m < left && !s.canEnd(t, m) {
		m++
	}
	if s.rule.Sequential && m < left && !s.heard(t.counted+m, t.excluded) {
		m += sort.Search(left-m, func(i int) bool { return s.heard(t.counted+m+i, t.excluded) })
	}
	return min(m, left)
}

// canEnd reports whether some outcome of m more trials ends the test.
func (s *Stopping) canEnd(t tally, m int) bool {
	if s.rule.Sequential {
		return t.first != stats.Undecided || s.passesAfter(t, m) || s.failsAfter(t, m)
	}
	return s.passesAfter(t, m) || s.failsAfter(t, m) || s.staysOpenAfter(t, m)
}

// passesAfter and failsAfter report what m equal trials do. A sequential rule is
// asked where they lead; a fixed one also whether that is certain.
func (s *Stopping) passesAfter(t tally, m int) bool {
	if s.rule.Sequential {
		return t.passed+m >= s.at(t.counted+m).Pass
	}
	then := t
	then.counted, then.passed = t.counted+m, t.passed+m
	return then.passed >= s.at(s.trials).Pass && s.says(then) == envelope.Pass
}

func (s *Stopping) failsAfter(t tally, m int) bool {
	if s.rule.Sequential {
		return t.passed <= s.at(t.counted+m).Fail
	}
	then := t
	then.counted = t.counted + m
	return t.passed+s.trials-then.counted <= s.at(s.trials).Fail && s.says(then) == envelope.Fail
}

// staysOpenAfter reports whether after m more trials, some of them passes, the
// verdict of all trials can be certain to be none.
func (s *Stopping) staysOpenAfter(t tally, m int) bool {
	n, all := t.counted+m, s.at(s.trials)
	least := max(t.passed, all.Fail+1)
	most := min(t.passed+m, all.Pass-1-(s.trials-n))
	if s.heard(n, t.excluded) {
		now := s.at(n)
		least, most = max(least, now.Fail+1), min(most, now.Pass-1)
	}
	return least <= most
}

// stateOf is where an open test of a sequential rule stands, for its index.
func (s *Stopping) stateOf(t tally) allocate.State {
	left := s.trials - t.counted
	unheard := sort.Search(left, func(more int) bool { return s.heard(t.counted+more, t.excluded) })
	return allocate.State{Passed: t.passed, Counted: t.counted, Left: left, Least: t.counted + unheard, Decided: t.first != stats.Undecided}
}

// needs are the fewest further trials after which a pass is certain if all of them pass, and a fail
// if all of them fail; 0 where its trials do not suffice for that, and under rules of scores.
func (s *Stopping) needs(t tally) (passes, failures int) {
	if s.boundary == nil || t.first != stats.Undecided {
		return 0, 0
	}
	find := func(decides func(tally, int) bool) int {
		for m := 1; m <= s.trials-t.counted; m++ {
			if decides(t, m) && s.heard(t.counted+m, t.excluded) {
				return m
			}
		}
		return 0
	}
	return find(s.passesAfter), find(s.failsAfter)
}

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
	for _, p := range r.Trials {
		s.cut(p, why, &envelope.Trial{})
	}
}

// cut takes a trial that was cut off, or that its start did not reach. Its attempt is started
// again, but for one that must not be for ever. One that was cut off twice is recorded as what it
// did: an agent that takes the runner down, or that does not end before the time of the run is
// over. One that three starts did not reach is recorded as the trial that is given.
func (s *Scheduler) cut(p Place, why Why, trial *envelope.Trial) {
	t := s.tests[p.Test]
	t.inFlight--
	s.inFlight--
	t.spent += s.lostCost(why, trial.CostUSD)
	a := t.window.at(p.Attempt)
	defer s.refresh(p.Test)
	if t.how != Open || a == nil {
		s.do(Cut{p, TestOver})
		return
	}
	switch a.cut(why); {
	case a.late == mostUnreached:
		s.hold(p, a, trial)
		return
	case a.cuts > 1:
		trial.Status, trial.ErrorClass, trial.Message = envelope.Error, classOf(why), "cut off twice"
		s.hold(p, a, trial)
		return
	}
	t.idle++
	s.do(Cut{p, why})
}

// cut notes that an attempt was cut off and waits to be started again. One that was not
// reached has not been tried.
func (a *attempt) cut(why Why) {
	a.state = waiting
	switch why {
	case Unreached:
		a.late++
		a.tries--
	case Lost, TimeOver:
		a.cuts++
	}
}

// lostCost is what a trial that was cut off is taken to have cost, which one among others
// that its start did not reach has not.
func (s *Scheduler) lostCost(why Why, cost envelope.Opt[float64]) float64 {
	if why == Unreached && s.plan.Form != Each {
		return 0
	}
	return s.money.lose(cost)
}

// classOf is the class of a trial that is recorded although it was cut off.
func classOf(why Why) string {
	if why == TimeOver {
		return envelope.ClassTimeout
	}
	return envelope.ClassInfrastructure
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

// Mean is the expected number of counted trials of a test with a true pass rate,
// exactly: probability moves from each count of passes to its two successors, and
// leaves where the test stops. All trials count.
func (s *Stopping) Mean(rate float64) float64 {
	mean := 0.0
	at := []float64{1} // the chance of each number of passes
	for n := 0; n < s.trials && len(at) > 0; n++ {
		next := make([]float64, n+2)
		going := 0.0
		for passed, chance := range at {
			if chance == 0 || s.Near(passed, n-passed) == 0 {
				continue
			}
			going += chance
			next[passed+1] += chance * rate
			next[passed] += chance * (1 - rate)
		}
		mean += going // each of them takes one more trial
		at = next
	}
	return mean
}

// StoppingOf is the stopping of a test.
func (s *Scheduler) StoppingOf(id int) *Stopping { return s.tests[id].stop }

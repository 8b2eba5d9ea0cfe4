package runner

import (
	"cmp"
	"container/heap"
	"math"

	"tribunal/envelope"
	"tribunal/internal/run/allocate"
)

// Order says which test comes next: Round, OneByOne or what ByValue makes. Ties go by key. It
// changes what a limit buys, and never the trials that all verdicts take together.
type Order interface {
	// priority is a number of a test, of which the smallest comes first. It is asked
	// whenever the test has changed.
	priority(s *Scheduler, id int) float64
	// drifted reports that the numbers of all tests have changed.
	drifted(s *Scheduler) bool
}

// The orders that look at starts alone.
var (
	// Round starts the test that was started least often: what drifts while the run
	// lasts then meets all tests alike.
	Round Order = byStarts{}
	// OneByOne starts one test after another.
	OneByOne Order = byKey{}
)

type byStarts struct{}

func (byStarts) priority(s *Scheduler, id int) float64 {
	t := s.tests[id]
	return float64(t.window.next() - t.idle)
}

func (byStarts) drifted(*Scheduler) bool { return false }

type byKey struct{}

func (byKey) priority(*Scheduler, int) float64 { return 0 }
func (byKey) drifted(*Scheduler) bool          { return false }

// ByValue starts the test whose verdict is to be had for the least money: the one of
// the highest index (see package allocate). Its error rates are those of every other
// order, as the trials of a test are the same whenever they are taken.
func ByValue(prize allocate.Prize) Order {
	return &byValue{prize: prize, known: map[indexKey]float64{}}
}

type byValue struct {
	prize allocate.Prize
	run   expectation
	known map[indexKey]float64
}

// expectation is what the index of a test takes from the whole run.
type expectation struct{ mean, cost, share float64 }

// indexKey is all that the index of a test with trials of cost 1 depends on.
type indexKey struct {
	rule  *ruling
	state allocate.State
	mean  float64
}

func (v *byValue) priority(s *Scheduler, id int) float64 { return -v.index(s, id) }

func (v *byValue) index(s *Scheduler, id int) float64 {
	if v.run == (expectation{}) {
		v.run = s.expectation()
	}
	t := s.tests[id]
	return v.perTrial(t) * t.share(v.run.share) / t.cost(v.run.cost)
}

func (v *byValue) perTrial(t *test) float64 {
	if !t.stop.rule.Sequential {
		return allocate.ForFixed(t.near)
	}
	at := indexKey{t.stop.ruling, t.stop.stateOf(t.tally), v.run.mean}
	index, known := v.known[at]
	if !known {
		const most = 1 << 16 // states of tests that are remembered
		if len(v.known) >= most {
			clear(v.known)
		}
		index = allocate.PerTrial(at.rule.boundary, at.state, at.mean, v.prize)
		v.known[at] = index
	}
	return index
}

// drifted looks at what all tests share. What trials cost and how many of them
// count moves with every trial: a tenth is where it may change what comes next.
func (v *byValue) drifted(s *Scheduler) bool {
	const much = 0.1
	now := s.expectation()
	moved := func(a, b float64) bool { return math.Abs(a-b) > much*a }
	if now.mean == v.run.mean && !moved(v.run.cost, now.cost) && !moved(v.run.share, now.share) {
		return false
	}
	v.run = now
	return true
}

func (s *Scheduler) expectation() expectation {
	o := expectation{mean: allocate.Mean(s.passed, s.counted), cost: s.money.mean(), share: 1}
	if s.counted > 0 {
		o.share = float64(s.counted) / float64(s.counted+s.excluded)
	}
	o.cost = cmp.Or(o.cost, 1) // free, or nobody says what it costs: trials are what there is to save
	return o
}

// cost is what a trial of a test costs, where its own do not say so what one of the
// run does. Trials for nothing are worth starting first, by their indices.
func (t *test) cost(ofRun float64) float64 {
	if t.priced == 0 {
		return ofRun
	}
	const next = 1e-6 // to nothing
	return max(t.reported/float64(t.priced), next*ofRun)
}

func (t *test) share(ofRun float64) float64 {
	if t.counted == 0 {
		return ofRun
	}
	return float64(t.counted) / float64(t.counted+t.excluded)
}

// queue is a heap of the tests that may be started.
type queue struct {
	tests []*test
	of    []int // tests in the heap
}

func (q *queue) Len() int { return len(q.of) }

func (q *queue) Less(i, j int) bool {
	a, b := q.tests[q.of[i]], q.tests[q.of[j]]
	if a.priority != b.priority {
		return a.priority < b.priority
	}
	return a.rank < b.rank
}

func (q *queue) Swap(i, j int) {
	q.of[i], q.of[j] = q.of[j], q.of[i]
	q.tests[q.of[i]].queued, q.tests[q.of[j]].queued = i, j
}

// Push and Pop are for container/heap alone.
func (q *queue) Push(x any) {
	id := x.(int)
	q.tests[id].queued = len(q.of)
	q.of = append(q.of, id)
}

func (q *queue) Pop() any {
	last := len(q.of) - 1
	id := q.of[last]
	q.of = q.of[:last]
	q.tests[id].queued = unqueued
	return id
}

const unqueued = -1

func (q *queue) update(id int, wants bool, priority float64) {
	t := q.tests[id]
	t.priority = priority
	switch {
	case wants && t.queued == unqueued:
		heap.Push(q, id)
	case wants:
		heap.Fix(q, t.queued)
	case t.queued != unqueued:
		heap.Remove(q, t.queued)
	}
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
	if !s.begun {
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

func (s *Scheduler) wants(t *test) bool {
	switch {
	case t.how != Open || t.checking:
		return false
	case !t.checked:
		return true
	case s.plan.Form == Batch && s.groups[t.group].unchecked > 0:
		return false
	}
	if t.idle == 0 && t.pair != nil && t.window.next() > s.tests[t.pair.partner(s.ids[t.key])].window.next() {
		return false // its partner is next
	}
	return t.idle > 0 || t.window.len() < t.near
}

// state is where an attempt stands that is not in the stream yet.
type state uint8

const (
	waiting state = iota // to be started, or started again
	running
	ended // held, unless it is the next to be looked at
)

type attempt struct {
	trial *envelope.Trial // of an ended one
	slot  int32           // of a running one
	tries int16           // starts so far
	cuts  uint8           // how often the runner died under it or its time was over
	late  uint8           // how many starts in a row did not reach it
	state state
}

// window holds the attempts of a test from the next one to be looked at on. It
// is as long as what runs and what is held, and so never holds many.
type window struct {
	ring []attempt
	head int
	base int // the number of the first attempt
}

func (w *window) len() int { return len(w.ring) - w.head }

func (w *window) at(number int) *attempt {
	i := number - w.base
	if i < 0 || i >= w.len() {
		return nil
	}
	return &w.ring[w.head+i]
}

func (w *window) upTo(number int) *attempt {
	for w.base+w.len() <= number {
		w.ring = append(w.ring, attempt{})
	}
	return w.at(number)
}

func (w *window) next() int { return w.base + w.len() }

func (w *window) pop() attempt {
	a := w.ring[w.head]
	w.ring[w.head] = attempt{}
	w.head++
	w.base++
	const few = 16
	switch live := w.ring[w.head:]; {
	case len(live) == 0:
		w.ring, w.head = w.ring[:0], 0
	case w.head > few && w.head > len(live):
		w.ring, w.head = w.ring[:copy(w.ring, live)], 0
	}
	return a
}

// waiting is the number of the first attempt that waits to be started, which is
// next where none in the window does.
func (w *window) waiting() int {
	for i, a := range w.ring[w.head:] {
		if a.state == waiting {
			return w.base + i
		}
	}
	return w.next()
}

package runner

import (
	"container/heap"
	"math"

	"tribunal/run/allocate"
)

// Order says which test comes next: Round, OneByOne or what ByValue makes. Ties go
// by key. It changes what a limit buys, and never the trials that all verdicts take
// together.
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
	return &byValue{prize: prize, known: map[worth]float64{}}
}

type byValue struct {
	prize allocate.Prize
	run   outlook
	known map[worth]float64
}

// outlook is what the index of a test takes from the whole run.
type outlook struct{ mean, cost, share float64 }

// worth is all that the index of a test with trials of cost 1 depends on.
type worth struct {
	rule  *ruling
	state allocate.State
	mean  float64
}

func (v *byValue) priority(s *Scheduler, id int) float64 { return -v.index(s, id) }

// index is the index of an open test.
func (v *byValue) index(s *Scheduler, id int) float64 {
	if v.run == (outlook{}) {
		v.run = s.outlook()
	}
	t := s.tests[id]
	return v.perTrial(t) * t.share(v.run.share) / t.cost(v.run.cost)
}

func (v *byValue) perTrial(t *test) float64 {
	if !t.stop.rule.Sequential {
		return allocate.ForFixed(t.near)
	}
	at := worth{t.stop.ruling, t.stop.stateOf(t.tally), v.run.mean}
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
	now := s.outlook()
	moved := func(a, b float64) bool { return math.Abs(a-b) > much*a }
	if now.mean == v.run.mean && !moved(v.run.cost, now.cost) && !moved(v.run.share, now.share) {
		return false
	}
	v.run = now
	return true
}

// outlook is what is expected of a test without trials.
func (s *Scheduler) outlook() outlook {
	o := outlook{mean: allocate.Mean(s.passed, s.counted), cost: s.money.mean(), share: 1}
	if s.counted > 0 {
		o.share = float64(s.counted) / float64(s.counted+s.excluded)
	}
	if o.cost == 0 {
		o.cost = 1 // free, or nobody says what it costs: trials are what there is to save
	}
	return o
}

// cost is what a trial of a test costs, where its own do not say so what one of the
// run does. Trials for nothing are worth starting first, by their indices.
func (t *test) cost(ofRun float64) float64 {
	if t.priced == 0 {
		return ofRun
	}
	const next = 1e-6 // to nothing
	return max(t.said/float64(t.priced), next*ofRun)
}

// share is how many of the trials of a test count.
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

// update puts a test where it belongs.
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

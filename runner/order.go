package runner

import "container/heap"

// Order says which test comes next: the one with the smallest number, ties by
// key. It is asked again whenever the progress of the test changes, and of all
// tests by Reorder.
type Order func(Progress) float64

// Round starts the test that was started least often: what drifts while the run
// lasts then meets all tests alike.
func Round(p Progress) float64 { return float64(p.Started) }

// OneByOne starts one test after another.
func OneByOne(Progress) float64 { return 0 }

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

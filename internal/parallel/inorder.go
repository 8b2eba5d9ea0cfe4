// Package parallel spreads work over the cores and hands the results on in the
// order of the work.
//
// It exists so that what is quick on several cores gives the bytes it gives on
// one: parts are worked on in any order and taken in theirs, by the goroutine
// that asked. It knows nothing of what the work is, bounds how much of it is
// under way, and stops at the first error.
package parallel

import (
	"errors"
	"iter"
	"runtime"
	"sync"

	"tribunal/internal/crash"
)

// ahead is how many parts a core may be ahead of the one that is taken: enough
// that no core waits for the slowest, few enough to stay in the caches.
const ahead = 2

// Stream works on the parts that next gives until it says there is no more, and
// hands each result to take in the order of the parts. next and take are called
// by the goroutine that calls Stream, work by several at a time. The error is
// that of take, after which no further part is asked for and no result taken.
func Stream[Part, Result any](next func() (Part, bool), work func(Part) Result, take func(Result) error) error {
	cores := runtime.GOMAXPROCS(0)
	if cores == 1 {
		return oneByOne(next, work, take)
	}
	first, more := next()
	if !more {
		return nil
	}
	second, more := next()
	if !more { // nothing to share
		return take(work(first))
	}
	jobs := start(cores, work)
	defer jobs.stop()
	waiting := []chan Result{jobs.put(first), jobs.put(second)}
	for room := cores * ahead; more || len(waiting) > 0; {
		if more && len(waiting) < room {
			var part Part
			if part, more = next(); more {
				waiting = append(waiting, jobs.put(part))
			}
			continue
		}
		result := <-waiting[0]
		waiting = append(waiting[:0], waiting[1:]...)
		if err := take(result); err != nil {
			return err
		}
	}
	return nil
}

// do works on the parts numbered 0 to n-1. It is Stream with numbers for parts.
func do[Result any](n int, work func(int) Result, take func(Result) error) error {
	at := -1
	next := func() (int, bool) {
		at++
		return at, at < n
	}
	return Stream(next, work, take)
}

// Seq yields the results of the parts numbered 0 to n-1.
func Seq[Result any](n int, work func(int) Result) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		_ = do(n, work, func(r Result) error {
			if !yield(r) {
				return errors.New("no more results are wanted")
			}
			return nil
		})
	}
}

// All is the results of the parts numbered 0 to n-1, none below 1.
func All[Result any](n int, work func(int) Result) []Result {
	all := make([]Result, 0, max(0, n))
	_ = do(n, work, func(r Result) error { // cannot fail
		all = append(all, r)
		return nil
	})
	return all
}

// Spans parts the numbers from 0 to n-1 into stretches of at most size, at least
// 1, and works on them, several at a time. It returns when all are done.
func Spans(n, size int, work func(from, to int)) {
	size = max(1, size)
	All((n+size-1)/size, func(i int) struct{} {
		work(i*size, min(n, (i+1)*size))
		return struct{}{}
	})
}

func oneByOne[Part, Result any](next func() (Part, bool), work func(Part) Result, take func(Result) error) error {
	for {
		part, more := next()
		if !more {
			return nil
		}
		if err := take(work(part)); err != nil {
			return err
		}
	}
}

// job is a part and where its result goes.
type job[Part, Result any] struct {
	part   Part
	result chan Result
}

// crew are the goroutines that work.
type crew[Part, Result any] struct {
	jobs chan job[Part, Result]
	busy sync.WaitGroup
}

func start[Part, Result any](cores int, work func(Part) Result) *crew[Part, Result] {
	c := &crew[Part, Result]{jobs: make(chan job[Part, Result], cores*ahead)}
	for range cores {
		c.busy.Go(func() {
			defer crash.Exit()
			for j := range c.jobs {
				j.result <- work(j.part)
			}
		})
	}
	return c
}

func (c *crew[Part, Result]) put(part Part) chan Result {
	result := make(chan Result, 1)
	c.jobs <- job[Part, Result]{part, result}
	return result
}

// stop waits for what is under way: nobody may still look at a part when the
// caller goes on.
func (c *crew[Part, Result]) stop() {
	close(c.jobs)
	c.busy.Wait()
}

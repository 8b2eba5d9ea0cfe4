package envelope

import (
	"runtime"
	"slices"
	"sync"
)

// layout says which arrivals are the rows of each test: first those of test 0,
// then those of test 1, each in the order they came.
type layout struct {
	from  []uint32 // the arrival, by row of all tests
	first []int    // the first row of each test, and the number of all
}

// rows are the arrivals of a test.
func (l *layout) rows(test int) []uint32 { return l.from[l.first[test]:l.first[test+1]] }

// row is which row of its test an arrival is.
func (l *layout) row(test, arrival int) int {
	row, _ := slices.BinarySearch(l.rows(test), uint32(arrival))
	return row
}

// distribute moves every trial to its test. Tests are taken in the order they
// first came, because a runner goes through them in the same order again and
// again: what is fetched for one test lies beside what is fetched for the next.
func (a *arrivals) distribute(tests []*tally) layout {
	l := a.lay(len(tests))
	moves := []func(){
		func() { move(a, tests, l, 0, func(r *Rows) *[]Given { return &r.Given }) },
		func() { moveWords(a, tests, l, func(r *Rows) *Words { return &r.Run }) },
		func() { moveWords(a, tests, l, func(r *Rows) *Words { return &r.RawStatus }) },
		func() { moveWords(a, tests, l, func(r *Rows) *Words { return &r.ErrorClass }) },
		func() { move(a, tests, l, false, func(r *Rows) *[]bool { return (*[]bool)(&r.Retry) }) },
		moveCells(a, tests, l, func(r *Rows) *Column[float64] { return &r.Score }),
		moveCells(a, tests, l, func(r *Rows) *Column[float64] { return &r.DurationMS }),
		moveCells(a, tests, l, func(r *Rows) *Column[float64] { return &r.CostUSD }),
		moveCells(a, tests, l, func(r *Rows) *Column[int64] { return &r.Tokens }),
		moveCells(a, tests, l, func(r *Rows) *Column[int64] { return &r.Digest }),
		moveCells(a, tests, l, func(r *Rows) *Column[int64] { return &r.StartedAt }),
		moveCells(a, tests, l, func(r *Rows) *Column[float64] { return &r.SetupMS }),
		moveCells(a, tests, l, func(r *Rows) *Column[float64] { return &r.SetupCost }),
		moveCells(a, tests, l, func(r *Rows) *Column[int32] { return &r.Attempt }),
		moveCells(a, tests, l, func(r *Rows) *Column[int32] { return &r.ToolCalls }),
		moveCells(a, tests, l, func(r *Rows) *Column[int32] { return &r.Category }),
		moveCells(a, tests, l, func(r *Rows) *Column[int32] { return &r.Source }),
	}
	const few = 10_000 // trials that are not worth a second pair of hands
	if a.count < few {
		for _, m := range moves {
			m()
		}
		return l
	}
	atOnce(moves)
	return l
}

// atOnce does the jobs with as many hands as there are.
func atOnce(jobs []func()) {
	var group sync.WaitGroup
	queue := make(chan func(), len(jobs))
	for _, job := range jobs {
		queue <- job
	}
	close(queue)
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		group.Go(func() {
			for job := range queue {
				job()
			}
		})
	}
	group.Wait()
}

// lay finds out which arrivals are the rows of each test.
func (a *arrivals) lay(tests int) layout {
	l := layout{from: make([]uint32, a.count), first: make([]int, tests+1)}
	for _, c := range a.chunks {
		for _, t := range c.tests {
			l.first[t+1]++
		}
	}
	next := make([]uint32, tests)
	for t := range tests {
		l.first[t+1] += l.first[t]
		next[t] = uint32(l.first[t])
	}
	for n, c := range a.chunks {
		for i, t := range c.tests {
			l.from[next[t]] = uint32(n*chunkRows + i)
			next[t]++
		}
	}
	return l
}

func moveCells[T Cell](a *arrivals, tests []*tally, l layout, column func(*Rows) *Column[T]) func() {
	return func() {
		move(a, tests, l, absent[T](), func(r *Rows) *[]T { return (*[]T)(column(r)) })
	}
}

func moveWords(a *arrivals, tests []*tally, l layout, column func(*Rows) *Words) {
	var dict *Dictionary
	for _, c := range a.chunks {
		if w := column(&c.rows); w.dict != nil {
			dict = w.dict
		}
	}
	move(a, tests, l, 0, func(r *Rows) *[]uint32 { return &column(r).ids })
	for _, tl := range tests {
		if w := column(&tl.Rows); w.ids != nil {
			w.dict = dict
		}
	}
}

// move moves one column. A test of which no trial has a cell in it gets none.
// The cells are taken from the chunks, so that a run is not kept twice.
func move[T comparable](a *arrivals, tests []*tally, l layout, none T, column func(*Rows) *[]T) {
	used, found := users(a, len(tests), none, column)
	if !found {
		return
	}
	cells := make([][]T, len(a.chunks))
	for n, c := range a.chunks {
		cells[n] = *column(&c.rows)
		*column(&c.rows) = nil
	}
	moved := make([]T, a.count)
	for t, tl := range tests {
		if !used[t] {
			continue
		}
		out := moved[l.first[t]:l.first[t+1]:l.first[t+1]]
		for i, arrival := range l.rows(t) {
			out[i] = none
			if from := cells[arrival/chunkRows]; arrival%chunkRows < uint32(len(from)) {
				out[i] = from[arrival%chunkRows]
			}
		}
		*column(&tl.Rows) = out
	}
}

// users marks the tests of which a trial has a cell in a column.
func users[T comparable](a *arrivals, tests int, none T, column func(*Rows) *[]T) (used []bool, found bool) {
	used = make([]bool, tests)
	for missing, n := tests, 0; missing > 0 && n < len(a.chunks); n++ {
		for i, v := range *column(&a.chunks[n].rows) {
			if v == v && v != none && !used[a.chunks[n].tests[i]] { // a number that is none is no number
				used[a.chunks[n].tests[i]], found = true, true
				missing--
			}
		}
	}
	return used, found
}

package envelope

import (
	"runtime"
	"sync"
)

// layout says where the rows of each test begin among the rows of all tests,
// and how many it has.
type layout struct {
	first, count []int // by the number of the test
}

// distribute moves every trial to its test: order lists the numbers of the
// tests, and the rows of each come to lie behind those of the test before. The
// rows of a test stay in the order they came in.
func (a *arrivals) distribute(tests []*tally, order []int) layout {
	l := a.lay(len(tests), order)
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

// lay finds out where every row belongs.
func (a *arrivals) lay(tests int, order []int) layout {
	l := layout{first: make([]int, tests), count: make([]int, tests)}
	for _, c := range a.chunks {
		for _, t := range c.tests {
			l.count[t]++
		}
	}
	next, at := make([]uint32, tests), 0
	for _, t := range order {
		l.first[t], next[t] = at, uint32(at)
		at += l.count[t]
	}
	for _, c := range a.chunks {
		c.to = make([]uint32, len(c.tests))
		for i, t := range c.tests {
			c.to[i] = next[t]
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
// The cells are taken from the chunks as they are moved, so that a run is not
// kept twice.
func move[T comparable](a *arrivals, tests []*tally, l layout, none T, column func(*Rows) *[]T) {
	used, all := users(a, len(tests), none, column)
	if !used.any() {
		return
	}
	moved := make([]T, a.count)
	for _, c := range a.chunks {
		cells := *column(&c.rows)
		for i, v := range cells {
			if all || used[c.tests[i]] {
				moved[c.to[i]] = v
			}
		}
		for i := len(cells); i < len(c.to); i++ {
			if all || used[c.tests[i]] {
				moved[c.to[i]] = none
			}
		}
		*column(&c.rows) = nil
	}
	for t, tl := range tests {
		if first, end := l.first[t], l.first[t]+l.count[t]; used[t] {
			*column(&tl.Rows) = moved[first:end:end]
		}
	}
}

// marks are tests that are marked, by their number.
type marks []bool

func (m marks) any() bool {
	for _, marked := range m {
		if marked {
			return true
		}
	}
	return false
}

// users marks the tests of which a trial has a cell in a column. all says that
// every test is one.
func users[T comparable](a *arrivals, tests int, none T, column func(*Rows) *[]T) (used marks, all bool) {
	used = make(marks, tests)
	missing := tests
	for _, c := range a.chunks {
		for i, v := range *column(&c.rows) {
			if v == v && v != none && !used[c.tests[i]] {
				used[c.tests[i]] = true
				missing--
			}
		}
		if missing == 0 {
			return used, true
		}
	}
	return used, false
}

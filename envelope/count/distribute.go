package count

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"tribunal/envelope"
	"tribunal/internal/heap"
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

// distribute moves every trial to the rows of its test, which lie in the order of the
// tests' numbers. Tests are taken in the order they first came, because a runner goes
// through them in the same order again and again: what is fetched for one test lies
// beside what is fetched for the next, and so do the rows it is put into.
func (a *arrivals) distribute(tests []envelope.Rows) layout {
	l := a.lay(len(tests))
	jobs := a.moves(tests, l)
	const few = 10_000 // trials that are not worth a second worker
	if a.count < few {
		for _, job := range jobs {
			job()
		}
		return l
	}
	atOnce(jobs)
	return l
}

// moves are the columns to move, by the size of their cells.
func (a *arrivals) moves(tests []envelope.Rows, l layout) []func() {
	type (
		reals   = []float64
		numbers = []int64
		counts  = []int32
	)
	return []func(){
		func() {
			free := move(a, tests, l, envelope.Absent[float64](), nil, func(r *envelope.Rows) *reals { return (*reals)(&r.Score) }, func(r *envelope.Rows) *reals { return (*reals)(&r.DurationMS) },
				func(r *envelope.Rows) *reals { return (*reals)(&r.CostUSD) }, func(r *envelope.Rows) *reals { return (*reals)(&r.SetupMS) }, func(r *envelope.Rows) *reals { return (*reals)(&r.SetupCost) })
			move(a, tests, l, envelope.Absent[int64](), recast[int64](free), func(r *envelope.Rows) *numbers { return (*numbers)(&r.Tokens) }, func(r *envelope.Rows) *numbers { return (*numbers)(&r.Digest) },
				func(r *envelope.Rows) *numbers { return (*numbers)(&r.StartedAt) })
		},
		func() {
			free := move(a, tests, l, envelope.Absent[int32](), nil, func(r *envelope.Rows) *counts { return (*counts)(&r.Attempt) }, func(r *envelope.Rows) *counts { return (*counts)(&r.ToolCalls) },
				func(r *envelope.Rows) *counts { return (*counts)(&r.Category) }, func(r *envelope.Rows) *counts { return (*counts)(&r.Source) })
			a.shareWords(tests)
			move(a, tests, l, 0, recast[uint32](free), func(r *envelope.Rows) *[]uint32 { return &r.Run.IDs }, func(r *envelope.Rows) *[]uint32 { return &r.RawStatus.IDs }, func(r *envelope.Rows) *[]uint32 { return &r.ErrorClass.IDs })
		},
		func() { move(a, tests, l, 0, nil, func(r *envelope.Rows) *[]envelope.Given { return &r.Given }) },
		func() {
			move(a, tests, l, 0, nil, func(r *envelope.Rows) *[]envelope.Given { return (*[]envelope.Given)(&r.Truth) })
		},
		func() { move(a, tests, l, false, nil, func(r *envelope.Rows) *[]bool { return (*[]bool)(&r.Retry) }) },
	}
}

// recast is memory of one kind of cell as that of another, of the same size.
func recast[To, From envelope.Cell | uint32](chunks [][]From) [][]To {
	out := make([][]To, len(chunks))
	for i, c := range chunks {
		out[i] = unsafe.Slice((*To)(unsafe.Pointer(unsafe.SliceData(c))), cap(c))
	}
	return out
}

// atOnce does the jobs with as many workers as there are.
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
	l := layout{from: heap.Slice[uint32](a.count), first: make([]int, tests+1)}
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

// shareWords gives every test the dictionary of each column of words.
func (a *arrivals) shareWords(tests []envelope.Rows) {
	for _, column := range []func(*envelope.Rows) *envelope.Words{
		func(r *envelope.Rows) *envelope.Words { return &r.Run }, func(r *envelope.Rows) *envelope.Words { return &r.RawStatus }, func(r *envelope.Rows) *envelope.Words { return &r.ErrorClass },
	} {
		for _, c := range a.chunks {
			if dict := column(&c.rows).Dictionary(); dict != nil {
				for t := range tests {
					words := column(&tests[t])
					*words = words.In(dict)
				}
				break
			}
		}
	}
}

// mover moves columns of one kind of cell. Where the cells of one column lay is
// where those of the next go, so that a run is not kept twice.
type mover[T comparable] struct {
	none T
	free [][]T // chunks of columns that were moved
	room []T   // the rest of the chunk that was taken last
}

// move moves columns of one kind into memory that is free, as long as there is
// some, and returns what is free afterwards.
func move[T comparable](a *arrivals, tests []envelope.Rows, l layout, none T, free [][]T, columns ...func(*envelope.Rows) *[]T) [][]T {
	m := mover[T]{none: none, free: free}
	for _, column := range columns {
		m.move(a, tests, l, column)
	}
	return m.free
}

// move moves one column. A test of which no trial has a cell in it gets none.
func (m *mover[T]) move(a *arrivals, tests []envelope.Rows, l layout, column func(*envelope.Rows) *[]T) {
	used, found := users(a, len(tests), m.none, column)
	if !found {
		return
	}
	cells := make([][]T, len(a.chunks))
	for n, c := range a.chunks {
		cells[n] = *column(&c.rows)
		*column(&c.rows) = nil
	}
	for t := range tests {
		if !used[t] {
			continue
		}
		arrivals := l.rows(t)
		out := m.take(len(arrivals), l.first[len(tests)]-l.first[t])
		for i, arrival := range arrivals {
			out[i] = m.none
			if from := cells[arrival/chunkRows]; arrival%chunkRows < uint32(len(from)) {
				out[i] = from[arrival%chunkRows]
			}
		}
		*column(&tests[t]) = out
	}
	m.free = append(m.free, cells...)
}

// take returns room for n cells; so many are still to come.
func (m *mover[T]) take(n, still int) []T {
	for last := len(m.free) - 1; n > len(m.room) && last >= 0 && cap(m.free[last]) >= n; last-- {
		m.room, m.free = m.free[last][:cap(m.free[last])], m.free[:last]
	}
	if n > len(m.room) {
		m.room = heap.Slice[T](max(n, min(still, chunkRows)))
	}
	out := m.room[:n:n]
	m.room = m.room[n:]
	return out
}

// users marks the tests of which a trial has a cell in a column.
func users[T comparable](a *arrivals, tests int, none T, column func(*envelope.Rows) *[]T) (used []bool, found bool) {
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

package count

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"tribunal/envelope"
	"tribunal/internal/crash"
	"tribunal/internal/parallel"
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
	blocks := l.blocks()
	jobs := a.moves(blocks, l)
	const few = 10_000 // trials that are not worth a second worker
	if a.count < few {
		for _, job := range jobs {
			job()
		}
	} else {
		atOnce(jobs)
	}
	parallel.Spans(len(blocks), 1, func(n, _ int) {
		b := &blocks[n]
		for t := b.from; t < b.to; t++ {
			tests[t] = b.rows.Stretch(l.first[t]-l.first[b.from], l.first[t+1]-l.first[b.from])
		}
	})
	return l
}

// block is some tests whose rows lie side by side, as many as a chunk has room for, or
// one that has more.
type block struct {
	from, to int // the tests
	rows     *envelope.Columns
}

// blocks parts the tests into blocks.
func (l *layout) blocks() []block {
	var all []block
	tests := len(l.first) - 1
	for from := 0; from < tests; {
		to := from + 1
		for to < tests && l.first[to+1]-l.first[from] <= chunkRows {
			to++
		}
		all = append(all, block{from, to, &envelope.Columns{}})
		from = to
	}
	return all
}

// moves are the columns to move, by the size of their cells.
func (a *arrivals) moves(to []block, l layout) []func() {
	type (
		columns = envelope.Columns
		reals   = []float64
		numbers = []int64
		counts  = []int32
	)
	return []func(){
		func() {
			free := move(a, to, l, envelope.Absent[float64](), nil, func(c *columns) *reals { return (*reals)(&c.Score) }, func(c *columns) *reals { return (*reals)(&c.DurationMS) },
				func(c *columns) *reals { return (*reals)(&c.CostUSD) }, func(c *columns) *reals { return (*reals)(&c.SetupMS) }, func(c *columns) *reals { return (*reals)(&c.SetupCost) })
			move(a, to, l, envelope.Absent[int64](), recast[int64](free), func(c *columns) *numbers { return (*numbers)(&c.Tokens) }, func(c *columns) *numbers { return (*numbers)(&c.Digest) },
				func(c *columns) *numbers { return (*numbers)(&c.StartedAt) })
		},
		func() {
			free := move(a, to, l, envelope.Absent[int32](), nil, func(c *columns) *counts { return (*counts)(&c.Attempt) }, func(c *columns) *counts { return (*counts)(&c.ToolCalls) },
				func(c *columns) *counts { return (*counts)(&c.Category) }, func(c *columns) *counts { return (*counts)(&c.Source) },
				func(c *columns) *counts { return (*counts)(&c.Reason) })
			a.shareWords(to)
			move(a, to, l, 0, recast[uint32](free), func(c *columns) *[]uint32 { return &c.Run.IDs }, func(c *columns) *[]uint32 { return &c.RawStatus.IDs }, func(c *columns) *[]uint32 { return &c.ErrorClass.IDs })
		},
		func() { move(a, to, l, 0, nil, func(c *columns) *[]envelope.Given { return &c.Given }) },
		func() {
			move(a, to, l, 0, nil, func(c *columns) *[]envelope.Given { return (*[]envelope.Given)(&c.Truth) })
		},
		func() { move(a, to, l, false, nil, func(c *columns) *[]bool { return (*[]bool)(&c.Retry) }) },
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
			defer crash.Exit()
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

// shareWords gives every block the dictionary of each column of words.
func (a *arrivals) shareWords(to []block) {
	for _, column := range []func(*envelope.Columns) *envelope.Words{
		func(c *envelope.Columns) *envelope.Words { return &c.Run }, func(c *envelope.Columns) *envelope.Words { return &c.RawStatus }, func(c *envelope.Columns) *envelope.Words { return &c.ErrorClass },
	} {
		for _, c := range a.chunks {
			if dict := column(&c.rows).Dictionary(); dict != nil {
				for i := range to {
					words := column(to[i].rows)
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
func move[T comparable](a *arrivals, to []block, l layout, none T, free [][]T, columns ...func(*envelope.Columns) *[]T) [][]T {
	m := mover[T]{none: none, free: free}
	for _, column := range columns {
		m.move(a, to, l, column)
	}
	return m.free
}

// move moves one column. A block in which no trial has a cell in it gets none.
func (m *mover[T]) move(a *arrivals, to []block, l layout, column func(*envelope.Columns) *[]T) {
	cells := make([][]T, len(a.chunks))
	found := false
	for n, c := range a.chunks {
		cells[n], found = *column(&c.rows), found || *column(&c.rows) != nil
		*column(&c.rows) = nil
	}
	if !found {
		return
	}
	for _, b := range to {
		arrivals := l.from[l.first[b.from]:l.first[b.to]]
		out := m.take(len(arrivals), len(l.from)-l.first[b.from])
		if m.fill(out, cells, arrivals) {
			*column(b.rows) = slices.Clip(out)
		} else {
			m.room = out[:len(out)+len(m.room)]
		}
	}
	m.free = append(m.free, cells...)
}

// fill puts the cells of arrivals side by side, and reports whether there are any.
func (m *mover[T]) fill(out []T, cells [][]T, arrivals []uint32) (any bool) {
	for i, arrival := range arrivals {
		out[i] = m.none
		if from := cells[arrival/chunkRows]; arrival%chunkRows < uint32(len(from)) {
			v := from[arrival%chunkRows]
			out[i], any = v, any || v == v && v != m.none // a number that is none is not a number
		}
	}
	return any
}

// take returns room for n cells; so many are still to come.
func (m *mover[T]) take(n, still int) []T {
	for last := len(m.free) - 1; n > len(m.room) && last >= 0 && cap(m.free[last]) >= n; last-- {
		m.room, m.free = m.free[last][:cap(m.free[last])], m.free[:last]
	}
	if n > len(m.room) {
		m.room = make([]T, max(n, min(still, chunkRows)))
	}
	out := m.room[:n]
	m.room = m.room[n:]
	return out
}

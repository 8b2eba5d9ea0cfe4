package count

import (
	"slices"

	"tribunal/envelope"
)

// chunkRows is how many rows a chunk of arrivals has.
const chunkRows = 1 << 16

// arrivals are the trials of all tests in the order they came, kept as columns
// in chunks.
//
// They exist because trials of many tests come interleaved: adding each to the
// columns of its own test would touch a dozen distant places, adding it here
// writes on where the one before ended. When all have come, distribute moves
// them to their tests, a column at a time.
type arrivals struct {
	chunks []*chunk
	count  int
}

// chunk is some trials in the order they came.
type chunk struct {
	tests  []uint32 // the number of the test, by row
	rows   envelope.Columns
	inside []*inside // by row; shorter, where nothing is inside of the last
}

// within notes what is inside row n.
func (c *chunk) within(n int, in *inside) {
	if in == nil {
		return
	}
	for len(c.inside) < n {
		c.inside = append(c.inside, nil)
	}
	c.inside = append(c.inside, in)
}

// within is what is inside an arrival, nil for nothing.
func (a *arrivals) within(arrival int) *inside {
	if c := a.chunks[arrival/chunkRows].inside; arrival%chunkRows < len(c) {
		return c[arrival%chunkRows]
	}
	return nil
}

// insides reports whether there is anything inside of any arrival.
func (a *arrivals) insides() bool {
	return slices.ContainsFunc(a.chunks, func(c *chunk) bool { return c.inside != nil })
}

// open is the chunk that takes the next row, and how many it takes. Only the
// first one grows: a small run needs little, and a large one no copying.
func (a *arrivals) open() (c *chunk, room int) {
	if n := len(a.chunks); n > 0 {
		c = a.chunks[n-1]
	}
	if c == nil || len(c.tests) == chunkRows {
		c = &chunk{}
		if len(a.chunks) > 0 {
			c.tests, c.rows.Given = make([]uint32, chunkRows)[:0], make([]envelope.Given, chunkRows)[:0]
		}
		a.chunks = append(a.chunks, c)
	}
	return c, chunkRows - len(c.tests)
}

// add appends a trial and returns its number.
func (a *arrivals) add(test uint32, w *envelope.Row, in *inside, d *envelope.Dictionary) int {
	c, _ := a.open()
	c.within(len(c.tests), in)
	c.tests = append(c.tests, test)
	c.rows.Append(w, d)
	a.count++
	return a.count - 1
}

// take appends the rows of a batch, all of one source.
func (a *arrivals) take(tests []uint32, rows *envelope.Columns, insides []*inside, source int32) (first int) {
	first = a.count
	for from := 0; from < len(tests); {
		c, room := a.open()
		to := min(len(tests), from+room)
		n := len(c.tests)
		c.tests = append(c.tests, tests[from:to]...)
		c.rows.Extend(rows, from, to, cap(c.tests))
		for i := from; i < min(to, len(insides)); i++ {
			c.within(n+i-from, insides[i])
		}
		if source != 0 {
			for i := n; i < len(c.tests); i++ {
				c.rows.Source.Set(i, source)
			}
		}
		a.count += to - from
		from = to
	}
	return first
}

// row is the row of an arrival. Once they are distributed it is empty.
func (a *arrivals) row(arrival int) envelope.Row {
	return a.chunks[arrival/chunkRows].rows.Row(arrival % chunkRows)
}

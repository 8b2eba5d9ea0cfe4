package gotest

import "tribunal/read/marks"

// memory lends captures the memory of those that are done with it: most tests
// pass, and what they printed is read by nobody.
type memory struct {
	free  []capture
	marks marks.Text
}

// shelf is how many captures' memory is kept for the next tests, unless one huge
// line made it huge.
const shelf = 64

// lend gives an empty capture memory to begin with.
func (m *memory) lend(c *capture) {
	if last := len(m.free) - 1; last >= 0 {
		*c, m.free = m.free[last], m.free[:last]
	}
	c.marks = &m.marks
}

// take takes the memory of a capture back. Nothing may use the capture anymore.
func (m *memory) take(c *capture) {
	if len(m.free) < shelf && cap(c.head)+cap(c.tail) <= 8*kept {
		m.free = append(m.free, capture{raw: c.raw[:0], head: c.head[:0], tail: c.tail[:0]})
	}
	*c = capture{}
}

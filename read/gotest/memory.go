package gotest

// memory lends captures the memory of those that are done with it: most tests
// pass, and what they printed is read by nobody.
type memory struct{ free []capture }

// shelf is how many captures' memory is kept for the next tests.
const shelf = 64

// lend gives an empty capture memory to begin with.
func (m *memory) lend(c *capture) {
	if last := len(m.free) - 1; last >= 0 {
		*c, m.free = m.free[last], m.free[:last]
	}
}

// take takes the memory of a capture back. Nothing may use the capture anymore.
func (m *memory) take(c *capture) {
	if len(m.free) < shelf {
		m.free = append(m.free, capture{head: c.head[:0], tail: c.tail[:0]})
	}
	*c = capture{}
}

package gotest

// memory lends captures the memory of those that are done with it: most tests
// pass, and what they printed is read by nobody.
type memory struct{ free [][]byte }

// shelf is how many pieces are kept for the next tests.
const shelf = 64

// lend gives an empty capture memory to begin with.
func (m *memory) lend(c *capture) {
	if last := len(m.free) - 1; last >= 0 {
		c.head, m.free = m.free[last][:0], m.free[:last]
	}
}

// take takes the memory of a capture back. Nothing may use the capture anymore.
func (m *memory) take(c *capture) {
	if cap(c.head) > 0 && len(m.free) < shelf {
		m.free = append(m.free, c.head)
	}
	c.head, c.tail = nil, nil
}

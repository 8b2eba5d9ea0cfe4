package gotest

// memory lends tests the memory of those that ended: most pass, and what they
// printed is read by nobody.
type memory struct{ free []*running }

// shelf is how many tests' memory is kept for the next ones, unless one huge line
// made it huge.
const shelf = 64

// test is a test of which nothing is known, with memory to begin with.
func (m *memory) test() *running {
	last := len(m.free) - 1
	if last < 0 {
		return &running{}
	}
	t := m.free[last]
	m.free = m.free[:last]
	return t
}

// take takes the memory of a test back, unless tests below it may still ask for
// it. Nothing else may use it anymore.
func (m *memory) take(t *running) {
	c := &t.output
	spare := capture{head: c.head[:0], tail: c.tail[:0]}
	switch {
	case len(m.free) == shelf || cap(c.head)+cap(c.tail) > 8*kept:
	case t.above:
		m.free = append(m.free, &running{output: spare})
		*c = capture{}
	default:
		*t = running{output: spare}
		m.free = append(m.free, t)
	}
}

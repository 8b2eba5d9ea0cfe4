package compare

import (
	"errors"

	"tribunal/envelope"
)

// Course is a sequential comparison while its trials are started: it says which tests
// are decided, for whoever starts no more of those. It asks what Runs asks, so that the
// trials of a test that is decided here have a state other than Unresolved there.
//
// Tests that have no pair yet have p-values of 1. Pairs that come later make no adjusted
// p-value larger, so that what is decided stays it.
type Course struct {
	o     Options
	tests [][]Pairs // of each test a pair each, in their order
	found []soonest // of each test, the last that was asked for
}

// soonest is what Soonest found of a test with so many pairs, of at most so many.
type soonest struct{ pairs, most, at int }

// NewCourse is the course of so many tests that have no pair yet.
func NewCourse(tests int, o Options) (*Course, error) {
	if !o.Sequential || o.SequentialTest == TestGSPRT {
		return nil, errors.New("the chart over time needs a sequential comparison by betting")
	}
	return &Course{o: o, tests: make([][]Pairs, tests), found: make([]soonest, tests)}, o.Check()
}

// Add adds the next pair of a test, of which both trials count: who passed.
func (c *Course) Add(test int, base, candidate bool) {
	var p Pairs
	switch {
	case base && candidate:
		p.Both = 1
	case base:
		p.Base = 1
	case candidate:
		p.Candidate = 1
	default:
		p.Neither = 1
	}
	c.tests[test] = append(c.tests[test], p)
}

// Decided reports of each test whether it is decided when so many pairs of each are
// looked at, or all that it has where they are fewer.
func (c *Course) Decided(pairs int) []bool {
	seen := make([][]Pairs, len(c.tests))
	found := make([]Finding, len(c.tests))
	p := make([]float64, len(c.tests))
	for i, all := range c.tests {
		p[i] = 1
		seen[i] = all[:min(pairs, len(all))]
		if len(seen[i]) > 0 {
			found[i] = countedInTurn(seen[i], c.o)
			p[i] = found[i].PValue.V
		}
	}
	decided := make([]bool, len(c.tests))
	for i, q := range c.o.adjust(p) {
		decided[i] = found[i].settleInTurn(seen[i], envelope.Some(q), c.o) != Unresolved
	}
	return decided
}

// Soonest is a number of pairs of a test before which it is not decided, whatever its
// next pairs and those of the others are: more than after, and at most most.
func (c *Course) Soonest(test, after, most int) int {
	known, pairs := &c.found[test], len(c.tests[test])
	if known.at == 0 || known.pairs != pairs || known.most != most {
		*known = soonest{pairs, most, sequenceOf(c.tests[test]).Soonest(c.o.Margin, c.o.alpha(), most)}
	}
	return min(max(known.at, after+1), most)
}

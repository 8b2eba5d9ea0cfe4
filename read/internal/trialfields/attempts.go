package trialfields

import (
	"strings"

	"tribunal/envelope"
	"tribunal/internal/index"
)

// Attempts numbers the trials of each test by their order of occurrence, for
// formats without a number of their own. With a map of keys, reading 200,000 tests of
// JUnit XML takes half as long again.
type Attempts struct {
	index index.Index
	tests [][]numbered // in pieces, of which only the first grows
	count int
	suite string // of the test that was added last
}

type numbered struct {
	key  envelope.Key
	next int32
}

const piece = 1 << 10

// Next is the number of the next trial of the test.
func (a *Attempts) Next(test envelope.Key) envelope.Opt[int32] {
	next := a.Of(test)
	*next++
	return envelope.Some(*next - 1)
}

// Send numbers a trial and hands it on.
func (a *Attempts) Send(t *envelope.Trial, to envelope.Sink) {
	t.Attempt = a.Next(t.Key)
	to.Trial(t)
}

// Of is the number that the next trial of the test has.
func (a *Attempts) Of(test envelope.Key) *int32 {
	hash := a.index.Hash(test.Test, test.Suite, test.Variant)
	n, ok := a.index.Find(hash, func(n uint32) bool { return a.tests[n/piece][n%piece].key == test })
	if !ok {
		n = a.add(hash, test)
	}
	return &a.tests[n/piece][n%piece].next
}

// Len is the number of tests.
func (a *Attempts) Len() int { return a.count }

func (a *Attempts) add(hash uint32, test envelope.Key) uint32 {
	n := uint32(a.count)
	switch {
	case n == 0:
		a.tests = append(a.tests, nil)
	case n%piece == 0:
		a.tests = append(a.tests, make([]numbered, 0, piece))
	}
	last := &a.tests[n/piece]
	*last = append(*last, numbered{key: a.own(test)})
	a.index.Add(hash, n)
	a.count++
	return n
}

// own is the key in memory of its own: that of a record would stay with it, or is used
// again.
func (a *Attempts) own(test envelope.Key) envelope.Key {
	if test.Suite != a.suite {
		a.suite = strings.Clone(test.Suite)
	}
	return envelope.Key{Suite: a.suite, Test: strings.Clone(test.Test), Variant: strings.Clone(test.Variant)}
}

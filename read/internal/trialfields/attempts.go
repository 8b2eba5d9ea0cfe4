package trialfields

import "tribunal/envelope"

// Attempts numbers the trials of each test by their order of occurrence, for
// formats without a number of their own.
type Attempts map[envelope.Key]int32

// Next is the number of the next trial of the test.
func (a Attempts) Next(test envelope.Key) envelope.Opt[int32] {
	n := a[test]
	a[test] = n + 1
	return envelope.Some(n)
}

package standing

import "tribunal/envelope"

// Group is where a test stands in a list of all tests: what needs a person comes
// first.
type Group int

// The groups, in order.
const (
	Failed Group = iota
	Errored
	Undecided
	Quarantined // did not pass, and is known for it
	Flaky       // passed, but not every time
	Passed
	Skipped
	Groups // is how many there are
)

// GroupOf is the group of a test.
func GroupOf(t *envelope.Test) Group {
	switch {
	case t.Status == envelope.Skip:
		return Skipped
	case t.Status == envelope.Pass && t.Flaky:
		return Flaky
	case t.Status == envelope.Pass:
		return Passed
	case t.Quarantined:
		return Quarantined
	case t.Status == envelope.Fail:
		return Failed
	case t.Status == envelope.Inconclusive:
		return Undecided
	}
	return Errored
}

package agent

import (
	"cmp"
	"slices"

	"tribunal/envelope"
)

// group is where a test stands: what is to be mended comes first.
type group int

const (
	failed group = iota
	errored
	undecided
	quarantined // did not pass, and is known for it
	flaky       // passed, but not every time
	fine        // passed or skipped: not listed
)

var nouns = [fine]string{"failed test", "errored test", "inconclusive test", "quarantined test", "flaky test"}

func groupOf(t *envelope.Test) group {
	switch {
	case t.Status == envelope.Skip, t.Status == envelope.Pass && !t.Flaky:
		return fine
	case t.Status == envelope.Pass:
		return flaky
	case t.Quarantined:
		return quarantined
	case t.Status == envelope.Fail:
		return failed
	case t.Status == envelope.Inconclusive:
		return undecided
	}
	return errored
}

// ranked are the tests that are listed: by group, in it those that said
// something first, then those that passed least often, then in the order of the
// envelope.
func ranked(tests []envelope.Test) []*envelope.Test {
	var out []*envelope.Test
	for i := range tests {
		if groupOf(&tests[i]) != fine {
			out = append(out, &tests[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *envelope.Test) int {
		return cmp.Or(cmp.Compare(groupOf(a), groupOf(b)), cmp.Compare(silent(a), silent(b)), cmp.Compare(rate(a), rate(b)))
	})
	return out
}

// silent is 1 for a test of which no text was kept.
func silent(t *envelope.Test) int {
	for i := range t.Details {
		if t.Details[i].Message != "" || t.Details[i].Output != "" {
			return 0
		}
	}
	return 1
}

func rate(t *envelope.Test) float64 {
	if t.Rate.PerProtocol == nil {
		return 0
	}
	return t.Rate.PerProtocol.Value
}

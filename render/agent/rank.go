package agent

import (
	"cmp"
	"slices"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// nouns are what the tests of a group are called; those of later groups are not
// listed.
var nouns = [standing.Passed]string{"failed test", "errored test", "inconclusive test", "quarantined test", "flaky test"}

// ranked are the tests that are listed: by group, in it those that said
// something first, then those that passed least often, then in the order of the
// envelope.
func ranked(tests []envelope.Test) []*envelope.Test {
	var out []*envelope.Test
	for i := range tests {
		if standing.GroupOf(&tests[i]) < standing.Passed {
			out = append(out, &tests[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *envelope.Test) int {
		return cmp.Or(cmp.Compare(standing.GroupOf(a), standing.GroupOf(b)), cmp.Compare(silent(a), silent(b)), cmp.Compare(rate(a), rate(b)))
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

package trend

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/internal/words"
)

// Owned are the tests of an owner that need a look.
type Owned struct {
	Owner string
	Tests int // all of them
	Count map[State]int
}

// needsLook are the states of tests that need a look, the worst first.
var needsLook = []State{Broken, NewFlaky, DriftingDown, Flaky}

// ByOwner counts the tests that need a look by owner, those with the most first; a test
// with several owners counts for each.
func (t *Trend) ByOwner() []Owned {
	place := map[string]int{}
	var all []Owned
	for i := range t.Tests {
		for _, owner := range t.Tests[i].Owners {
			at, known := place[owner]
			if !known {
				at = len(all)
				place[owner] = at
				all = append(all, Owned{Owner: owner, Count: map[State]int{}})
			}
			all[at].Tests++
			all[at].Count[t.Tests[i].State]++
		}
	}
	slices.SortFunc(all, func(a, b Owned) int { return cmp.Or(b.Look()-a.Look(), strings.Compare(a.Owner, b.Owner)) })
	return slices.DeleteFunc(all, func(o Owned) bool { return o.Look() == 0 })
}

// Look is how many tests need a look.
func (o Owned) Look() (n int) {
	for _, s := range needsLook {
		n += o.Count[s]
	}
	return n
}

// Says is what they need it for: 1 broken, 2 flaky of 40 tests.
func (o Owned) Says() string {
	var parts []string
	for _, s := range needsLook {
		if n := o.Count[s]; n > 0 {
			parts = append(parts, words.Count(n)+" "+strings.ToLower(string(s)))
		}
	}
	return strings.Join(parts, ", ") + " of " + words.Plural(o.Tests, "test", "tests")
}

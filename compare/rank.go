package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Ranked lists the tests with what matters first: regressions, tests newly
// broken, improvements, then the unresolved by how far their trials point to a
// difference. Within a group the surer comes first. That a test is newly flaky
// moves it nowhere: among many steady ones some always are.
func (c *Contrast) Ranked() []*Test {
	out := make([]*Test, len(c.Tests))
	for i := range c.Tests {
		out[i] = &c.Tests[i]
	}
	slices.SortFunc(out, func(a, b *Test) int {
		if c := cmp.Compare(group(a), group(b)); c != 0 {
			return c
		}
		if c := cmp.Compare(a.PAdjusted.Or(2), b.PAdjusted.Or(2)); c != 0 {
			return c
		}
		if c := cmp.Compare(a.PValue.Or(2), b.PValue.Or(2)); c != 0 {
			return c
		}
		if c := cmp.Compare(drop(a), drop(b)); c != 0 {
			return c
		}
		return a.Key.Compare(b.Key) // of no two tests the same
	})
	return out
}

// The groups of tests, in the order of Ranked.
const (
	groupRegressed = iota
	groupBroken
	groupImproved
	groupUnresolved
	groupEquivalent
	groupNotRun
)

func group(t *Test) int {
	switch {
	case t.State == Regressed:
		return groupRegressed
	case t.Newly == Broken:
		return groupBroken
	case t.State == Improved:
		return groupImproved
	case t.State == Unresolved:
		return groupUnresolved
	case t.State == Equivalent:
		return groupEquivalent
	}
	return groupNotRun
}

// drop orders by the difference, the largest loss first.
func drop(t *Test) float64 {
	if t.Difference == nil {
		return 2
	}
	return t.Difference.Value
}

// Shown picks the tests that a report for people lists, ranked: at most changed
// that have changed or are newly broken, and at most maybe of those whose trials
// only point to a change. The others are counted by state.
func (c *Contrast) Shown(changed, maybe int) (shown []*Test, hidden map[State]int) {
	hidden = map[State]int{}
	for _, t := range c.Ranked() {
		left := &changed
		if group(t) == groupUnresolved {
			left = &maybe
		}
		if !t.notable() || *left == 0 {
			hidden[t.State]++
			continue
		}
		*left--
		shown = append(shown, t)
	}
	return shown, hidden
}

// hiddenWords say how many tests of each state are not listed, "" when all are.
func hiddenWords(hidden map[State]int) string {
	var parts []string
	for _, state := range append(slices.Clone(States), "") {
		if n := hidden[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, cmp.Or(string(state), "not run")))
		}
	}
	return strings.Join(parts, ", ")
}

// notable reports whether people want to see the test by itself: it has changed,
// or its trials point to a change that they cannot show. The others are only
// counted.
func (t *Test) notable() bool {
	return t.State == Regressed || t.State == Improved || t.Newly != "" || t.State == Unresolved && (t.Difference == nil || t.Difference.Value != 0)
}

// Package suggest finds the words somebody may have meant.
//
// It exists because every table of names in Tribunal (rules, formats, flags,
// config keys, paths) answers an unknown name with the near ones, and that
// should look the same everywhere. It knows nothing of those tables.
package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tribunal/internal/each"
)

// Near returns the known words that resemble word, best first, at most three.
func Near(word string, known []string) []string {
	type scored struct {
		word     string
		distance int
	}
	var near []scored
	for _, k := range known {
		d := distance(strings.ToLower(word), strings.ToLower(k))
		within := d <= max(1, min(len(word), len(k))/3) && d < min(len(word), len(k)) // of single letters, none is near
		if within || len(word) > 1 && strings.HasPrefix(k, word) {
			near = append(near, scored{k, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.distance, b.distance) })
	return each.Of(near[:min(3, len(near))], func(s scored) string { return s.word })
}

// Unknown is the error for a name that is not in a table: it lists the near
// names if there are any, and else all known ones.
func Unknown(what, word string, known []string) error {
	const few = 3
	if near := Near(word, known); len(near) > 0 {
		return fmt.Errorf("unknown %s %q: did you mean %s?", what, word, strings.Join(near, " or "))
	}
	switch {
	case len(known) == 1:
		return fmt.Errorf("unknown %s %q: the only one here is %q", what, word, known[0])
	case len(known) <= few: // such as "these"
		known = each.Of(known, strconv.Quote)
	}
	return fmt.Errorf("unknown %s %q: use one of %s", what, word, strings.Join(known, ", "))
}

// Find is the row of a name. The error is that of Unknown.
func Find[T any](what, word string, rows []T, name func(T) string) (row T, err error) {
	at := slices.IndexFunc(rows, func(row T) bool { return name(row) == word })
	if at < 0 {
		return row, Unknown(what, word, each.Of(rows, name))
	}
	return rows[at], nil
}

// distance is the number of letters to insert, delete, replace or swap with
// their neighbour (optimal string alignment).
func distance(a, b string) int {
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}

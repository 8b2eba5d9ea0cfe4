package pretty

import (
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// DefaultRows is how many tests the table lists unless asked otherwise. A run of
// as many is listed whole, of a longer one the first of what is not a plain pass.
const DefaultRows = 200

// groupNames say what is left out, as in `… and 3 failing tests not listed`.
var groupNames = [standing.Groups]string{"failing", "errored", "inconclusive", "quarantined", "flaky", "passing", "skipped"}

// listing is the tests that are shown, in order, and the numbers of the others.
type listing struct {
	shown   []*envelope.Test
	leftOut [standing.Groups]int
}

// list picks up to so many tests to show: by group, and in the order of the
// envelope within each.
func list(tests []envelope.Test, most int) listing {
	var found [standing.Groups][]*envelope.Test
	var l listing
	for i := range tests {
		g := standing.GroupOf(&tests[i])
		if len(found[g]) < most {
			found[g] = append(found[g], &tests[i])
		} else {
			l.leftOut[g]++
		}
	}
	for g, some := range found {
		room := most - len(l.shown)
		if len(tests) > most && (standing.Group(g) == standing.Passed || standing.Group(g) == standing.Skipped) {
			room = 0
		}
		room = min(room, len(some))
		l.shown = append(l.shown, some[:room]...)
		l.leftOut[g] += len(some) - room
	}
	return l
}

// rest says in words what is left out; empty when nothing is.
func (l listing) rest() string {
	var parts []string
	total := 0
	for g, n := range l.leftOut {
		if n > 0 {
			parts = append(parts, words.Count(n)+" "+groupNames[g])
			total += n
		}
	}
	if total == 0 {
		return ""
	}
	last := len(parts) - 1
	words := parts[last]
	if last > 0 {
		words = strings.Join(parts[:last], ", ") + " and " + words
	}
	if total == 1 {
		return "and " + words + " test not listed"
	}
	return "and " + words + " tests not listed"
}

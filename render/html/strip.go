package html

import (
	"strings"

	"tribunal/envelope"
)

// letters is a run of equal outcomes in the strip of a test. Equal neighbours
// share an element: most tests are one run, however many trials they have.
type letters struct{ Class, Letters, Title string }

type strip []letters

// How much of a strip is shown, in letters.
const (
	stripHead = 24   // in the line of a test whose strip is long,
	stripTail = 8    // at its two ends
	stripFull = 2000 // in the opened test
)

var outcomeWords = map[envelope.Outcome]struct{ class, words string }{
	envelope.Passed: {"p", "passed"}, envelope.Failed: {"f", "failed"}, envelope.Errored: {"e", "errored"},
	envelope.Excluded: {"x", "excluded"}, envelope.Skipped: {"s", "skipped"},
}

// shortStrip is the strip as it fits a line, and whether it is all of it.
func shortStrip(all envelope.Outcomes) (strip []letters, whole bool) {
	if fitsLine(all) {
		return runs(all, 0, len(all)), true
	}
	tail := len(all) - stripTail
	return append(append(runs(all, 0, stripHead), gap(tail-stripHead)), runs(all, tail, len(all))...), false
}

// fitsLine reports whether a line shows all of a strip.
func fitsLine(all envelope.Outcomes) bool { return len(all) <= stripHead+stripTail+2 }

// longStrip is the strip as an opened test shows it.
func longStrip(all envelope.Outcomes) []letters {
	if len(all) <= stripFull {
		return runs(all, 0, len(all))
	}
	return append(runs(all, 0, stripFull), gap(len(all)-stripFull))
}

// gap says how many trials are not shown.
func gap(n int) letters {
	return letters{"gap", " +" + count(int64(n)) + " ", plural(int64(n), "trial") + " not shown here"}
}

// runs are the outcomes from, from+1, … to-1, equal neighbours together.
func runs(all envelope.Outcomes, from, to int) []letters {
	out := make([]letters, 0, runsOf(all[from:to]))
	for start := from; start < to; {
		end := start + 1
		for end < to && all[end] == all[start] {
			end++
		}
		out = append(out, equal(all[start], start, end))
		start = end
	}
	return out
}

func runsOf(all envelope.Outcomes) int {
	n := min(1, len(all))
	for i := 1; i < len(all); i++ {
		if all[i] != all[i-1] {
			n++
		}
	}
	return n
}

// equal is the trials start, …, end-1 that ended alike.
func equal(o envelope.Outcome, start, end int) letters {
	w, ok := outcomeWords[o]
	letter := string([]byte{byte(o)})
	if !ok { // of a later version
		w.class, w.words, letter = "x", "unknown", "?"
	}
	return letters{w.class, strings.Repeat(letter, end-start), trialsEnded(start, end, w.words)}
}

// trialsEnded says how the trials start, …, end-1 ended, as people count them.
func trialsEnded(start, end int, words string) string {
	if end == start+1 {
		return "trial " + count(int64(end)) + " " + words
	}
	return "trials " + count(int64(start+1)) + " to " + count(int64(end)) + " " + words
}

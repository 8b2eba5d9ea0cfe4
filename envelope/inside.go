package envelope

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Transcript is the conversation of a trial, and whether it was kept.
func (e *Envelope) Transcript(t *Test, trial int) (turns []Turn, kept bool) {
	at, kept := slices.BinarySearchFunc(t.Transcripts, trial, func(tr Transcript, row int) int { return tr.Trial - row })
	if !kept {
		return nil, false
	}
	return t.Transcripts[at].Turns(e.Texts), true
}

// StepsOf are the tool calls of a trial in order, at most MostSteps of them, and
// whether it is known which there were. Its end is cut off where the column
// StepsTotal says how many there were.
func (e *Envelope) StepsOf(t *Test, trial int) (steps iter.Seq[Step], known bool) {
	places, known := t.Rows.Steps().At(trial)
	return func(yield func(Step) bool) {
		for _, place := range places {
			if !yield(e.Steps[place]) {
				return
			}
		}
	}, known
}

// CheckNames are the checks of the test, those that fail most first.
func (t *Test) CheckNames() []string {
	names := slices.Collect(maps.Keys(t.Checks))
	share := func(c CheckRate) float64 {
		if c.N == 0 {
			return 2 // never tried: behind all
		}
		return float64(c.Passed) / float64(c.N)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := t.Checks[a], t.Checks[b]
		return cmp.Or(cmp.Compare(share(x), share(y)), cmp.Compare(y.N, x.N), strings.Compare(a, b))
	})
	return names
}

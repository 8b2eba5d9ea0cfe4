package compare

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tribunal/envelope"
	"tribunal/stats"
)

// turns is which run of its side a trial is of, from 0 in the order in which they
// began, by the name of the run. Pairs of a sequential comparison are looked at run
// after run: one that a later look puts between two others would change what was
// said before.
type turns struct {
	base, candidate map[string]int
	fewest          int // pairs with which a test could be decided
}

// turnsOf are those of both sides. The error is that of a side whose runs cannot be put
// in an order that stays.
func turnsOf(base, candidate Input, o Options) (*turns, error) {
	t := turns{fewest: stats.PairedSequence(nil).Soonest(0, o.alpha(), mostPairs)}
	var err error
	if t.base, err = turnsOfSide(base); err != nil {
		return nil, err
	}
	t.candidate, err = turnsOfSide(candidate)
	return &t, err
}

// mostPairs are as many as decide a test at any confidence, where all of them differ.
const mostPairs = 100

// span is when the trials of a run began, the first and the last.
type span struct {
	run         string
	first, last envelope.Opt[int64]
}

func (s *span) add(at int64) {
	if !s.first.OK || at < s.first.V {
		s.first = envelope.Some(at)
	}
	if !s.last.OK || at > s.last.V {
		s.last = envelope.Some(at)
	}
}

func turnsOfSide(in Input) (map[string]int, error) {
	spans := spansOf(in.Envelope)
	if len(spans) > 1 {
		for _, s := range spans {
			if !s.first.OK {
				return nil, refused(in, fmt.Sprintf("run %q does not say when it began", s.run), "give its header or its trials a started_at")
			}
		}
		slices.SortFunc(spans, func(a, b *span) int { return cmp.Compare(a.first.V, b.first.V) })
		for i := 1; i < len(spans); i++ {
			if before := spans[i-1]; before.last.V >= spans[i].first.V {
				return nil, refused(in, fmt.Sprintf("run %q had not ended when run %q began", before.run, spans[i].run), "start one run after the other, or give trials of parallel runs one run name and their own numbers")
			}
		}
	}
	out := make(map[string]int, len(spans))
	for i, s := range spans {
		out[s.run] = i
	}
	return out, nil
}

func refused(in Input, why, cure string) error {
	return fmt.Errorf("comparing %s: a sequential comparison needs the order in which runs began, but %s; %s, or compare once, at the end", in.Name, why, cure)
}

// spansOf are the runs of an envelope by name. A run whose trials do not say when they
// began began when its header says.
func spansOf(e *envelope.Envelope) []*span {
	byName := map[string]*span{}
	var all []*span
	for i := range e.Tests {
		rows := e.Tests[i].Rows
		for row := range rows.Len() {
			name := rows.Run().At(row)
			s := byName[name]
			if s == nil {
				s = &span{run: name}
				byName[name], all = s, append(all, s)
			}
			if at, ok := rows.StartedAt().At(row); ok {
				s.add(at)
			}
		}
	}
	for _, h := range append([]envelope.Header{e.Run.Header}, e.Run.Headers...) {
		at, err := time.Parse(time.RFC3339Nano, h.StartedAt)
		if s := byName[h.ID]; s != nil && !s.first.OK && err == nil {
			s.add(at.UnixNano())
		}
	}
	return all
}

// partners are the rows of a base and a candidate that are of the same turn and have the
// same number in it, in order.
func (t *turns) partners(base, candidate *sample) [][2]int {
	ours, ok := base.numberedBy(func(run string) string { return run })
	theirs, also := candidate.numberedBy(func(run string) string { return run })
	if !ok || !also {
		return nil
	}
	type place struct {
		turn    int
		attempt int32
	}
	places := make(map[place]int, len(theirs))
	for n, row := range theirs {
		places[place{t.candidate[n.run], n.attempt}] = row
	}
	var out [][2]int
	at := map[int]place{}
	for n, row := range ours {
		p := place{t.base[n.run], n.attempt}
		if partner, found := places[p]; found {
			out = append(out, [2]int{row, partner})
			at[row] = p
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int {
		x, y := at[a[0]], at[b[0]]
		return cmp.Or(cmp.Compare(x.turn, y.turn), cmp.Compare(x.attempt, y.attempt))
	})
	return out
}

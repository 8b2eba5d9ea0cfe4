package compare

import (
	"tribunal/envelope"
	"tribunal/verdict/parting"
)

// FirstDifference is where two trials of a test part, one of each side: the first
// that did not pass of the side that is worse, and of those that passed on the other
// side the nearest to it, by the longest common beginning and then by the most equal
// calls.
type FirstDifference struct {
	Shared    int `json:"shared"` // equal calls before it
	Base      Way `json:"base"`
	Candidate Way `json:"candidate"`
}

// Way is how a trial goes on: by a call, or by none.
type Way struct {
	Trial     int    `json:"trial"` // its row, 0-based
	Name      string `json:"name,omitempty"`
	Digest    string `json:"digest,omitempty"`
	Arguments string `json:"arguments,omitempty"` // in short, where both are of one tool and kept
	Ended     bool   `json:"ended,omitempty"`     // no further call
	Unknown   bool   `json:"unknown,omitempty"`   // further calls, which are not kept
	// Reached are the trials of this side that begin with the same calls, Took those
	// of them that go on in this way.
	Reached int `json:"reached"`
	Took    int `json:"took"`
}

// Same reports whether the calls of both trials are the same to the end.
func (d *FirstDifference) Same() bool { return d.Base.Ended && d.Candidate.Ended }

// walk is a trial by its calls.
type walk struct {
	row   int
	steps []envelope.Step
	cut   bool // it made more
}

// firstDifference is nil where one side has no such trial whose calls are known.
func (in *inside) firstDifference(m *match, improved bool) *FirstDifference {
	before, now := in.walks(0, m.base), in.walks(1, m.candidate)
	worse, better := now, before
	if improved {
		worse, better = before, now
	}
	failed := notPassing(worse)
	if failed == nil {
		return nil
	}
	var passed []walk
	var among [][]envelope.Step
	for _, w := range better.all {
		if better.sample.did(w.row) {
			passed, among = append(passed, w), append(among, w.steps)
		}
	}
	at := parting.Nearest(failed.steps, among)
	if at < 0 {
		return nil
	}
	first, second := passed[at], *failed
	if improved {
		first, second = second, first
	}
	d := &FirstDifference{Shared: parting.CommonPrefix(first.steps, second.steps)}
	d.Base, d.Candidate = before.way(first, d.Shared), now.way(second, d.Shared)
	if d.Base.Name != "" && d.Base.Name == d.Candidate.Name {
		a, known := in.arguments(in.base, m.base.test, first.row, d.Shared)
		b, also := in.arguments(in.candidate, m.candidate.test, second.row, d.Shared)
		if known && also {
			d.Base.Arguments, d.Candidate.Arguments = parting.Differing(a, b)
		}
	}
	return d
}

func (in *inside) arguments(e *envelope.Envelope, t *envelope.Test, row, step int) (string, bool) {
	return parting.ArgumentsOf(e, t, in.ignore)(parting.Trial{Row: row}, step)
}

// walks are the trials of a sample of which the calls are known.
type walks struct {
	sample sample
	all    []walk
}

func (in *inside) walks(side int, s sample) walks {
	out := walks{sample: s}
	for _, row := range s.rows {
		places, known := s.test.Rows.Steps().At(row)
		if !known {
			continue
		}
		total := int(s.test.Rows.StepsTotal().Opt(row).Or(int32(len(places))))
		out.all = append(out.all, walk{row: row, steps: in.tables[side].Steps(places), cut: total > len(places)})
	}
	return out
}

func notPassing(w walks) *walk {
	for i := range w.all {
		if !w.sample.did(w.all[i].row) {
			return &w.all[i]
		}
	}
	return nil
}

// way is how a trial goes on after the calls that it shares, and how many of its
// side do the same.
func (w walks) way(of walk, shared int) Way {
	out := Way{Trial: of.row}
	switch {
	case shared < len(of.steps):
		out.Name, out.Digest = of.steps[shared].Name, of.steps[shared].Digest
	case of.cut:
		out.Unknown = true
	default:
		out.Ended = true
	}
	for _, other := range w.all {
		if parting.CommonPrefix(of.steps[:shared], other.steps) < shared {
			continue
		}
		out.Reached++
		if more := len(other.steps) > shared; more && out.Name != "" && other.steps[shared] == of.steps[shared] ||
			!more && (other.cut && out.Unknown || !other.cut && out.Ended) {
			out.Took++
		}
	}
	return out
}

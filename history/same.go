package history

import (
	"slices"

	"tribunal/envelope"
)

// trialsOf is a hash of the trials of a run alone: nothing of its header, of the
// paths of its inputs or of the policy it was judged under goes into it.
func trialsOf(e *envelope.Envelope) (string, error) {
	h := newTestHash()
	for i := range e.Tests {
		rows := rowsOf(&e.Tests[i])
		if err := h.beginBare(e.Tests[i].Key, rows); err != nil {
			return "", err
		}
		h.makers(rows)
		h.end()
	}
	return h.sum(), nil
}

// rowsOf are the rows of a test, without any where there are none.
func rowsOf(t *envelope.Test) *envelope.Rows {
	if t.Rows == nil {
		return &envelope.Rows{}
	}
	return t.Rows
}

// occasion is by what a run is recognised among stored ones.
type occasion struct {
	run, trials string // hashes: its id, and that of its trials alone
	says        envelope.Header
	began       int64
	dated       bool // whether began is known
	inTrials    bool // whether its trials say when they began
}

func occasionOf(e *envelope.Envelope) (o occasion, err error) {
	if o.run, err = identity(e); err != nil {
		return o, err
	}
	o.says = e.Run.Header
	o.began, o.dated = e.Began()
	o.inTrials = slices.ContainsFunc(e.Tests, func(t envelope.Test) bool { return len(rowsOf(&t).StartedAt().Values()) > 0 })
	o.trials, err = trialsOf(e)
	return o, err
}

// without leaves the run itself out of stored ones, so that it counts once under
// whatever words and path it was added. Runs without any time in them look
// alike: of several that could be this one, the latest is taken for it.
func (o occasion) without(runs []Run) []Run {
	if o.dated {
		return slices.DeleteFunc(runs, func(r Run) bool { return r.ID == o.run || o.isOf(r) })
	}
	at := slices.IndexFunc(runs, func(r Run) bool { return r.ID == o.run })
	for i := len(runs) - 1; at < 0 && i >= 0; i-- {
		if o.isOf(runs[i]) {
			at = i
		}
	}
	if at < 0 {
		return runs
	}
	return slices.Delete(runs, at, at+1)
}

// isOf reports whether a stored run is this one: its trials are the same, and
// unless they say themselves when they began, it began at the same time and is
// called by no other id. Without a time, another commit speaks against it as
// well. What only one of the two says speaks for nothing: it may have been said
// while adding.
func (o occasion) isOf(r Run) bool {
	switch {
	case r.trials != o.trials:
		return false
	case o.inTrials:
		return true
	case differ(o.says.ID, r.Header.ID):
		return false
	case o.dated:
		began, known := envelope.Instant(r.Header.StartedAt)
		return known && began == o.began
	}
	return !differ(o.says.Commit, r.Header.Commit)
}

// saysOtherwise reports that a stored run is called otherwise than this one, in a word that
// both have: somebody parts two runs of the same trials. When they began, their trials say,
// unless a header does.
func (o occasion) saysOtherwise(stored envelope.RunHeader) bool {
	for name, value := range o.says.Labels {
		if differ(value, stored.Labels[name]) {
			return true
		}
	}
	began, known := envelope.Instant(stored.StartedAt)
	return differ(o.says.Name, stored.Name) || differ(o.says.ID, stored.ID) || differ(o.says.Commit, stored.Commit) || known && began != o.began
}

// differ reports whether both say something, and not the same.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

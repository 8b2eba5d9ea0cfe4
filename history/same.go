package history

import (
	"crypto/sha256"
	"io"
	"slices"

	"tribunal/envelope"
)

// trialsOf is a hash of the trials of a run alone: nothing of its header, of the
// paths of its inputs or of the policy it was judged under goes into it.
func trialsOf(e *envelope.Envelope) (string, error) {
	h := sha256.New()
	for i := range e.Tests {
		t := &e.Tests[i]
		rows := rowsOf(t)
		text, err := jsonText(struct {
			Key    envelope.Key
			Rows   *envelope.Rows
			Makers []int
		}{t.Key, bare(rows), makers(rows)})
		if err != nil {
			return "", err
		}
		io.WriteString(h, "\n"+text)
	}
	return digest(h, nil), nil
}

// rowsOf are the rows of a test, without any where there are none.
func rowsOf(t *envelope.Test) *envelope.Rows {
	if t.Rows == nil {
		return &envelope.Rows{}
	}
	return t.Rows
}

// bare is rows without what paths and policies make of them.
func bare(rows *envelope.Rows) *envelope.Rows {
	out := *rows
	out.Source, out.Run = nil, envelope.Words{}
	out.Outcome = make(envelope.Outcomes, rows.Len())
	for i, given := range rows.Given {
		out.Outcome[i] = envelope.Outcome(given)
	}
	return &out
}

// makers numbers the processes that made the trials, in the order in which
// they appear: where a format does not name them, their names are paths.
func makers(rows *envelope.Rows) []int {
	known, out := map[string]int{}, make([]int, rows.Len())
	for i := range out {
		name := rows.Run.At(i)
		if _, there := known[name]; !there {
			known[name] = len(known)
		}
		out[i] = known[name]
	}
	return out
}

// occasion is by what a run is recognised among stored ones.
type occasion struct {
	run, trials string // hashes: its id, and that of its trials alone
	id, commit  string // as its header says
	began       int64
	dated       bool // whether began is known
	inTrials    bool // whether its trials say when they began
}

func occasionOf(e *envelope.Envelope) (o occasion, err error) {
	if o.run, err = identity(e); err != nil {
		return o, err
	}
	o.id, o.commit = e.Run.ID, e.Run.Commit
	o.began, o.dated = e.Began()
	o.inTrials = slices.ContainsFunc(e.Tests, func(t envelope.Test) bool { return len(rowsOf(&t).StartedAt.Values()) > 0 })
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
	case differ(o.id, r.Header.ID):
		return false
	case o.dated:
		began, known := envelope.Instant(r.Header.StartedAt)
		return known && began == o.began
	}
	return !differ(o.commit, r.Header.Commit)
}

// differ reports whether both say something, and not the same.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

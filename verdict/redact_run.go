package verdict

import (
	"maps"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/gate"
)

// runRedactor walks every text of a run and of a policy and puts what its functions
// make of it in its place. What it changes it copies first.
type runRedactor struct {
	name  func(string) string // of what things are identified by
	text  func(string) string // of what people read
	label func(name, value string) string
	words func(w envelope.Words, rows int) envelope.Words

	only  []bool   // the tests to look at; nil for all of them
	texts []string // of the run, which transcripts may refer to

	changed bool // since it was last set to false
	renamed bool // a name or a label changed
	dicts   map[*envelope.Dictionary]*envelope.Dictionary
}

func (e *runRedactor) put(to *string, s string) {
	if s != *to {
		*to, e.changed = s, true
	}
}

func (e *runRedactor) putText(to *string) { e.put(to, e.text(*to)) }

func (e *runRedactor) putName(to *string) {
	if s := e.name(*to); s != *to {
		*to, e.changed, e.renamed = s, true, true
	}
}

// labels returns the map itself when nothing in it changes.
func (e *runRedactor) labels(labels map[string]string) map[string]string {
	if len(labels) == 0 {
		return labels
	}
	var out map[string]string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		key, value := e.name(name), e.label(name, labels[name])
		if key == name && value == labels[name] {
			continue
		}
		if out == nil {
			out = maps.Clone(labels)
		}
		delete(out, name)
		out[key], e.changed, e.renamed = value, true, true
	}
	if out == nil {
		return labels
	}
	return out
}

// edited edits a copy of every element and returns the slice itself when nothing changes.
func edited[T any](e *runRedactor, list []T, edit func(*T)) []T {
	if len(list) == 0 {
		return list
	}
	was, copied := e.changed, false
	var v T // one for all, since edit may keep it from the stack
	for i := range list {
		v = list[i]
		e.changed = false
		if edit(&v); !e.changed {
			continue
		}
		if !copied {
			list, copied = slices.Clone(list), true
		}
		list[i] = v
	}
	e.changed = was || copied
	return list
}

// run returns the run itself when nothing in it changes.
func (e *runRedactor) run(run *envelope.Run) *envelope.Run {
	out := *run
	e.changed, e.texts = false, run.Texts
	e.header(&out.Header.Header)
	out.Header.Headers = edited(e, out.Header.Headers, e.header)
	out.Header.Sources = edited(e, out.Header.Sources, func(s *envelope.Source) {
		e.putName(&s.Input)
		e.putName(&s.Format)
	})
	out.Steps = edited(e, out.Steps, func(s *envelope.Step) { e.putName(&s.Name) })
	out.Tests = e.tests(out.Tests)
	out.Problems = edited(e, out.Problems, e.problem)
	if !e.changed {
		return run
	}
	out.Problems = envelope.SortProblems(slices.Clone(out.Problems))
	return &out
}

// whyFailed edits the reasons of a run, whose texts are those of trials again: they are not counted with these.
func (e *runRedactor) whyFailed(run *envelope.Run) *envelope.Run {
	e.changed = false
	reasons := edited(e, run.Reasons, func(r *envelope.Reason) {
		e.putText((*string)(&r.Key))
		e.putText(&r.First)
		e.putText(&r.Last)
		r.Names = edited(e, r.Names, e.putText)
	})
	if !e.changed {
		return run
	}
	out := *run
	out.Reasons = reasons
	return &out
}

// tests is each for those tests that are to be looked at.
func (e *runRedactor) tests(tests []envelope.Test) []envelope.Test {
	switch {
	case e.only == nil:
		return edited(e, tests, e.tally)
	case !slices.Contains(e.only, true):
		return tests
	}
	at := -1
	return edited(e, tests, func(t *envelope.Test) {
		if at++; e.only[at] {
			e.tally(t)
		}
	})
}

func (e *runRedactor) header(h *envelope.Header) {
	for _, s := range []*string{&h.Name, &h.ID, &h.Commit, &h.StartedAt} {
		e.putName(s)
	}
	h.Labels = e.labels(h.Labels)
}

func (e *runRedactor) tally(t *envelope.Test) {
	e.putName(&t.Suite)
	e.putName(&t.Test)
	e.putName(&t.Variant)
	e.putName(&t.File)
	t.Owners = edited(e, t.Owners, e.putName)
	t.Labels = e.labels(t.Labels)
	t.Varies = edited(e, t.Varies, e.putName)
	t.Rows = e.rows(t.Rows)
	t.Details = edited(e, t.Details, e.detail)
	t.Transcripts = edited(e, t.Transcripts, e.transcript)
	t.Endings = edited(e, t.Endings, func(ending *envelope.Ending) { e.putName(&ending.Run) })
}

// rows returns the rows themselves when nothing in them changes.
func (e *runRedactor) rows(rows *envelope.Rows) *envelope.Rows {
	was := e.changed
	e.changed = false
	run, status, class := e.column(rows, rows.Run()), e.column(rows, rows.RawStatus()), e.column(rows, rows.ErrorClass())
	checks := e.checks(rows.Checks())
	if e.changed {
		rows = rows.Changed(func(c *envelope.Columns) {
			c.Run, c.RawStatus, c.ErrorClass, c.Checks = run, status, class, checks
		})
	}
	e.changed = e.changed || was
	return rows
}

func (e *runRedactor) column(rows *envelope.Rows, w envelope.Words) envelope.Words {
	if !w.Used() {
		return w
	}
	return e.words(w, rows.Len())
}

// mapWords looks at each string of a dictionary once, however many columns and rows use it.
func (e *runRedactor) mapWords(w envelope.Words, _ int) envelope.Words {
	from := w.Dictionary()
	to, known := e.dicts[from]
	if !known {
		to = from.Map(e.name)
		each.Put(&e.dicts, from, to)
	}
	if to == from {
		return w
	}
	e.changed, e.renamed = true, true
	return w.In(to)
}

// detailNames edits what a detail has of its row.
func (e *runRedactor) detailNames(d *envelope.Detail) {
	e.putName(&d.Run)
	e.putName(&d.ErrorClass)
	status := string(d.Status)
	e.putName(&status)
	d.Status = envelope.Status(status)
}

func (e *runRedactor) detail(d *envelope.Detail) {
	e.detailNames(d)
	e.putText(&d.Message)
	e.putText(&d.Output)
	d.Labels = e.labels(d.Labels)
	d.Reasons = e.reasons(d.Reasons)
	d.Attachments = edited(e, d.Attachments, func(a *envelope.Attachment) { e.changed = a.Edit(e.text) || e.changed })
}

// transcript edits a conversation. It is unpacked to be looked at, and packed again only where something changes.
func (e *runRedactor) transcript(t *envelope.Transcript) {
	turns := t.Turns(e.texts)
	changed := false
	for i := range turns {
		changed = turns[i].Edit(e.text, e.label) || changed
	}
	if changed {
		*t, e.changed = envelope.NewTranscript(t.Trial, turns), true
	}
}

// reasons edits what checks say. Their names are those of the columns.
func (e *runRedactor) reasons(reasons map[string]string) map[string]string {
	var out map[string]string
	for name, reason := range reasons {
		key, text := e.name(name), e.text(reason)
		if key == name && text == reason {
			continue
		}
		if out == nil {
			out = make(map[string]string, len(reasons))
			for name, reason := range reasons {
				out[e.name(name)] = e.text(reason)
			}
		}
	}
	if out == nil {
		return reasons
	}
	e.changed = true
	return out
}

func (e *runRedactor) checks(checks envelope.Checks) envelope.Checks {
	if len(checks) == 0 {
		return checks
	}
	was := e.changed
	e.changed = false
	checks = edited(e, checks, func(c *envelope.CheckColumn) { e.putName(&c.Name) })
	if e.changed {
		checks = slices.Clone(checks)
		slices.SortFunc(checks, envelope.CheckColumn.Compare)
	}
	e.changed = e.changed || was
	return checks
}

// problem leaves what is found again by counting to the counting.
func (e *runRedactor) problem(p *envelope.Problem) {
	if p.Stage != "" {
		return
	}
	e.putText(&p.Message)
	e.putText(&p.Code)
	e.put((*string)(&p.Severity), e.text(string(p.Severity)))
	e.put(&p.Input, e.name(p.Input))
}

// policy edits the words of a policy that its author chose freely. Those of its
// globs and conditions must still be found in names that were edited.
func (e *runRedactor) policy(p envelope.Policy) envelope.Policy {
	e.putName(&p.ClusterBy)
	e.putText(&p.Config)
	p.RedactFields = edited(e, p.RedactFields, e.putName)
	p.IgnoreSteps = edited(e, p.IgnoreSteps, e.putName)
	p.Gates = edited(e, p.Gates, func(g *envelope.GateExpr) {
		e.putName(&g.Name)
		if expr := e.name(g.Expr); gate.Valid(expr) == nil { // what looks like a secret may be a word of the language
			e.put(&g.Expr, expr)
		}
	})
	p.Quarantine = edited(e, p.Quarantine, func(q *envelope.Quarantine) {
		e.putName(&q.Match)
		for _, s := range []*string{&q.Owner, &q.Reason, &q.Ticket} {
			e.putText(s)
		}
	})
	p.Overrides = edited(e, p.Overrides, func(o *envelope.Override) {
		e.putName(&o.Match)
		o.Labels = e.labels(o.Labels)
		o.Policy = e.policy(o.Policy)
	})
	return p
}

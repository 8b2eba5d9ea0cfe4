package count

import (
	"math"

	"tribunal/envelope"
)

// mergeRows counts the trials of a recorded test. They are kept as columns already:
// the columns stay as they are where nothing of the test came before.
func (b *Builder) mergeRows(from *envelope.Tally, of *envelope.Run, sets func(int32) int32) {
	test := b.testNumber(from.Key)
	tl := b.tests[test]
	tl.define(from.File, from.Line)
	for name, value := range from.Labels {
		tl.label(name, value)
	}
	for _, name := range from.Varies {
		tl.label(name, "")
		tl.varies = mark(tl.varies, name)
	}
	b.adoptEndings(test, from.Endings)
	whole, first := b.seen[test] == 0, firstMerged
	rows, outcomes := from.Rows.Changed(func(c *envelope.Columns) {
		c.Source, c.Steps = sourcesIn(from.Rows, sets), b.adoptSteps(c.Steps, of.Steps)
		c.Reason = b.adoptReasons(c.Reason, of.Reasons)
	}), from.Rows.Outcome
	rows.Outcome = nil
	if whole {
		tl.merged, b.merged = rows, append(b.merged, test)
		tl.details.kept = make([]*candidate, 0, len(from.Details))
	} else {
		first = b.addRows(test, rows)
	}
	var seen [256]bool
	for _, given := range rows.Given {
		if !seen[given] { // the others of its kind add nothing
			seen[given] = true
			b.updateGlance(test, given)
		}
	}
	keep := max(b.keep, len(from.Details))
	for i := range from.Details {
		d := &from.Details[i]
		w := rows.Row(d.Trial)
		if !hasDetail(&w) {
			continue
		}
		c := candidate{detail: *d, place: place{attempt: w.Attempt, run: w.Run, arrival: first + d.Trial, priority: min(b.priority(&w, nil), prioritySkipped)}} // it was kept, so its trial did not pass
		tl.details.add(&c, keep, b.rowsOf(tl), b.dict)
	}
	b.mergeConversations(tl, from, of, rows, outcomes, first)
}

// mergeConversations takes the conversations that were kept of a recorded test, with the
// texts that they share.
func (b *Builder) mergeConversations(tl *tally, from *envelope.Tally, of *envelope.Run, rows *envelope.Rows, outcomes envelope.Outcomes, first int) {
	for _, t := range from.Transcripts {
		w := rows.Row(t.Trial)
		p := place{attempt: w.Attempt, run: w.Run, arrival: first + t.Trial, priority: b.priority(&w, insideOf(rows, t.Trial))}
		if t.Trial < len(outcomes) {
			p.priority = keptFor(p.priority, &w, outcomes[t.Trial])
		}
		tl.addConversation(conversation{transcript: t.Resolved(of.Texts), place: p}, KeepAll, b.rowsOf(tl)) // how many are wanted is known when all are there
	}
}

// keptFor is the priority that a conversation was kept by: that of its trial as it was
// judged, under whatever threshold. One that came as a pass is one beyond a cost limit as
// well.
func keptFor(now int, w *envelope.Row, outcome envelope.Outcome) int {
	if outcome == envelope.Passed || outcome == envelope.Excluded && w.Given == envelope.Given(envelope.Passed) {
		return priorityPassed
	}
	return min(now, prioritySkipped)
}

// firstMerged is the number of the arrival of the first row of a test that was
// merged whole: its rows come before all others of the test.
const firstMerged = math.MinInt

// rowsOf finds the rows of a test while it is counted.
type rowsOf struct {
	merged  *envelope.Rows
	arrived *arrivals
}

func (b *Builder) rowsOf(tl *tally) rowsOf { return rowsOf{tl.merged, &b.arrivals} }

func (r rowsOf) row(arrival int) envelope.Row {
	if arrival < 0 {
		return r.merged.Row(arrival - firstMerged)
	}
	return r.arrived.row(arrival)
}

// addRows adds rows as if their trials had just come, and returns the number of
// the first.
func (b *Builder) addRows(test uint32, rows *envelope.Rows) (first int) {
	first = b.arrivals.count
	for i := range rows.Len() {
		w := rows.Row(i)
		b.arrivals.add(test, &w, insideOf(rows, i), b.dict)
	}
	return first
}

// sourcesIn is the source column under other numbers.
func sourcesIn(rows *envelope.Rows, sets func(int32) int32) envelope.Column[int32] {
	sources := rows.Source()
	if sources == nil && (rows.Len() == 0 || sets(0) == 0) {
		return nil
	}
	var out envelope.Column[int32]
	for i := range rows.Len() {
		source, _ := sources.At(i)
		source = sets(source)
		out.Put(i, envelope.Opt[int32]{V: source, OK: source != 0})
	}
	return out
}

// join puts the rows that were merged before those that arrived, and returns
// which row of the test an arrival is.
func (b *Builder) join(tl *tally, row func(arrival int) int) func(arrival int) int {
	if tl.merged == nil {
		return row
	}
	n := tl.merged.Len()
	if tl.end.Rows.Len() == 0 {
		tl.end.Rows = tl.merged
	} else {
		merged, arrived := tl.merged.Columns(), tl.end.Rows.Columns()
		for _, w := range []*envelope.Words{&merged.Run, &merged.RawStatus, &merged.ErrorClass} {
			*w = wordsOf(*w, b.dict)
		}
		var both envelope.Columns
		both.Extend(&merged, 0, n, n+len(arrived.Given))
		both.Extend(&arrived, 0, len(arrived.Given), n+len(arrived.Given))
		tl.end.Rows = both.Rows()
	}
	tl.merged = nil
	return func(arrival int) int {
		if arrival < 0 {
			return arrival - firstMerged
		}
		return n + row(arrival)
	}
}

// wordsOf is the same column with words of another dictionary.
func wordsOf(w envelope.Words, d *envelope.Dictionary) envelope.Words {
	var out envelope.Words
	for i := range w.IDs {
		if s := w.At(i); s != "" {
			out.Set(i, d.Word(s))
		}
	}
	return out
}

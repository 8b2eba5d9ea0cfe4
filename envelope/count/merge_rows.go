package count

import (
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/parallel"
)

// mergeRows counts the trials of a recorded test. They are kept as columns already:
// the columns stay as they are where nothing of the test came before.
func (b *Builder) mergeRows(from *envelope.Test, of *envelope.Run, sets func(int32) int32) {
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
	b.mergeEndings(test, from.EndingsIn(&of.Header))
	whole, first := b.seen[test] == 0, firstMerged
	c := from.Rows.Columns()
	c.Source, c.Steps = sourcesIn(from.Rows, sets), b.mapSteps(c.Steps, of.Steps)
	c.Reason = b.mergeReasons(c.Reason, of.Reasons)
	own := b.recordedRows.Add(&c)
	rows := &own
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
		// it was kept, so its trial did not pass
		c := candidate{detail: *d, place: place{attempt: w.Attempt, run: w.Run, arrival: first + d.Trial,
			priority: min(b.priority(&w, nil), prioritySkipped)}}
		tl.details.add(&c, keep, b.rowsOf(tl), b.dict)
	}
	b.mergeConversations(tl, from, of, rows, from.Rows.Outcome, first)
}

// mergeConversations takes the conversations that were kept of a recorded test, with the texts that they share.
func (b *Builder) mergeConversations(tl *tally, from *envelope.Test, of *envelope.Run, rows *envelope.Rows, outcomes envelope.Outcomes,
	first int) {
	for _, t := range from.Transcripts {
		w := rows.Row(t.Trial)
		p := place{attempt: w.Attempt, run: w.Run, arrival: first + t.Trial, priority: b.priority(&w, insideOf(rows, t.Trial))}
		if t.Trial < len(outcomes) {
			p.priority = keptFor(p.priority, &w, outcomes[t.Trial])
		}
		// how many are wanted is known when all are there
		tl.addConversation(conversation{transcript: t.Resolved(of.Texts), place: p}, KeepAll, b.rowsOf(tl))
	}
}

// keptFor is the priority that a conversation was kept by: that of its trial as it was judged,
// under whatever threshold. One that came as a pass is one beyond a cost limit as well.
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

// addRows adds rows as if their trials had just come, and returns the number of the first.
func (b *Builder) addRows(test uint32, rows *envelope.Rows) (first int) {
	first = b.arrivals.count
	for i := range rows.Len() {
		w := rows.Row(i)
		b.arrivals.add(test, &w, insideOf(rows, i), b.dict)
	}
	return first
}

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

// join puts the rows that were merged before those that arrived, and returns how many they are.
func (b *Builder) join(tl *tally) (before int) {
	if tl.merged == nil {
		return 0
	}
	before = tl.merged.Len()
	if tl.end.Rows.Len() == 0 {
		tl.end.Rows = tl.merged
	} else {
		merged, arrived := tl.merged.Columns(), tl.end.Rows.Columns()
		for _, w := range []*envelope.Words{&merged.Run, &merged.RawStatus, &merged.ErrorClass} {
			*w = wordsOf(*w, b.dict)
		}
		var both envelope.Columns
		both.Extend(&merged, 0, before, before+len(arrived.Given))
		both.Extend(&arrived, 0, len(arrived.Given), before+len(arrived.Given))
		tl.end.Rows = both.Rows()
	}
	tl.merged = nil
	return before
}

// rowAfter returns the row of an arrival when join has put rows before.
func rowAfter(arrival, before int, row func(arrival int) int) int {
	if arrival < 0 {
		return arrival - firstMerged
	}
	return before + row(arrival)
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

// layout says which arrivals are the rows of each test: first those of the first test,
// then those of the second, each in the order they came.
type layout struct {
	from  []uint32 // the arrival, by row of all tests
	first []int    // the first row of each test, and the number of all
}

func (l *layout) rows(test int) []uint32 { return l.from[l.first[test]:l.first[test+1]] }

func (l *layout) row(test, arrival int) int {
	row, _ := slices.BinarySearch(l.rows(test), uint32(arrival))
	return row
}

// rowsByTest moves every trial to the rows of its test. The numbers of the tests come in order.
func (a *arrivals) rowsByTest(tests []envelope.Rows, order []int) layout {
	l := a.layOut(order)
	blocks := l.blocks()
	jobs := a.moves(blocks, l)
	size := 1
	if a.count < 10_000 { // too few for a second worker
		size = len(jobs)
	}
	parallel.Spans(len(jobs), size, func(from, to int) {
		for _, job := range jobs[from:to] {
			job()
		}
	})
	parallel.Spans(len(blocks), 1, func(n, _ int) {
		b := &blocks[n]
		for t := b.from; t < b.to; t++ {
			tests[t] = b.rows.Stretch(l.first[t]-l.first[b.from], l.first[t+1]-l.first[b.from])
		}
	})
	return l
}

// block is some tests whose rows lie side by side, as many as a chunk has room for, or one that has more.
type block struct {
	from, to int // the tests
	rows     *envelope.Columns
}

func (l *layout) blocks() []block {
	var all []block
	tests := len(l.first) - 1
	for from := 0; from < tests; {
		to := from + 1
		for to < tests && l.first[to+1]-l.first[from] <= chunkRows {
			to++
		}
		all = append(all, block{from, to, &envelope.Columns{}})
		from = to
	}
	return all
}

// moves are the columns to move, by the kind of their cells.
func (a *arrivals) moves(to []block, l layout) []func() {
	type (
		columns = envelope.Columns
		reals   = envelope.Column[float64]
		numbers = envelope.Column[int64]
		counts  = envelope.Column[int32]
	)
	return []func(){
		func() {
			move(a, to, l, envelope.Absent[float64](), func(c *columns) *reals { return &c.Score },
				func(c *columns) *reals { return &c.DurationMS }, func(c *columns) *reals { return &c.CostUSD },
				func(c *columns) *reals { return &c.SetupMS }, func(c *columns) *reals { return &c.SetupCost })
			move(a, to, l, envelope.Absent[int64](), func(c *columns) *numbers { return &c.Tokens },
				func(c *columns) *numbers { return &c.Digest }, func(c *columns) *numbers { return &c.StartedAt })
		},
		func() {
			move(a, to, l, envelope.Absent[int32](), func(c *columns) *counts { return &c.Attempt },
				func(c *columns) *counts { return &c.ToolCalls }, func(c *columns) *counts { return &c.Category },
				func(c *columns) *counts { return &c.Source }, func(c *columns) *counts { return &c.Reason })
			a.shareWords(to)
			move(a, to, l, 0, func(c *columns) *[]uint32 { return &c.Run.IDs },
				func(c *columns) *[]uint32 { return &c.RawStatus.IDs }, func(c *columns) *[]uint32 { return &c.ErrorClass.IDs })
		},
		func() { move(a, to, l, 0, func(c *columns) *[]envelope.Given { return &c.Given }) },
		func() { move(a, to, l, 0, func(c *columns) *envelope.Truths { return &c.Truth }) },
		func() { move(a, to, l, false, func(c *columns) *envelope.Flags { return &c.Retry }) },
	}
}

// layOut finds out which arrivals are the rows of each test, whose numbers come in this order.
func (a *arrivals) layOut(order []int) layout {
	l := layout{from: make([]uint32, a.count), first: make([]int, len(order)+1)}
	next := make([]uint32, len(order)) // by number: how many rows there are, then where the next goes
	for _, c := range a.chunks {
		for _, t := range c.tests {
			next[t]++
		}
	}
	for i, t := range order {
		l.first[i+1] = l.first[i] + int(next[t])
		next[t] = uint32(l.first[i])
	}
	for n, c := range a.chunks {
		for i, t := range c.tests {
			l.from[next[t]] = uint32(n*chunkRows + i)
			next[t]++
		}
	}
	return l
}

func (a *arrivals) shareWords(to []block) {
	for _, column := range []func(*envelope.Columns) *envelope.Words{
		func(c *envelope.Columns) *envelope.Words { return &c.Run }, func(c *envelope.Columns) *envelope.Words { return &c.RawStatus },
		func(c *envelope.Columns) *envelope.Words { return &c.ErrorClass },
	} {
		for _, c := range a.chunks {
			if dict := column(&c.rows).Dictionary(); dict != nil {
				for i := range to {
					words := column(to[i].rows)
					*words = words.In(dict)
				}
				break
			}
		}
	}
}

// move moves columns of one kind of cell. A block in which no trial has a cell in a column gets none.
// Each column is moved to where the one before it was, where that has room.
func move[C ~[]T, T comparable](a *arrivals, to []block, l layout, none T, columns ...func(*envelope.Columns) *C) {
	var free []C
	for _, column := range columns {
		cells := make([]C, len(a.chunks))
		found := false
		for n, c := range a.chunks {
			cells[n], found = *column(&c.rows), found || *column(&c.rows) != nil
			*column(&c.rows) = nil
		}
		if !found {
			continue
		}
		var out C
		for _, b := range to {
			arrivals := l.from[l.first[b.from]:l.first[b.to]]
			rows := len(arrivals)
			if n := len(free) - 1; cap(out) < rows && n >= 0 && cap(free[n]) >= rows {
				out, free = free[n], free[:n]
			}
			if out = slices.Grow(out[:0], rows)[:rows:rows]; fill(out, cells, arrivals, none) {
				*column(b.rows), out = out, nil
			}
		}
		free = append(free, cells...)
	}
}

// fill puts the cells of arrivals side by side, and reports whether there are any.
func fill[C ~[]T, T comparable](out C, cells []C, arrivals []uint32, none T) (any bool) {
	for i, arrival := range arrivals {
		out[i] = none
		if from := cells[arrival/chunkRows]; arrival%chunkRows < uint32(len(from)) {
			v := from[arrival%chunkRows]
			out[i], any = v, any || v == v && v != none // a number that is none is not a number
		}
	}
	return any
}

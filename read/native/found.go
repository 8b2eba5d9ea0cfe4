package native

import (
	"tribunal/envelope"
	"tribunal/envelope/count"
)

// found is what a block holds, until its turn comes to be delivered. Its lines
// are counted from the first of the block. It is the sink of the careful way.
type found struct {
	batch    *count.Batch
	lines    int
	said     []func(batcher) // what is no trial, in its order
	problems []envelope.Problem
	notes    notes
}

// Trial implements envelope.Sink.
func (f *found) Trial(t *envelope.Trial) { f.batch.Trial(t) }

// Header implements envelope.Sink.
func (f *found) Header(h envelope.Header, p *envelope.Carried) {
	f.said = append(f.said, func(to batcher) { to.Header(h, p) })
}

// Listed implements envelope.Journal.
func (f *found) Listed(k envelope.Key, labels []envelope.Label, trials envelope.Opt[int64], elsewhere bool) {
	f.said = append(f.said, func(to batcher) { to.Listed(k, labels, trials, elsewhere) })
}

// Ended implements envelope.Journal.
func (f *found) Ended(k envelope.Key, how envelope.How) {
	f.said = append(f.said, func(to batcher) { to.Ended(k, how) })
}

// Beyond implements envelope.Journal.
func (f *found) Beyond(k envelope.Key, attempt int32, costUSD envelope.Opt[float64]) {
	f.said = append(f.said, func(to batcher) { to.Beyond(k, attempt, costUSD) })
}

// SetUp implements envelope.Journal.
func (f *found) SetUp(ms, costUSD envelope.Opt[float64]) {
	f.said = append(f.said, func(to batcher) { to.SetUp(ms, costUSD) })
}

// Resumed implements envelope.Journal.
func (f *found) Resumed() { f.said = append(f.said, batcher.Resumed) }

// Recorded implements envelope.Sink.
func (f *found) Recorded(*envelope.Recorded) {} // a trial stream holds none

// Problem implements envelope.Sink.
func (f *found) Problem(p envelope.Problem) { f.problems = append(f.problems, p) }

// deliver gives everything to the sink. before is the number of lines before
// the block.
func (f *found) deliver(to batcher, before int, all *notes) {
	to.Count(f.batch)
	for _, say := range f.said {
		say(to)
	}
	for _, p := range f.problems {
		p.Line += before
		to.Problem(p)
	}
	all.take(&f.notes, before)
}

// reset empties it for the next block.
func (f *found) reset() {
	f.batch.Reset()
	clear(f.said)
	clear(f.problems)
	f.lines, f.said, f.problems, f.notes = 0, f.said[:0], f.problems[:0], notes{}
}

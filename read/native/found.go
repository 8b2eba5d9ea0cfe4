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
	headers  []header
	problems []envelope.Problem
	notes    notes
}

type header struct {
	envelope.Header
	policy *envelope.Policy
}

// Trial implements envelope.Sink.
func (f *found) Trial(t *envelope.Trial) { f.batch.Trial(t) }

// Header implements envelope.Sink.
func (f *found) Header(h envelope.Header, p *envelope.Policy) {
	f.headers = append(f.headers, header{h, p})
}

// Recorded implements envelope.Sink.
func (f *found) Recorded(*envelope.Recorded) {} // a trial stream holds none

// Problem implements envelope.Sink.
func (f *found) Problem(p envelope.Problem) { f.problems = append(f.problems, p) }

// deliver gives everything to the sink. before is the number of lines before
// the block.
func (f *found) deliver(to Counter, before int, all *notes) {
	to.Count(f.batch)
	for _, h := range f.headers {
		to.Header(h.Header, h.policy)
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
	clear(f.headers)
	clear(f.problems)
	f.lines, f.headers, f.problems, f.notes = 0, f.headers[:0], f.problems[:0], notes{}
}

package gotest

import (
	"io"

	"tribunal/envelope"
	"tribunal/read/jsonlines"
)

// batch is what one read of the input gave: events, and what was wrong between
// them. One goroutine reads lines into batches while another follows what the
// events say. Without that, the second processor would have nothing to do.
type batch struct {
	events []event
	lines  []int // of the events
	text   []byte
	found  []found
}

// found is a problem of a line and the number of events before it.
type found struct {
	before  int
	problem envelope.Problem
}

// batches is how many there are: one being filled, one being followed, one on
// its way.
const batches = 3

// memoryKept is how much memory one long line may leave behind.
const memoryKept = 4 << 20

func (b *batch) reset() {
	if cap(b.text) > memoryKept {
		b.text = nil
	}
	b.events, b.lines, b.text, b.found = b.events[:0], b.lines[:0], b.text[:0], b.found[:0]
}

// add reads the event on a line.
func (b *batch) add(l *jsonlines.Line) {
	start := len(b.text)
	b.text = append(b.text, l.Text...)
	b.events = append(b.events, event{})
	e := &b.events[len(b.events)-1]
	switch ok := e.read(l, b.text[start:]); {
	case ok && len(e.action) > 0:
		b.lines = append(b.lines, l.Number)
		return
	case ok:
		l.Malformed(0, "an event has an Action")
	}
	b.events = b.events[:len(b.lines)]
}

// feeder reads an input into batches. It is the sink of its lines' problems,
// which wait for their turn in the batch.
type feeder struct {
	envelope.Sink // nothing but problems comes
	r             io.Reader
	batch         *batch
	full, empty   chan *batch
}

// feed reads the whole input. The error is that of r, when full is closed.
func (f *feeder) feed() error {
	defer close(f.full)
	f.batch = <-f.empty
	err := jsonlines.Each(f, f, func(l *jsonlines.Line) { f.batch.add(l) })
	f.full <- f.batch
	return err
}

// Read hands on what is read before it waits for more: a slow input is followed
// live.
func (f *feeder) Read(b []byte) (int, error) {
	if len(f.batch.events) > 0 || len(f.batch.found) > 0 {
		f.full <- f.batch
		f.batch = <-f.empty
		f.batch.reset()
	}
	return f.r.Read(b)
}

// Problem implements envelope.Sink.
func (f *feeder) Problem(p envelope.Problem) {
	f.batch.found = append(f.batch.found, found{len(f.batch.lines), p})
}

package gotest

import (
	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/read/internal/jsonwalk"
)

// found is what a block holds: events, and what was wrong between them, until
// its turn comes to be followed. Its lines are counted from the first of the
// block. It is the sink of the careful way.
type found struct {
	envelope.Sink // nothing but problems comes
	events        []event
	text          []byte // what texts of events say, and their outputs as they stand in the lines
	problems      []problem
	noise         jsonwalk.Noise
	lines         int
	dated         bool // an event has a time
}

// problem is a problem and the number of events before it.
type problem struct {
	before int
	envelope.Problem
}

// memoryKept is how much memory one long line may leave behind.
const memoryKept = 4 << 20

func (f *found) reset() {
	if cap(f.text) > memoryKept {
		f.text = nil
	}
	clear(f.events) // what the careful way read has memory of its own
	clear(f.problems)
	*f = found{events: f.events[:0], text: f.text[:0], problems: f.problems[:0]}
}

// Problem implements envelope.Sink.
func (f *found) Problem(p envelope.Problem) {
	f.problems = append(f.problems, problem{len(f.events), p})
}

// add adds an event.
func (f *found) add(e event) {
	f.dated = f.dated || len(e.time) > 0
	f.events = append(f.events, e)
}

// say is what a string says, in memory of the block; nil when it is empty.
func (f *found) say(m *jsontext.Text, s span) []byte {
	if s.begin == s.end {
		return nil
	}
	begin := len(f.text)
	f.text = jsontext.Repair(jsontext.Append(f.text, s.of(m)), begin)
	return f.text[begin:len(f.text):len(f.text)]
}

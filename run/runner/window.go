package runner

import "tribunal/envelope"

// state is where an attempt stands that is not in the stream yet.
type state uint8

const (
	waiting state = iota // to be started, or started again
	running
	ended // held, unless it is the next to be looked at
)

// attempt is one of them.
type attempt struct {
	trial *envelope.Trial // of an ended one
	slot  int32           // of a running one
	tries int16           // starts so far
	cuts  uint8           // how often the runner died under it or its time was over
	late  uint8           // how many starts in a row did not reach it
	state state
}

// window holds the attempts of a test from the next one to be looked at on. It
// is as long as what runs and what is held, and so never holds many.
type window struct {
	ring []attempt
	head int
	base int // the number of the first attempt
}

func (w *window) len() int { return len(w.ring) - w.head }

// at is an attempt in the window, nil outside of it.
func (w *window) at(number int) *attempt {
	i := number - w.base
	if i < 0 || i >= w.len() {
		return nil
	}
	return &w.ring[w.head+i]
}

// upTo is an attempt, for which the window grows.
func (w *window) upTo(number int) *attempt {
	for w.base+w.len() <= number {
		w.ring = append(w.ring, attempt{})
	}
	return w.at(number)
}

// next is the number behind the last one.
func (w *window) next() int { return w.base + w.len() }

// pop takes the first attempt out.
func (w *window) pop() attempt {
	a := w.ring[w.head]
	w.ring[w.head] = attempt{}
	w.head++
	w.base++
	const few = 16
	switch live := w.ring[w.head:]; {
	case len(live) == 0:
		w.ring, w.head = w.ring[:0], 0
	case w.head > few && w.head > len(live):
		w.ring, w.head = w.ring[:copy(w.ring, live)], 0
	}
	return a
}

// waiting is the number of the first attempt that waits to be started, which is
// next where none in the window does.
func (w *window) waiting() int {
	for i, a := range w.ring[w.head:] {
		if a.state == waiting {
			return w.base + i
		}
	}
	return w.next()
}

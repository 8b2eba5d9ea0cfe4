package read

import "tribunal/envelope"

// tries is a sink for the trials of a try whose runner writes each try of a run into a
// file of its own: a test that was tried again is one test, and its later trials are
// retries.
type tries struct {
	envelope.Sink
	number envelope.Opt[int32] // of the try, 0-based; absent for the last one, which comes behind all others
	retry  bool
}

// Trial implements envelope.Sink.
func (s tries) Trial(t *envelope.Trial) {
	again := *t
	again.Attempt, again.Retry = s.number, t.Retry || s.retry
	s.Sink.Trial(&again)
}

// triesOf tells a file of a try from the last one, and which run it belongs to.
func (f Format) triesOf(name string, o Options) (s tries, run string, are bool) {
	if f.TryOf == nil || o.Neighbours == nil {
		return s, "", false
	}
	if n, last, is := f.TryOf(name); is {
		return tries{number: envelope.Some(n), retry: n > 0}, o.Neighbours.Name(last), true
	}
	if o.Neighbours.CountedIn(f.Parts) {
		return tries{retry: true}, name, true
	}
	return s, "", false
}

package ctrf

import (
	"math"
	"time"

	"tribunal/envelope"
)

// span is when something began and ended, in milliseconds since 1970.
type span struct {
	start, stop int64
	known       bool
}

// add widens the span.
func (s *span) add(start, stop int64) {
	if !s.known {
		*s = span{start, max(start, stop), true}
		return
	}
	s.start, s.stop = min(s.start, start), max(s.stop, stop)
}

// spanOf is from the first start of a trial to the last end, as far as trials
// say when they started.
func spanOf(t *envelope.Test) span {
	var s span
	for i := range t.Rows.StartedAt() {
		ns, ok := t.Rows.StartedAt().At(i)
		if !ok {
			continue
		}
		ms, _ := t.Rows.DurationMS().At(i)
		start := millis(ns)
		s.add(start, start+whole(ms))
	}
	return s
}

// spanOfRun is from the first thing known to have started to the last end. When
// only the run says when it started, its trials are taken to have run one after
// the other.
func spanOfRun(e *envelope.Envelope) span {
	var s span
	for i := range e.Tests {
		if when := spanOf(&e.Tests[i]); when.known {
			s.add(when.start, when.stop)
		}
	}
	inTrials := s.known
	if t, err := time.Parse(time.RFC3339Nano, e.Run.StartedAt); err == nil {
		s.add(t.UnixMilli(), t.UnixMilli())
	}
	if !inTrials {
		s.stop = s.start + whole(e.Summary.DurationMS.V)
	}
	return s
}

// millis cuts nanoseconds to the millisecond they lie in.
func millis(ns int64) int64 { return time.Unix(0, ns).UnixMilli() }

const exactly = 1 << 53 // up to here every reader of JSON knows integers

// whole is a duration in whole milliseconds, half away from zero.
func whole(ms float64) int64 {
	if !(ms > 0) { // NaN too
		return 0
	}
	return int64(min(math.Round(ms), exactly))
}

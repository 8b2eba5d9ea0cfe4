package otlp

import (
	"math"
	"time"

	"tribunal/envelope"
)

// times are when the run began and ended, 0 where nobody knows.
type times struct{ begin, end instant }

// timesOf is from what the run says, or else its first trial, to the end of its last.
func timesOf(e *envelope.Envelope) times {
	var run times
	if at, err := time.Parse(time.RFC3339Nano, e.Run.StartedAt); err == nil && at.Unix() > 0 && at.Year() < 2262 {
		run.begin = instant(at.UnixNano())
	}
	var first instant
	for i := range e.Tests {
		rows := e.Tests[i].Rows
		for row := range rows.Len() {
			if ns, ok := rows.StartedAt().At(row); ok && ns > 0 && (first == 0 || instant(ns) < first) {
				first = instant(ns)
			}
		}
	}
	if run.begin == 0 {
		run.begin = first
	}
	run.end = run.begin
	for i := range e.Tests {
		_, end := run.test(&e.Tests[i])
		run.end = max(run.end, end)
	}
	return run
}

// test is from the first trial of a test to the end of its last.
func (r times) test(t *envelope.Test) (start, end instant) {
	for row := range t.Rows.Len() {
		from, to := r.trial(t.Rows, row)
		if start == 0 || from < start {
			start = from
		}
		end = max(end, to)
	}
	if t.Rows.Len() == 0 {
		return r.begin, r.begin
	}
	return start, end
}

// trial is when a trial ran; both are 0 where nobody knows.
func (r times) trial(rows *envelope.Rows, row int) (start, end instant) {
	start = r.begin
	if ns, ok := rows.StartedAt().At(row); ok && ns > 0 {
		start = instant(ns)
	}
	if end, ok := since(start, rows.DurationMS().Opt(row)); ok {
		return start, end
	}
	return start, start
}

// since is some milliseconds after an instant, where both are known.
func since(start instant, ms envelope.Opt[float64]) (instant, bool) {
	if start == 0 || !ms.OK || ms.V < 0 {
		return 0, false
	}
	const milli = float64(time.Millisecond)
	if ms.V*milli >= float64(math.MaxInt64-int64(start))/2 {
		return 0, false
	}
	return start + instant(math.Round(ms.V*milli)), true
}

// answered is when the answer to a call was there.
func answered(start instant, answer *envelope.Turn) (instant, bool) {
	if answer == nil || !answer.AtMS.OK {
		return 0, false
	}
	at := answer.AtMS
	if answer.DurationMS.OK {
		at.V += answer.DurationMS.V
	}
	return since(start, at)
}

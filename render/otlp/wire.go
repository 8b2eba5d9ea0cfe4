package otlp

import (
	"math"
	"strconv"
	"time"

	"tribunal/envelope"
)

// The messages of opentelemetry-proto as far as we write them, in the names of their
// JSON. Ids are hexadecimal, integers of 64 bits are strings.

type request struct {
	Spans   []ofResource `json:"resourceSpans,omitempty"`
	Metrics []ofResource `json:"resourceMetrics,omitempty"`
}

type ofResource struct {
	Resource resource  `json:"resource"`
	Spans    []ofScope `json:"scopeSpans,omitempty"`
	Metrics  []ofScope `json:"scopeMetrics,omitempty"`
}

type ofScope struct {
	Scope   scope    `json:"scope"`
	Spans   []span   `json:"spans,omitempty"`
	Metrics []metric `json:"metrics,omitempty"`
}

type resource struct {
	Attributes []attribute `json:"attributes"`
}

type scope struct {
	Name string `json:"name"`
}

var ours = scope{"tribunal"}

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      instant     `json:"startTimeUnixNano,omitempty,string"`
	End        instant     `json:"endTimeUnixNano,omitempty,string"`
	Attributes []attribute `json:"attributes,omitempty"`
	Events     []event     `json:"events,omitempty"`
	LeftOut    int         `json:"droppedEventsCount,omitempty"`
	Links      []link      `json:"links,omitempty"`
	Status     *status     `json:"status,omitempty"`
}

// Numbers of the protocol.
const (
	internal    = 1 // SPAN_KIND_INTERNAL
	statusError = 2 // STATUS_CODE_ERROR
)

type event struct {
	Time       instant     `json:"timeUnixNano,omitempty,string"`
	Name       string      `json:"name"`
	Attributes []attribute `json:"attributes,omitempty"`
}

type link struct {
	TraceID string `json:"traceId"`
	SpanID  string `json:"spanId"`
}

type status struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code"`
}

type metric struct {
	Name  string `json:"name"`
	Doc   string `json:"description,omitempty"`
	Unit  string `json:"unit,omitempty"`
	Gauge gauge  `json:"gauge"`
}

type gauge struct {
	Points []point `json:"dataPoints"`
}

type point struct {
	Attributes []attribute `json:"attributes,omitempty"`
	Time       instant     `json:"timeUnixNano,omitempty,string"`
	Value      float64     `json:"asDouble"`
}

// instant is nanoseconds since 1970; 0 is unknown, as in the protocol.
type instant int64

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value is an AnyValue: one of its members is there.
type value struct {
	String *string  `json:"stringValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
}

// attributes is a list that leaves out what is unknown.
type attributes []attribute

func (a *attributes) text(key, s string) {
	if s != "" {
		*a = append(*a, attribute{key, value{String: &s}})
	}
}

func (a *attributes) integer(key string, n int64) {
	s := strconv.FormatInt(n, 10)
	*a = append(*a, attribute{key, value{Int: &s}})
}

// number adds a number that is one: the JSON of the protocol has words for others,
// and dashboards have none.
func (a *attributes) number(key string, f float64) {
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		*a = append(*a, attribute{key, value{Double: &f}})
	}
}

func (a *attributes) flag(key string, is bool) {
	if is {
		*a = append(*a, attribute{key, value{Bool: &is}})
	}
}

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

// Package otlp writes an envelope as spans and metrics of OpenTelemetry, in the JSON
// of its protocol (OTLP/JSON): a line is a request with spans, resourceSpans, or one
// with metrics, resourceMetrics, as collectors take them from files and by HTTP.
//
//	the run         a trace of its own: a span for the run, one below it for each test
//	a trial         a trace with a link to the span of its test
//	a tool call     a span below that of its trial
//	a check         an event gen_ai.evaluation.result of the span of its trial
//	rates, counts   gauges of the run, its suites and its tests
//
// It exists so that verdicts stand beside the traces of the agent that was tested, and dashboards need no other tool. Names
// are those of the semantic conventions (test.*, gen_ai.*, code.*, vcs.*, error.type) where they have one, and begin with
// tribunal. where they have none. test.case.result.status is pass or fail where one of these applies, and else
// inconclusive, quarantined, error, skip or excluded.
//
// Ids are made of the names, so that a report written again is the same traces. A trial without a time begins with the run;
// where the run has none either, the span has no time, and a backend may refuse it. A tool call without a time has that of
// its trial; tribunal.step has their order.
//
// The package leaves out what was said in conversations.
package otlp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"time"

	"tribunal/envelope"
	"tribunal/render/internal/gauges"
	"tribunal/render/internal/standing"
)

// The signals that are written.
const (
	Both    = "both"
	Traces  = "traces"
	Metrics = "metrics"
)

// Options of the format.
type Options struct {
	Signal string // Both by default
}

// A line has at most so many spans, or data points: collectors take requests of a few megabytes.
const most = 500

// Name is the name of the file that a line of the stream becomes a part of: a file of OTLP has one kind of data.
func Name(line []byte) string {
	if bytes.HasPrefix(line, []byte(`{"resourceSpans"`)) {
		return "traces.jsonl"
	}
	return "metrics.jsonl"
}

// Marks are how our files begin.
var Marks = []string{mark(`{"resourceSpans"`), mark(`{"resourceMetrics"`)}

func mark(kind string) string {
	return kind + `:[{"resource":{"attributes":[{"key":"` + distro + `","value":{"stringValue":"tribunal"}}`
}

// distro is the attribute that says who wrote it. It is the first one.
const distro = "telemetry.distro.name"

// Write writes the requests. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	out := bufio.NewWriter(w)
	s := &stream{enc: json.NewEncoder(out), env: e, resource: resourceOf(e), times: timesOf(e)}
	s.run = ids(append(runWords(e), "run")...)
	if o.Signal != Metrics {
		s.spans()
	}
	if o.Signal != Traces {
		s.metrics()
	}
	return out.Flush()
}

type stream struct {
	enc      *json.Encoder
	env      *envelope.Envelope
	resource resource
	times    times
	run      identity // the span of the run
	pending  []span
}

func (s *stream) add(one span) {
	if s.pending = append(s.pending, one); len(s.pending) == most {
		s.flush()
	}
}

func (s *stream) flush() {
	if len(s.pending) > 0 {
		_ = s.enc.Encode(request{Spans: []ofResource{{Resource: s.resource, Spans: []ofScope{{Scope: ours, Spans: s.pending}}}}})
	}
	s.pending = s.pending[:0]
}

type identity struct{ trace, span string }

// ids are a trace and its first span, made of words.
func ids(words ...string) identity {
	sum := standing.Digest(words...)
	return identity{hex.EncodeToString(sum[:16]), hex.EncodeToString(sum[16:24])}
}

func (i identity) below(words ...string) identity {
	return identity{i.trace, ids(append([]string{i.trace, i.span}, words...)...).span}
}

func runWords(e *envelope.Envelope) []string {
	return []string{e.Run.ID, e.Run.Name, e.Run.Commit, e.Run.StartedAt}
}

// units are ours in the words of UCUM, which the conventions ask for.
var units = map[string]string{"ratio": "1", "seconds": "s", "usd": "{USD}"}

func (s *stream) metrics() {
	var all []metric
	for _, g := range gauges.Of(s.env) {
		if m := s.metric(&g); len(m.Gauge.Points) > 0 {
			all = append(all, m)
		}
	}
	s.put(all)
	tests := s.env.Tests
	for len(tests) > 0 {
		n := min(len(tests), most)
		s.put(s.testMetrics(tests[:n]))
		tests = tests[n:]
	}
}

func (s *stream) put(metrics []metric) {
	if len(metrics) > 0 {
		_ = s.enc.Encode(request{Metrics: []ofResource{{Resource: s.resource,
			Metrics: []ofScope{{Scope: ours, Metrics: metrics}}}}}) // the writer keeps the error
	}
}

func (s *stream) metric(g *gauges.Gauge) metric {
	m := metric{Name: g.Name, Doc: g.Help, Unit: units[g.Unit]}
	for _, sample := range g.Samples {
		var a attributes
		for _, l := range sample.Labels {
			name, value := "tribunal."+l.Name, l.Value
			if l.Name == gauges.SuiteLabel {
				name, value = "test.suite.name", line(value, nameLimit)
			}
			a.text(name, value)
		}
		m.Gauge.Points = append(m.Gauge.Points, point{a, s.times.end, sample.Value})
	}
	return m
}

func (s *stream) testMetrics(tests []envelope.Test) []metric {
	rate := metric{Name: "tribunal.test.pass_rate", Unit: units["ratio"], Doc: "Share of the counted trials of a test that passed."}
	counted := metric{Name: "tribunal.test.trials", Doc: "Counted trials of a test."}
	for i := range tests {
		t := &tests[i]
		a := about(t)
		counted.Gauge.Points = append(counted.Gauge.Points, point{a, s.times.end, float64(t.Trials.Counted)})
		if r := t.Rate.PerProtocol; r != nil {
			rate.Gauge.Points = append(rate.Gauge.Points, point{a, s.times.end, r.Value})
		}
	}
	if len(rate.Gauge.Points) == 0 {
		return []metric{counted}
	}
	return []metric{counted, rate}
}

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

// number adds a number that is one: the JSON of the protocol has words for others, and dashboards have none.
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
	run.begin = cmp.Or(run.begin, first)
	run.end = run.begin
	for i := range e.Tests {
		_, end := run.test(&e.Tests[i])
		run.end = max(run.end, end)
	}
	return run
}

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

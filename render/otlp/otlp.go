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
// It exists so that verdicts stand beside the traces of the agent that was tested,
// and dashboards need no other tool. Names are those of the semantic conventions
// (test.*, gen_ai.*, code.*, vcs.*, error.type) where they have one, and begin with
// tribunal. where they have none. test.case.result.status is pass or fail where one of
// these applies, and else inconclusive, quarantined, error, skip or excluded.
//
// Ids are made of the names, so that a report written again is the same traces. A
// trial without a time begins with the run; where the run has none either, the span
// has no time, and a backend may refuse it. A tool call without a time has that of its
// trial; tribunal.step has their order.
//
// The package leaves out what was said in conversations.
package otlp

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"

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

// A line has at most so many spans, or data points: collectors take requests of a few
// megabytes.
const most = 500

// Name is the name of the file that a line of the stream becomes a part of: a file of
// OTLP has one kind of data.
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

// stream collects spans and writes them in requests; its writer keeps the first error.
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

// testMetrics are the pass rates of some tests, and of how many trials they are.
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

// Package otlp reads traces of OpenTelemetry in the JSON of its protocol: a document
// or a request a line, as the file exporter of the collector writes them. Trials are
//
//	test.case.name   every span that has it, by the conventions for CI
//	gen_ai.*         else a trace of an agent or model, by the span it began with
//
// with everything below such a span: tokens, tool calls, evaluations (gen_ai.evaluation.result), messages. Of nested spans
// that report tokens the inner ones count. Names of OpenInference and OpenLLMetry are read as well.
//
// A trace without a test is an error where its first span is one; else its evaluations decide, and without any it passed.
// A run of tests that did not end, or that failed though none of its tests did, is an error of its own, [run]. Other traces
// are skipped and counted. In our own reports the spans of trials are read, and not those of verdicts.
package otlp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/outcomestrip"
	"tribunal/read/internal/runfailure"
)

// Sniff reports whether head starts with a request with spans.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	const near = 16 << 10
	return !inArray && (keys.Has("resourceSpans") || keys.Has("resourceMetrics") &&
		bytes.Contains(head[:min(len(head), near)], []byte("resourceSpans")))
}

// Read reads one file.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, traces: map[string]*trace{}}
	err := jsonwalk.Document(r, to, rd.requests)
	rd.emitTrials()
	return err
}

type reader struct {
	to     *runfailure.Watch
	traces map[string]*trace
	order  []*trace
	held   int // bytes of texts that wait
}

// trace is the spans of a trace, in the order in which they stand.
type trace struct{ spans []*span }

// Limits of what waits for the end of the input.
const (
	textLimit = 64 << 10  // bytes of one text
	heldLimit = 256 << 20 // bytes of all texts; further ones are left out
)

// requests reads documents behind each other, span by span, for one may hold a whole run.
func (rd *reader) requests(t *jsonwalk.Text) error {
	for t.Next() != 0 {
		known := false
		err := t.Object(func(key string) error {
			if known = known || strings.HasPrefix(key, "resource"); key == "resourceSpans" {
				return rd.resources(t)
			}
			return t.Skip()
		})
		if !known {
			t.Problem(envelope.SeverityError, envelope.CodeMalformed, "the object has no resourceSpans and is not counted")
		}
		if err != nil && !t.Recover(err) {
			return nil // it is told
		}
	}
	return nil
}

func (rd *reader) resources(t *jsonwalk.Text) error {
	return t.Array(func() error {
		service := new(string) // it may stand behind its spans
		spans := jsonwalk.Members{"spans": jsonwalk.Objects(func(v jsonwalk.Value) { rd.take(v, service) })}
		scopes := func(*jsonwalk.Text) error { return t.Array(func() error { return t.Members(spans) }) }
		return t.Members(jsonwalk.Members{"scopeSpans": scopes, "instrumentationLibrarySpans": scopes,
			"resource": func(v jsonwalk.Value) {
				eachAttribute(v.Get("attributes"), func(key string, v jsonwalk.Value) {
					if key == "service.name" {
						*service = textOf(v)
					}
				})
			}})
	})
}

func (rd *reader) take(v jsonwalk.Value, service *string) {
	s := &span{service: service}
	s.line, s.column = v.Place()
	id := ""
	for key, m := range v.Members() {
		switch key {
		case "traceId":
			id = m.Text()
		case "spanId":
			s.id = m.Text()
		case "parentSpanId":
			s.parent = m.Text()
		case "name":
			s.name = m.Text()
		case "startTimeUnixNano":
			s.start = nanos(m)
		case "endTimeUnixNano":
			s.end = nanos(m)
		case "status":
			s.failed = isFailed(m.Get("code"))
			s.message = m.Get("message").Text()
		case "events":
			for e := range m.Items() {
				rd.event(s, e)
			}
		case "attributes":
			eachAttribute(m, func(key string, v jsonwalk.Value) { rd.attribute(s, key, v) })
		}
	}
	if id == "" || s.id == "" {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: s.line, Column: s.column,
			Message: "the span that begins here is not counted: it has no traceId, or no spanId"})
		return
	}
	t := rd.traces[id]
	if t == nil {
		t = &trace{}
		rd.traces[id] = t
		rd.order = append(rd.order, t)
	}
	t.spans = append(t.spans, s)
}

// isFailed takes the code of a status as a number, as JSON has it, or by its name.
func isFailed(code jsonwalk.Value) bool {
	switch code.Text() {
	case "2", "STATUS_CODE_ERROR", "ERROR":
		return true
	}
	return false
}

// emitTrials delivers the trials of every trace, and lets go of it: what is kept of the
// trials takes its place.
func (rd *reader) emitTrials() {
	others := 0
	rd.traces = nil
	for i, t := range rd.order {
		if !rd.trace(t) {
			others++
		}
		rd.order[i] = nil
	}
	if others > 0 {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: "passed-over", Line: 1, Column: 1, Count: others,
			Message: fmt.Sprintf("Tribunal skips %s without a span of a test, an agent or a model", words.Plural(others, "trace", "traces"))})
	}
}

// trace delivers the trials of a trace, and reports whether it is one of tests, or of
// agents and models.
func (rd *reader) trace(t *trace) bool {
	byID := make(map[string]*span, len(t.spans))
	cases, verdicts, ai := false, false, false
	for _, s := range t.spans {
		byID[s.id] = s
		cases, verdicts, ai = cases || s.isCase(), verdicts || s.verdict, ai || s.ai
	}
	rd.to.Next()
	if cases || ai && !verdicts { // verdicts without cases are ours, and not of trials
		rd.trials(t, byID, cases)
	}
	return rd.suites(t) || cases || verdicts || ai
}

func (rd *reader) trials(t *trace, byID map[string]*span, cases bool) {
	gather(t.spans, byID, cases)
	for _, s := range t.spans {
		if s.trial {
			one := s.asTrial(cases)
			if !one.Attempt.OK {
				one.Attempt = rd.to.Attempts.Next(one.Key)
			}
			rd.to.Trial(one)
		}
	}
}

// suites delivers an error for every run of tests in a trace that did not end, or that
// failed though none of its tests did, and reports whether there are runs. In our own
// reports a gate may fail alone, and nothing says how to judge it again.
func (rd *reader) suites(t *trace) (some bool) {
	for _, s := range t.spans {
		some = some || s.run != ""
		switch how := unended[s.run]; {
		case how.why != "":
			rd.to.Fail(how.class, how.why, s.message, s.trace)
		case s.run == "failure" && !s.own:
			rd.to.Explain("the run failed, and none of its tests did", s.message, s.trace)
		case s.run == "failure" && strings.HasPrefix(s.message, "gate "):
			rd.to.Problem(outcomestrip.Recorded(envelope.SeverityError, s.line, s.column, s.message))
		}
	}
	return some
}

// unended are the words for a run of tests that did not come to its end.
var unended = map[string]struct{ class, why string }{
	"aborted":     {class: envelope.ClassInfrastructure, why: "the test run was aborted"},
	"timed_out":   {class: envelope.ClassTimeout, why: "the test run timed out"},
	"in_progress": {class: envelope.ClassInfrastructure, why: "the test run did not end"},
}

// gather finds the spans that are trials, and gives each what is below it.
func gather(spans []*span, byID map[string]*span, cases bool) {
	var first *span // of those whose surroundings are not there
	some := false
	for _, s := range spans {
		s.trial = s.isCase() || !cases && s.parent == ""
		some = some || s.trial
		if byID[s.parent] == nil && (first == nil || s.start < first.start) {
			first = s
		}
		s.cover(byID)
	}
	if !some && first == nil {
		first = spans[0] // a circle
	}
	if !some {
		first.trial, first.lost = true, true
	}
	for _, s := range spans {
		of := s.owner(byID)
		if of == nil && !some {
			of = first
		}
		if of != nil {
			of.below = append(of.below, s)
		}
	}
}

// deepest bounds how far a span is followed to those around it, which may be a circle.
const deepest = 1000

// cover notes for the spans around one that their tokens are those of their parts.
func (s *span) cover(byID map[string]*span) {
	if !s.usage.OK && !s.cost.OK {
		return
	}
	for up, n := byID[s.parent], 0; up != nil && n < deepest && !up.covered; up, n = byID[up.parent], n+1 {
		up.covered = true
	}
}

// owner is the trial that a span is a part of, itself where it is one.
func (s *span) owner(byID map[string]*span) *span {
	for n := 0; s != nil && n < deepest; s, n = byID[s.parent], n+1 {
		if s.trial {
			return s
		}
	}
	return nil
}

// textOf is an attribute as a text; numbers as they are written.
func textOf(v jsonwalk.Value) string {
	for key, m := range v.Members() {
		switch key {
		case "stringValue", "intValue", "doubleValue":
			return m.Text()
		case "boolValue":
			return m.String()
		case "arrayValue", "kvlistValue":
			return string(plain(v, 0))
		}
	}
	return ""
}

// heldText is an attribute that waits for the end of the input, as far as there is room.
func (rd *reader) heldText(v jsonwalk.Value) (said string) {
	v.Passing(func() { said = words.Head(textOf(v), textLimit) })
	if rd.held += len(said); rd.held > heldLimit {
		return ""
	}
	return said
}

// messages are those of an attribute, which is JSON in a text or has parts.
func (rd *reader) messages(v jsonwalk.Value) (turns []envelope.Turn) {
	v.Passing(func() {
		said := textOf(v)
		if rd.held += len(said); rd.held > heldLimit || !strings.HasPrefix(strings.TrimSpace(said), "[") {
			return
		}
		if text := []byte(said); json.Valid(text) {
			turns = conversation.Turns(jsonwalk.Detached("messages", text))
		}
	})
	return turns
}

// plain is an attribute as JSON of its own.
func plain(v jsonwalk.Value, depth int) []byte {
	const deepest = 50
	var b bytes.Buffer
	for key, m := range v.Members() {
		switch {
		case depth > deepest:
		case key == "stringValue":
			text, _ := json.Marshal(m.Text()) // a text can always be written
			b.Write(text)
		case key == "boolValue", key == "doubleValue", key == "intValue":
			if said := []byte(m.Text()); m.IsBool() {
				b.WriteString(m.String())
			} else if json.Valid(said) {
				b.Write(said)
			}
		case key == "arrayValue":
			b.WriteByte('[')
			for one := range m.Get("values").Items() {
				comma(&b)
				b.Write(plain(one, depth+1))
			}
			b.WriteByte(']')
		case key == "kvlistValue":
			b.WriteByte('{')
			for one := range m.Get("values").Items() {
				comma(&b)
				name, _ := json.Marshal(one.Get("key").Text())
				b.Write(append(name, ':'))
				b.Write(plain(one.Get("value"), depth+1))
			}
			b.WriteByte('}')
		default:
			continue
		}
		break
	}
	if b.Len() == 0 {
		return []byte("null")
	}
	return b.Bytes()
}

// comma parts a member from the one before it.
func comma(b *bytes.Buffer) {
	if b.Len() > 1 {
		b.WriteByte(',')
	}
}

func positive(v jsonwalk.Value) envelope.Opt[float64] {
	n, err := strconv.ParseFloat(textOf(v), 64)
	return envelope.Opt[float64]{V: n, OK: err == nil && n >= 0 && n <= 1e15}
}

// nanos is a time in nanoseconds, which JSON writes as a text or a number; 0 is none.
func nanos(v jsonwalk.Value) int64 {
	n, err := strconv.ParseInt(v.Text(), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Package cucumberjson reads the legacy JSON report of Cucumber: one array of
// features with their scenarios.
//
// It exists because many tools of the Cucumber family write only this one. It
// shows one attempt at each scenario, the last: how many there were is lost, and
// a scenario that passed at its third attempt looks like any other. The reader
// says so in a warning; package cucumber reads the format that keeps them.
package cucumberjson

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/gherkin"
	"tribunal/read/peek"
	"tribunal/read/property"
	"tribunal/read/walk"
)

// CodeRetriesLost marks inputs whose format does not show retries.
const CodeRetriesLost = "retries-lost"

// Sniff reports whether head starts with an array of features.
func Sniff(head []byte) bool {
	keys, inArray := peek.Object(head)
	found := 0
	for _, name := range []string{"elements", "uri", "keyword", "id", "name"} {
		if _, ok := keys[name]; ok {
			found++
		}
	}
	_, elements := keys["elements"]
	scenarios := bytes.Contains(head, []byte(`"steps"`)) && bytes.Contains(head, []byte(`"keyword"`)) // the place of a long feature comes last
	return inArray && (elements && (found >= 2 || scenarios) || keys["uri"] != "" && keys["keyword"] == "Feature")
}

// Read reads one report. What is wrong with it is a problem in the sink; the
// error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, attempts: map[envelope.Key]int32{}}
	return walk.Strict(r, to, rd.report)
}

type reader struct {
	*walk.Text
	to       envelope.Sink
	found    []found // scenarios of the feature that is read
	names    gherkin.Names
	attempts map[envelope.Key]int32
	warned   bool
}

// found is a scenario whose feature is not read to its end.
type found struct {
	trial envelope.Trial
	name  string
}

func (rd *reader) report(d *walk.Text) error {
	rd.Text = d
	return d.Array(rd.feature)
}

// feature reads one feature. Its scenarios wait until it ends, for its place may
// come last, and rows of an outline share a name.
func (rd *reader) feature() error {
	uri, background := "", gherkin.Steps{}
	rd.found, rd.names = rd.found[:0], gherkin.Names{}
	err := rd.Object(func(key string) error {
		switch key {
		case "uri":
			return rd.Decode(&uri)
		case "elements":
			return rd.Array(func() error { return rd.element(&background) })
		}
		return nil
	})
	for i := range rd.found {
		rd.deliver(uri, &rd.found[i])
	}
	return err
}

type element struct {
	Name, Keyword, Type  string
	Line                 int
	StartTimestamp       string `json:"start_timestamp"`
	Tags                 []struct{ Name string }
	Before, Steps, After []step
}

type step struct {
	Name, Keyword string
	Hidden        bool
	Result        result
	Before, After []struct{ Result result } // hooks around the step
}

type result struct {
	Status       string
	Duration     *float64 // nanoseconds
	ErrorMessage string   `json:"error_message"`
}

// element reads one scenario. A background comes before the scenario it belongs
// to, with the results of its steps.
func (rd *reader) element(background *gherkin.Steps) error {
	e := element{}
	if err := rd.Decode(&e); err != nil {
		return err
	}
	steps, duration := *background, envelope.Opt[float64]{}
	*background = gherkin.Steps{}
	e.each(func(r result, text string) {
		steps.Add(r.Status, r.ErrorMessage, text)
		if r.Duration != nil {
			duration = envelope.Some(duration.V + *r.Duration)
		}
	})
	if e.Type == "background" || e.Type == "" && e.Keyword == "Background" {
		*background = steps
		return nil
	}
	if e.Name == "" && e.Line <= 0 {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "a scenario that has neither a name nor a line is not counted")
		return nil
	}
	t := envelope.Trial{Line: max(e.Line, 0)}
	steps.Fill(&t)
	if duration.OK {
		t.DurationMS = property.Milliseconds(duration.V, 1.0/float64(time.Millisecond))
	}
	t.StartedAt, _ = time.Parse(time.RFC3339Nano, e.StartTimestamp)
	e.tag(&t)
	rd.names.Add(e.Name, t.Line)
	rd.found = append(rd.found, found{t, e.Name})
	return nil
}

// each calls result for every step and hook in order.
func (e *element) each(result func(r result, text string)) {
	for _, s := range slices.Concat(e.Before, e.Steps, e.After) {
		for _, hook := range s.Before {
			result(hook.Result, "")
		}
		if s.Result.Status != "" {
			result(s.Result, s.Name)
		}
		for _, hook := range s.After {
			result(hook.Result, "")
		}
	}
}

func (e *element) tag(t *envelope.Trial) {
	var tags []string
	for _, tag := range e.Tags {
		tags = append(tags, tag.Name)
	}
	if len(tags) > 0 {
		property.Set(t, "tags", strings.Join(tags, ","))
	}
}

func (rd *reader) deliver(uri string, f *found) {
	if !rd.warned {
		rd.warned = true
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: CodeRetriesLost, Line: 1, Column: 1,
			Message: "the legacy JSON of Cucumber shows the last attempt at a scenario only: retries are lost; write messages (--format message) to see them"})
	}
	t := &f.trial
	t.Suite, t.File = uri, uri
	t.Test = rd.names.Of(f.name, t.Line)
	n := rd.attempts[t.Key]
	rd.attempts[t.Key] = n + 1
	t.Attempt = envelope.Some(n)
	rd.to.Trial(t)
}

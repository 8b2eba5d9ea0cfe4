// Package cucumberjson reads the legacy JSON report of Cucumber, and behave's,
// which looks like it: one array of features with their scenarios.
//
// It exists because many tools of the Cucumber family write only this one. Of Cucumber it shows one attempt at each
// scenario, the last: how many there were is lost, and a scenario that passed at its third attempt looks like any
// other. The reader says so in a warning; package cucumber reads the format that keeps them. Nor does it say whether a
// pending step failed the run, which it does by default in cucumber-js and cucumber-jvm, and in godog and Cucumber for
// Ruby when they are strict: such a scenario is an error, as one with an undefined step is.
package cucumberjson

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/gherkin"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with an array of features.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	found := keys.Count("elements", "uri", "keyword", "id", "name")
	scenarios := bytes.Contains(head, []byte(`"steps"`)) && bytes.Contains(head, []byte(`"keyword"`)) // the place of a long feature comes last
	return inArray && (keys.Has("elements") && (found >= 2 || scenarios) || keys["keyword"] == "Feature" &&
		(keys["uri"] != "" || keys["location"] != ""))
}

// begin returns where a report begins, at the start of a line. behave prints its summary after one.
func begin(head []byte) int {
	for at, c := range head {
		if c == '[' && (at == 0 || head[at-1] == '\n') && Sniff(head[at:]) {
			return at
		}
	}
	return -1
}

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: runfailure.Watch{Sink: to}}
	err := jsonwalk.StrictAmong(r, to, begin, func(d *jsonwalk.Text) error {
		rd.Text = d
		return d.Array(rd.feature)
	})
	return err
}

type reader struct {
	*jsonwalk.Text
	to     runfailure.Watch // what trials go to
	found  []found          // scenarios of the feature that is read
	names  gherkin.Names
	before map[string]bool // names of scenarios of the feature that were delivered
	warned bool
}

// found is a scenario whose feature is not read to its end.
type found struct {
	trial  envelope.Trial
	name   string
	behave bool
}

// feature reads one feature. Its scenarios wait until it ends, for its place may
// come last, and rows of an outline share a name.
func (rd *reader) feature() error {
	uri, background := "", begun{}
	var place, status lines
	rd.found, rd.names = rd.found[:0], gherkin.Names{}
	err := rd.Members(jsonwalk.Members{"uri": &uri, "location": &place, "status": &status,
		"elements": jsonwalk.Decoded(func(e *element) { rd.element(e, &background) })})
	failed := rd.to.Failed
	rd.before = map[string]bool{}
	for i := range rd.found {
		rd.emitScenario(uri, &rd.found[i])
	}
	if ended := word(string(status)); (ended == "failed" || ended == "error") && rd.to.Failed == failed {
		rd.to.Fail(envelope.ClassInfrastructure,
			"behave says that the feature "+string(place)+" failed, but none of its scenarios did: a hook or a cleanup failed")
	}
	return err
}

type element struct {
	Name, Keyword, Type  string
	Line                 int
	Location, Status     string // behave's alone
	StartTimestamp       string `json:"start_timestamp"`
	Tags                 []tag
	Before, Steps, After []step
}

type step struct {
	Name, Keyword string
	Hidden        bool
	Result        result
	Before, After []struct{ Result result } // hooks around the step
	Embeddings    []embedding
}

// embedding is a file that stands in the report.
type embedding struct {
	Name     string
	MimeType string `json:"mime_type"`
	Media    struct{ Type string }
}

type result struct {
	Status       string
	Duration     *float64 // nanoseconds; seconds in behave
	ErrorMessage lines    `json:"error_message"`
}

// begun is a background: it comes before the scenario it belongs to, with the results of its steps.
type begun struct {
	steps    gherkin.Steps
	duration envelope.Opt[float64]
}

func (rd *reader) element(e *element, background *begun) {
	steps, duration := background.steps, background.duration
	*background = begun{}
	steps.Strict = !e.isBehave() // whose scenarios say it
	for _, s := range e.all() {
		for _, file := range s.Embeddings {
			steps.Attach(envelope.Attachment{Name: file.Name, MediaType: cmp.Or(file.MimeType, file.Media.Type)})
		}
	}
	e.each(func(r result, text string) {
		steps.Add(word(r.Status), string(r.ErrorMessage), text)
		if r.Duration != nil {
			duration = envelope.Some(duration.V + *r.Duration)
		}
	})
	if e.Type == "background" || e.Type == "" && e.Keyword == "Background" {
		*background = begun{steps, duration}
		return
	}
	f := found{e.trial(steps, duration), e.Name, e.isBehave()}
	if e.Name == "" && f.trial.Line == 0 {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "a scenario that has neither a name nor a line is not counted")
		return
	}
	rd.names.Add(e.Name, f.trial.Line)
	rd.found = append(rd.found, f)
}

// trial is what is known of a scenario before its feature ends.
func (e *element) trial(steps gherkin.Steps, duration envelope.Opt[float64]) envelope.Trial {
	t, unit := envelope.Trial{}, 1.0/float64(time.Millisecond)
	if e.isBehave() {
		unit = 1000
		t.File, t.Line = e.place()
		e.setOutcome(&t, steps)
	} else {
		t.Line = max(e.Line, 0)
		steps.Fill(&t)
	}
	if duration.OK {
		t.DurationMS = trialfields.Milliseconds(duration.V, unit)
	}
	t.StartedAt, _ = time.Parse(time.RFC3339Nano, e.StartTimestamp)
	e.tag(&t)
	return t
}

// all are the steps and the hooks around them in order.
func (e *element) all() []step { return slices.Concat(e.Before, e.Steps, e.After) }

// each calls result for every step and hook in order. A step of Cucumber without a result,
// where others have one, was not come to; behave leaves it out behind one that failed.
func (e *element) each(result func(r result, text string)) {
	began := !e.isBehave() && slices.ContainsFunc(e.Steps, func(s step) bool { return s.Result.Status != "" })
	for _, s := range e.all() {
		for _, hook := range s.Before {
			result(hook.Result, "")
		}
		if s.Result.Status != "" || began && !s.Hidden && s.Name != "" {
			result(s.Result, s.Name)
		}
		for _, hook := range s.After {
			result(hook.Result, "")
		}
	}
}

func (e *element) tag(t *envelope.Trial) {
	var tags []string
	for _, each := range e.Tags {
		if each != "" {
			tags = append(tags, string(each))
		}
	}
	trialfields.Tags(t, tags)
}

func (rd *reader) emitScenario(uri string, f *found) {
	t := &f.trial
	t.Test = rd.names.Of(f.name, t.Line)
	if f.behave {
		t.Retry = rd.before[t.Test]
		rd.before[t.Test] = true
	} else {
		t.File = uri
		if !rd.warned {
			rd.warned = true
			rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeRetriesLost, Line: 1, Column: 1,
				Message: "the legacy JSON of Cucumber shows only the last attempt at a scenario, so retries are lost; to see them, run Cucumber with " +
					"--format message (Java: --plugin message:FILE)"})
		}
	}
	t.Suite = t.File
	rd.to.Send(t)
}

// behave (behave/formatter/json.py) writes the same format with differences: the location of a scenario is one text
// with file and line, where Cucumber has a line alone; a scenario has a status; durations are seconds; and a retried
// scenario (behave.contrib.scenario_autoretry) is written again.

// words are behave's words for how a step or a scenario ended (Status in
// behave/model_type.py) in those of package gherkin.
var words = map[string]string{
	"xfailed": "passed", "xpassed": "passed", "pending_warn": "passed",
	"untested": "skipped", "untested_pending": "skipped", "untested_undefined": "skipped",
	"hook_error": "error", "cleanup_error": "error",
}

func word(status string) string { return cmp.Or(words[status], status) }

func (e *element) isBehave() bool { return e.Location != "" }

func (e *element) place() (file string, line int) {
	at := strings.LastIndexByte(e.Location, ':')
	if at < 0 {
		return e.Location, 0
	}
	line, _ = strconv.Atoi(e.Location[at+1:])
	return e.Location[:at], max(line, 0)
}

// setOutcome sets the outcome of a scenario of behave. A step that went wrong says it best; of a hook that did, and of
// a scenario that never ran, only the status of the scenario tells.
func (e *element) setOutcome(t *envelope.Trial, steps gherkin.Steps) {
	steps.Fill(t)
	decided := t.Status == envelope.Fail || t.Status == envelope.Error
	if own := word(e.Status); !decided && own != "" && own != "passed" {
		why, scenario := t.Message, gherkin.Steps{}
		scenario.Add(own, "", "")
		scenario.Fill(t)
		steps.Inside(t)
		t.RawStatus, t.Message = e.Status, cmp.Or(why, t.Message)
	}
	t.Message = raised(t.Message, t.Output)
}

// raised is the exception of a message that begins with a traceback of Python:
// the first line behind its head that is not indented.
func raised(message, text string) string {
	const head = "Traceback (most recent call last):"
	_, frames, isTraceback := strings.Cut(text, head+"\n")
	if !isTraceback || !strings.HasPrefix(message, head) {
		return message
	}
	for line := range strings.Lines(frames) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != ' ' {
			return line
		}
	}
	return message
}

// tag is a text in behave and an object with a name in Cucumber. What is neither is no tag.
type tag string

func (t *tag) Take(v jsonwalk.Value) {
	if v.IsObject() {
		v = v.Get("name")
	}
	*t = tag(v.OnlyText())
}

func (t *tag) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, t) }

// lines are a text, or its lines as behave writes a longer one. What is neither says nothing.
type lines string

func (l *lines) Take(v jsonwalk.Value) {
	*l = ""
	if v.IsText() {
		*l = lines(v.Text())
		return
	}
	var each []string
	for line := range v.Items() {
		if line.Present() && !line.IsText() {
			return
		}
		each = append(each, line.Text()) // "" of null
	}
	*l = lines(strings.Join(each, "\n"))
}

func (l *lines) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, l) }

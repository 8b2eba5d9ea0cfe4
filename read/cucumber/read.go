// Package cucumber reads Cucumber Messages, one JSON object a line.
//
// It exists because this is the format of Cucumber that shows retries: every
// attempt at a test case is a trial, and how it ended is the worst of its steps.
// A scenario is the test, its feature file the suite; rows of an outline are
// tests of their own. It leaves out snippets, usage and the content of attachments
// other than logs.
package cucumber

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/gherkin"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// kinds are the members one of which a message has; the first lines of a stream
// have these.
var kinds = []string{"meta", "source", "gherkinDocument", "pickle", "parseError", "testRunStarted", "stepDefinition", "hook",
	"parameterType", "testCase"}

// essential are the keys of messages without which attempts are missing or other ones.
var essential = []string{"gherkinDocument", "pickle", "parseError", "testRunStarted", "testCase", "testCaseStarted", "testStepFinished",
	"testCaseFinished", "testRunFinished", "testRunHookFinished"}

// Sniff reports whether the first object in head is a message.
func Sniff(head []byte) bool {
	keys := jsonwalk.FirstLineKeys(head)
	if len(keys) != 1 {
		return false
	}
	for kind := range keys {
		if kind == "meta" { // a usual word
			return bytes.Contains(head, []byte(`"protocolVersion"`)) || bytes.Contains(head, []byte(`"implementation"`))
		}
		return slices.Contains(kinds, kind)
	}
	return false
}

// Read reads a stream of messages.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, lines: map[string]int{}, pickles: map[string]*pickle{}, names: map[string]*gherkin.Names{},
		cases: map[string]*testCase{}, open: map[string]*attempt{}}
	err := jsonwalk.StrictLines(r, to, rd.one, essential...)
	rd.finish()
	return err
}

type reader struct {
	to      *runfailure.Watch
	line    int
	message message
	header  envelope.Header
	lines   map[string]int // of the nodes of features
	pickles map[string]*pickle
	names   map[string]*gherkin.Names // of each feature file
	cases   map[string]*testCase
	open    map[string]*attempt
	order   int
	running bool           // the run began and has not ended
	trial   envelope.Trial // the one that is delivered
}

func (rd *reader) one(l *jsonwalk.Line) {
	rd.line = l.Number
	m := &rd.message
	*m = message{}
	if !l.Decode(m) {
		return
	}
	switch {
	case m.Meta != nil:
		rd.header.ID, rd.header.Commit = m.Meta.CI.BuildNumber, m.Meta.CI.Git.Revision
	case m.GherkinDocument != nil:
		rd.nodes(m.GherkinDocument.Feature.Children)
	case m.Pickle != nil:
		rd.pickle(m.Pickle)
	case m.ParseError != nil:
		rd.parseError(m.ParseError)
	case m.TestCase != nil:
		rd.testCase(l, m.TestCase)
	case m.TestRunStarted != nil:
		rd.start(m.TestRunStarted.Timestamp.time())
	case m.TestRunFinished != nil:
		rd.runFinished(m.TestRunFinished)
	case m.TestRunHookFinished != nil:
		rd.hook(&m.TestRunHookFinished.Result)
	default:
		rd.attempt(l, m)
	}
}

func (rd *reader) start(at time.Time) {
	if rd.running { // the stream of the run before stops here
		rd.truncated()
		rd.end(crashed)
	}
	rd.running = true
	rd.header.StartedAt = cmp.Or(runfailure.Stamp(at), rd.header.StartedAt)
}

// nodes remembers where scenarios and rows stand. Rules hold no rules.
func (rd *reader) nodes(children []child) {
	for _, c := range children {
		if c.Rule != nil {
			for _, inner := range c.Rule.Children {
				rd.scenario(inner)
			}
		}
		rd.scenario(c)
	}
}

func (rd *reader) scenario(c child) {
	if c.Scenario == nil {
		return
	}
	rd.lines[c.Scenario.ID] = c.Scenario.Location.Line
	for _, e := range c.Scenario.Examples {
		for _, row := range e.TableBody {
			rd.lines[row.ID] = row.Location.Line
		}
	}
}

func (rd *reader) pickle(p *pickle) {
	if p.Location != nil {
		p.line = p.Location.Line
	} else if len(p.AstNodeIDs) > 0 { // the last one is the row of an outline
		p.line = rd.lines[p.AstNodeIDs[len(p.AstNodeIDs)-1]]
	}
	rd.pickles[p.ID] = &pickle{ID: p.ID, URI: p.URI, Name: p.Name, Tags: slices.Clone(p.Tags), Steps: slices.Clone(p.Steps), line: p.line}
	if rd.names[p.URI] == nil {
		rd.names[p.URI] = &gherkin.Names{}
	}
	rd.names[p.URI].Add(p.Name, p.line)
}

func (rd *reader) testCase(l *jsonwalk.Line, c *testCase) {
	p := rd.pickles[c.PickleID]
	if p == nil {
		l.Malformed(0, "its pickle is on no earlier line; is the beginning of the file missing?")
		return
	}
	rd.cases[c.ID] = &testCase{TestSteps: slices.Clone(c.TestSteps), pickle: p}
}

// emit numbers a trial by the order of its test: attempts count from 0 again
// when a stream holds several runs.
func (rd *reader) emit(t envelope.Trial) {
	rd.trial = t
	rd.to.Send(&rd.trial)
}

func (rd *reader) parseError(e *parseError) {
	const fileTest = "[file]" // stands for a feature that cannot be parsed
	rd.emit(envelope.Trial{Key: envelope.Key{Suite: e.Source.URI, Test: fileTest}, Status: envelope.Error,
		ErrorClass: envelope.ClassPreValidation,
		Message:    failure.Reason(e.Message, 2), Output: e.Message, File: e.Source.URI, Line: max(e.Source.Location.Line, 0)})
}

// hook reports a failed hook around the whole run. Before the first test case it
// is the setup that failed.
func (rd *reader) hook(r *stepResult) {
	if !strings.EqualFold(r.Status, "failed") {
		return
	}
	t := envelope.Trial{Key: envelope.Key{Test: runfailure.Test}, Status: envelope.Error, RawStatus: r.Status,
		Message: failure.Reason(r.said(), 2), Output: r.said()}
	if rd.order == 0 {
		t.ErrorClass = envelope.ClassPreValidation
	}
	rd.emit(t)
}

func (rd *reader) finish() {
	rd.to.Head(rd.header)
	if rd.running {
		rd.truncated()
	}
	rd.end(cutOff)
}

var (
	crashed = runfailure.Crashed("test case")
	lost    = runfailure.Lost("test case")
	cutOff  = runfailure.CutOff("test case")
)

// runFinished ends a run. Test cases that are open in one that failed died with
// the process that ran them, such as a worker of several.
func (rd *reader) runFinished(r *runFinished) {
	rd.running = false
	if r.Success != nil && !*r.Success {
		rd.end(crashed)
		if r.Exception.Message+r.Exception.StackTrace != "" { // no step threw it
			rd.to.Fail(envelope.ClassInfrastructure, "the run failed outside of its scenarios", r.said())
		}
		rd.to.Explain("the run failed, and none of its scenarios did; the cause may be a hook around the run, or a step that is pending or " +
			"undefined in a strict run")
		return
	}
	rd.end(lost)
}

func (rd *reader) truncated() {
	runfailure.Truncated(rd.to, rd.line, "the stream ends before the run does: later trials are missing")
}

// end ends the test cases that are open, in the order in which they began.
func (rd *reader) end(why runfailure.Unended) {
	open := slices.SortedFunc(maps.Values(rd.open), func(a, b *attempt) int { return a.order - b.order })
	clear(rd.open)
	for _, a := range open {
		t := a.trial()
		t.Status, t.ErrorClass, t.Message, t.Unended = envelope.Error, why.Class, why.Why, why.Far
		t.Output = strings.TrimSpace(a.log.String())
		a.steps.Inside(&t)
		rd.emit(t)
	}
}

// message is one line: one of its members is set.
type message struct {
	Meta *struct {
		CI struct {
			BuildNumber string
			Git         struct{ Revision string }
		}
	}
	GherkinDocument *struct {
		Feature struct{ Children []child }
	}
	Pickle           *pickle
	ParseError       *parseError
	TestCase         *testCase
	TestRunStarted   *struct{ Timestamp timestamp }
	TestCaseStarted  *caseStarted
	TestStepFinished *struct {
		TestCaseStartedID, TestStepID string
		TestStepResult                stepResult
	}
	TestCaseFinished *struct {
		TestCaseStartedID string
		Timestamp         timestamp
	}
	TestRunHookFinished *struct{ Result stepResult }
	Attachment          *attachment
	ExternalAttachment  *attachment
	TestRunFinished     *runFinished
}

type runFinished struct {
	Success *bool
	stepResult
}

type child struct {
	Rule     *struct{ Children []child }
	Scenario *struct {
		node
		Examples []struct{ TableBody []node }
	}
}

type node struct {
	ID       string
	Location struct{ Line int }
}

type pickle struct {
	ID, URI, Name string
	Location      *struct{ Line int } // absent before version 33 of the protocol
	AstNodeIDs    []string
	Tags          []struct{ Name string }
	Steps         []struct{ ID, Text string }
	line          int
}

type parseError struct {
	Source struct {
		URI      string
		Location struct{ Line int }
	}
	Message string
}

type testCase struct {
	ID, PickleID string
	TestSteps    []struct{ ID, PickleStepID string }
	pickle       *pickle
}

type caseStarted struct {
	ID, TestCaseID string
	Attempt        int32
	Timestamp      timestamp
}

type stepResult struct {
	Status, Message string
	Exception       struct{ Message, StackTrace string }
}

func (r *stepResult) said() string {
	return cmp.Or(r.Message, r.Exception.StackTrace, r.Exception.Message)
}

type attachment struct {
	TestCaseStartedID, Body, ContentEncoding, MediaType, FileName, URL string
}

// timestamp is a time in seconds and nanoseconds; some writers quote numbers.
type timestamp struct{ Seconds, Nanos json.Number }

// time is the instant, zero when it is not given.
func (t timestamp) time() time.Time {
	seconds, err := t.Seconds.Int64()
	nanos, nerr := t.Nanos.Int64()
	const farthest = 1 << 33 // the year 2242, as far as an instant can be kept
	if err != nil || nerr != nil || seconds < 0 || seconds > farthest {
		return time.Time{}
	}
	return time.Unix(seconds, nanos).UTC()
}

// since is the time from start to end in milliseconds, absent when one of them
// is not given.
func since(start, end time.Time) envelope.Opt[float64] {
	if start.IsZero() || end.IsZero() {
		return envelope.Opt[float64]{}
	}
	return trialfields.Duration(end.Sub(start))
}

type attempt struct {
	*testCase
	name    string // of the test
	order   int
	number  int32
	started time.Time
	steps   gherkin.Steps
	log     strings.Builder
}

func (rd *reader) attempt(l *jsonwalk.Line, m *message) {
	switch {
	case m.TestCaseStarted != nil:
		rd.begin(l, m.TestCaseStarted)
	case m.TestStepFinished != nil:
		if a := rd.open[m.TestStepFinished.TestCaseStartedID]; a != nil {
			r := &m.TestStepFinished.TestStepResult
			a.steps.Add(r.Status, r.said(), a.stepText(m.TestStepFinished.TestStepID))
		}
	case m.Attachment != nil:
		rd.attach(m.Attachment)
	case m.ExternalAttachment != nil:
		rd.attach(m.ExternalAttachment)
	case m.TestCaseFinished != nil:
		id := m.TestCaseFinished.TestCaseStartedID
		if a := rd.open[id]; a != nil {
			delete(rd.open, id)
			rd.ended(a, m.TestCaseFinished.Timestamp.time())
		}
	}
}

func (rd *reader) ended(a *attempt, at time.Time) {
	t := a.trial()
	t.DurationMS = since(a.started, at)
	a.steps.Fill(&t)
	t.Output = strings.TrimSpace(t.Output + "\n" + a.log.String())
	rd.emit(t)
}

// attach adds an attachment: a log to the output of the attempt, of others only the
// place. Content in the stream stays there.
func (rd *reader) attach(m *attachment) {
	a := rd.open[m.TestCaseStartedID]
	const maxLog = 64 << 10 // how much of what an attempt logs is kept, about
	switch {
	case a == nil:
	case m.MediaType != "text/x.cucumber.log+plain" || m.ContentEncoding != "IDENTITY": // no log
		a.steps.Attach(envelope.Attachment{Name: m.FileName, URL: m.URL, MediaType: m.MediaType})
	case a.log.Len() < maxLog:
		a.log.WriteString(failure.Ends(m.Body))
		a.log.WriteByte('\n')
	}
}

func (rd *reader) begin(l *jsonwalk.Line, s *caseStarted) {
	c := rd.cases[s.TestCaseID]
	if c == nil {
		l.Malformed(0, "its test case is on no earlier line; is the beginning of the file missing?")
		return
	}
	if c.pickle.Name == "" && c.pickle.line <= 0 {
		l.Malformed(0, "its scenario has neither a name nor a line")
		return
	}
	rd.running = true
	rd.order++
	rd.open[s.ID] = &attempt{testCase: c, name: rd.names[c.pickle.URI].Of(c.pickle.Name, c.pickle.line), order: rd.order, number: s.Attempt,
		started: s.Timestamp.time()}
}

// stepText is what a step says, "" for a hook.
func (c *testCase) stepText(id string) string {
	for _, s := range c.TestSteps {
		if s.ID != id {
			continue
		}
		for _, p := range c.pickle.Steps {
			if p.ID == s.PickleStepID {
				return p.Text
			}
		}
	}
	return ""
}

// trial is what is known of an attempt before it ends.
func (a *attempt) trial() envelope.Trial {
	p := a.pickle
	t := envelope.Trial{Key: envelope.Key{Suite: p.URI, Test: a.name}, Retry: a.number > 0, StartedAt: a.started, File: p.URI,
		Line: max(p.line, 0)}
	tags := each.Of(p.Tags, func(tag struct{ Name string }) string { return tag.Name })
	trialfields.Tags(&t, tags)
	return t
}

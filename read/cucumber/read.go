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
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/gherkin"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
)

// fileTest stands for a feature that cannot be parsed.
const fileTest = "[file]"

// kinds are the members one of which a message has; the first lines of a stream
// have these.
var kinds = []string{"meta", "source", "gherkinDocument", "pickle", "parseError", "testRunStarted", "stepDefinition", "hook",
	"parameterType", "testCase"}

// tellTale are the keys of messages without which attempts are missing or other ones.
var tellTale = []string{"gherkinDocument", "pickle", "parseError", "testRunStarted", "testCase", "testCaseStarted", "testStepFinished",
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
	err := jsonwalk.StrictLines(r, to, rd.one, tellTale...)
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
		rd.runFinished(m.TestRunFinished.Success)
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
	if !at.IsZero() {
		rd.header.StartedAt = at.Format(time.RFC3339Nano)
	}
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
		l.Malformed(0, "a test case of a pickle that did not come before it")
		return
	}
	rd.cases[c.ID] = &testCase{TestSteps: slices.Clone(c.TestSteps), pickle: p}
}

// deliver numbers a trial by the order of its test: attempts count from 0 again
// when a stream holds several runs.
func (rd *reader) deliver(t envelope.Trial) {
	rd.trial = t
	rd.to.Send(&rd.trial)
}

func (rd *reader) parseError(e *parseError) {
	rd.deliver(envelope.Trial{Key: envelope.Key{Suite: e.Source.URI, Test: fileTest}, Status: envelope.Error,
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
	rd.deliver(t)
}

func (rd *reader) finish() {
	if rd.header.StartedAt != "" || rd.header.Commit != "" || rd.header.ID != "" {
		rd.to.Header(rd.header, nil)
	}
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
func (rd *reader) runFinished(success *bool) {
	rd.running = false
	if success != nil && !*success {
		rd.end(crashed)
		rd.to.Explain("the run failed, and none of its scenarios: a hook around the run, or a step that is pending or undefined in a strict run")
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
		rd.deliver(t)
	}
}

// Package reportlog reads the log of pytest-reportlog, one JSON object a line.
//
// It exists because this is the only report of pytest that keeps every rerun. A
// trial is the phases of one run of a test: setup, call and teardown. Subtests
// are no trials; one that failed fails its test. It leaves out warnings, and from
// the second run on the properties and captured output of the runs before, which
// pytest repeats.
package reportlog

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/pytest"
	"tribunal/read/internal/runfailure"
)

// kinds are the report types of pytest itself; plugins add others.
var kinds = []string{"SessionStart", "CollectReport", "TestReport", "WarningMessage", "SessionFinish"}

// Sniff reports whether the first object in head is a report.
func Sniff(head []byte) bool {
	keys := jsonwalk.FirstLineKeys(head)
	if slices.Contains(kinds, keys["$report_type"]) {
		return true
	}
	// A long report is cut before its type, which comes last.
	return keys["nodeid"] != "" && keys.Has("outcome") && (keys["when"] != "" || keys["$report_type"] != "")
}

// Read reads one log.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, tests: pytest.NewTests(to), open: map[string]*run{}, told: map[string]told{}}
	err := jsonwalk.StrictLines(r, to, rd.one, "$report_type", "nodeid")
	rd.finish()
	return err
}

type reader struct {
	to      envelope.Sink
	line    int
	tests   *pytest.Tests
	open    map[string]*run // by node id
	order   int
	told    map[string]told
	codes   []int // with which sessions ended
	started bool  // the session has begun
	ended   bool
}

// told is how much of what accumulates over reruns belongs to earlier runs, and
// whether the last of them was to be run again: old plugins do not count.
type told struct {
	properties, sections int
	again                bool
}

func (rd *reader) one(l *jsonwalk.Line) {
	rd.line = l.Number
	r := report{}
	if !l.Decode(&r) {
		return
	}
	switch cmp.Or(r.Type, r.SubType) {
	case "SessionStart":
		rd.started, rd.ended = true, false
	case "CollectReport":
		rd.collected(&r)
	case "TestReport":
		rd.phase(l, &r)
	case "SubTestReport":
		rd.subtest(l, &r)
	case "SessionFinish":
		rd.ended, rd.codes = true, append(rd.codes, r.ExitStatus)
	case "":
		l.Malformed(0, "a report has a $report_type")
	}
}

// collected reports files that could not be collected.
func (rd *reader) collected(r *report) {
	t := envelope.Trial{Status: envelope.Error, ErrorClass: envelope.ClassPreValidation,
		Message: failure.Reason(r.LongRepr.short, 2), Output: failure.Ends(r.LongRepr.long)}
	switch r.Outcome {
	case "failed":
	case "skipped":
		t.Status, t.ErrorClass = envelope.Skip, ""
	default:
		return
	}
	t.RawStatus = r.Outcome
	t.Suite, t.Test = pytest.Split(r.NodeID)
	t.File = t.Suite
	rd.deliver(t, nil)
}

// phase adds a phase to the run of its test. A run ends with its teardown, or
// where the next one begins.
func (rd *reader) phase(l *jsonwalk.Line, r *report) {
	if !ofTest(l, r) {
		return
	}
	n := rd.open[r.NodeID]
	if n != nil && n.begun && (r.When == "setup" || n.rerun != r.Rerun) {
		rd.end(n)
		n = nil
	}
	if n == nil {
		n = rd.begin(r)
	}
	n.rerun = r.Rerun
	n.add(r)
	if r.When == "teardown" || r.When == "???" {
		rd.end(n)
	}
}

// subtest adds a subtest to the run of its test. It is told while the test is
// called, and under pytest-rerunfailures, which holds the phases back until
// they are all there, before the setup.
func (rd *reader) subtest(l *jsonwalk.Line, r *report) {
	if !ofTest(l, r) {
		return
	}
	n := rd.open[r.NodeID]
	if n != nil && n.over() {
		rd.end(n)
		n = nil
	}
	if n == nil {
		n = rd.begin(r)
	}
	n.subtest(r)
}

func ofTest(l *jsonwalk.Line, r *report) bool {
	if r.NodeID == "" || r.Outcome == "" {
		l.Malformed(0, "a report of a test has a nodeid and an outcome")
		return false
	}
	return true
}

func (rd *reader) begin(r *report) *run {
	rd.order++
	n := &run{id: r.NodeID, order: rd.order, told: rd.told[r.NodeID]}
	rd.open[r.NodeID] = n
	return n
}

func (rd *reader) end(n *run) {
	delete(rd.open, n.id)
	rd.told[n.id] = told{len(n.last.UserProperties), len(n.last.Sections), n.last.Outcome == "rerun"}
	rd.deliver(n.trial(), n.last.Keywords)
}

func (rd *reader) deliver(t envelope.Trial, marks keywords) {
	rd.tests.Trial(t, func(mark string) bool { return slices.Contains(marks, mark) })
}

func (rd *reader) finish() {
	open := slices.SortedFunc(maps.Values(rd.open), func(a, b *run) int { return a.order - b.order })
	for _, n := range open {
		n.cut = !rd.ended
		rd.end(n)
	}
	rd.tests.Finish()
	for _, code := range rd.codes {
		rd.tests.Ended(code)
	}
	if (rd.started || rd.order > 0) && !rd.ended {
		runfailure.Truncated(rd.to, rd.line, "the log ends before the session does: later tests are missing")
	}
}

func join(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, "\n")
}

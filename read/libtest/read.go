// Package libtest reads the JSON events of Rust's libtest, as cargo test and
// cargo nextest (libtest-json, libtest-json-plus) write them.
//
// It exists for the suites of Rust, whose other machine-readable report is
// nextest's JUnit. nextest names tests package::binary$test and says how often
// one ran, but only how it ended at last; libtest names no suite at all, so
// tests of one name in several binaries cannot be told from repeats. The reader
// says so. It leaves out benchmarks, which have no verdict.
package libtest

import (
	"io"
	"maps"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Codes of what these events cannot say.
const (
	CodeRetriesLost = "retries-lost"
	CodeSuites      = "ambiguous-suites"
)

// Sniff reports whether the first object in head is an event.
func Sniff(head []byte) bool {
	keys := jsonwalk.FirstLineKeys(head)
	return slices.Contains([]string{"suite", "test", "bench"}, keys["type"]) &&
		slices.Contains([]string{"started", "ok", "failed", "ignored", "timeout", "discovered", "completed"}, keys["event"])
}

// Read reads a stream of events. What is wrong with it is a problem in the
// sink; the error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, open: map[string]*started{}, attempts: map[envelope.Key]int32{}, suiteOf: map[envelope.Key]int{}, warned: map[string]bool{}}
	err := jsonwalk.StrictLines(r, to, rd.one)
	if len(rd.open) > 0 || rd.inSuite {
		to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeTruncated, Line: max(rd.line, 1), Column: 1,
			Message: "the stream ends before its suite does: later tests are missing"})
	}
	rd.died()
	return err
}

type reader struct {
	to       envelope.Sink
	line     int
	open     map[string]*started
	order    int
	suite    int // suites begun
	inSuite  bool
	attempts map[envelope.Key]int32
	suiteOf  map[envelope.Key]int // that had the test last
	warned   map[string]bool
}

// started is a test that has not ended.
type started struct {
	name  string
	order int
	slow  bool // it took longer than libtest thinks usual
}

type event struct {
	Type, Event, Name       string
	ExecTime                *float64 `json:"exec_time"` // seconds
	Stdout, Stderr, Message string
	Reason                  string
}

func (rd *reader) one(l *jsonwalk.Line) {
	rd.line = l.Number
	e := event{}
	if !l.Decode(&e) {
		return
	}
	switch {
	case e.Type == "suite" && e.Event == "started":
		rd.died()
		rd.suite++
		rd.inSuite = true
	case e.Type == "suite":
		rd.died()
		rd.inSuite = false
	case e.Type == "test":
		rd.test(l, &e)
	case e.Type == "":
		l.Malformed(0, "an event has a type")
	}
}

func (rd *reader) test(l *jsonwalk.Line, e *event) {
	if _, n := parse(e.Name); n.Test == "" {
		l.Malformed(0, "a test has a name")
		return
	}
	status := envelope.Pass
	switch e.Event {
	case "started":
		rd.order++
		rd.open[e.Name] = &started{name: e.Name, order: rd.order}
		return
	case "timeout": // no end: it takes long and goes on
		if s := rd.open[e.Name]; s != nil {
			s.slow = true
		}
		return
	case "ok":
	case "failed":
		status = envelope.Fail
	case "ignored":
		status = envelope.Skip
	default:
		l.Malformed(0, "the event of a test is none that is known")
		return
	}
	delete(rd.open, e.Name)
	rd.end(e, status)
}

// end delivers the trial of a test that ended.
func (rd *reader) end(e *event, status envelope.Status) {
	t := envelope.Trial{Status: status, RawStatus: e.Event, Output: failure.Ends(e.Stdout + e.Stderr)}
	if e.ExecTime != nil {
		t.DurationMS = trialfields.Milliseconds(*e.ExecTime, 1000)
	}
	if e.Reason == "time limit exceeded" {
		t.ErrorClass = envelope.ClassTimeout
	}
	if status != envelope.Pass {
		e.explain(&t)
	}
	rd.deliver(e.Name, &t)
}

// died ends the tests that began and did not end.
func (rd *reader) died() {
	open := slices.SortedFunc(maps.Values(rd.open), func(a, b *started) int { return a.order - b.order })
	clear(rd.open)
	for _, s := range open {
		t := envelope.Trial{Status: envelope.Error, ErrorClass: envelope.ClassInfrastructure, Message: "the test never ended: its process died"}
		if s.slow {
			t.ErrorClass = envelope.ClassTimeout
		}
		rd.deliver(s.name, &t)
	}
}

// deliver numbers a trial. Of a test that was run again nextest shows the last
// run, whose number is that of the runs.
func (rd *reader) deliver(name string, t *envelope.Trial) {
	runs, key := parse(name)
	t.Key = key
	if runs > 1 {
		t.Retry = true
		rd.warn(CodeRetriesLost, "tests were run again, and these events have their last run only")
	}
	if suite, ok := rd.suiteOf[key]; ok && suite != rd.suite && key.Suite == "" {
		rd.warn(CodeSuites, "tests of one name are in several suites, whose names are not given: they are taken for repeats of one test")
	}
	rd.suiteOf[key] = rd.suite
	n := min(rd.attempts[key], math.MaxInt32-maxRuns) + runs
	rd.attempts[key] = n
	t.Attempt = envelope.Some(n - 1)
	rd.to.Trial(t)
}

func (rd *reader) warn(code, message string) {
	if !rd.warned[code] {
		rd.warned[code] = true
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Line: max(rd.line, 1), Column: 1, Message: message})
	}
}

// Package dart reads the JSON reporter of Dart and Flutter: dart test --reporter
// json, and flutter test --machine.
//
// It exists because both have no other report. A test that is tried again says so in
// a line that the runner prints: each try before it failed. The suite is the file.
// What loads a file is hidden, unless it fails, and then it is an error of class
// pre-validation. A test that began and did not end is an error: nobody knows how it
// would have ended. So is a run that says it failed though none of its tests did, or that
// was shut down.
package dart

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a stream of the reporter.
func Sniff(head []byte) bool { return jsonwalk.FirstLineKeys(head).Has("protocolVersion", "type") }

// Read reads one stream.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, files: map[int64]string{}, open: map[int64]*test{}, passed: map[int64]bool{}}
	err := jsonwalk.Lines(r, to, rd.event, "protocolVersion", "suite", "test", "testID")
	rd.rest()
	rd.end()
	return err
}

type reader struct {
	to      *runfailure.Watch
	files   map[int64]string // of suites
	open    map[int64]*test
	order   []int64 // in which tests began
	line    int
	running bool // the run began and did not end
	passed  map[int64]bool
	late    []string // errors of tests that had passed
	ended   string   // true or false for its success, null where it was shut down
}

type test struct {
	trial   envelope.Trial
	began   float64
	tries   int
	said    []string // by its failures
	printed strings.Builder
}

func (rd *reader) event(v jsonwalk.Value) {
	id := v.Get("testID").Count().V
	rd.line, _ = v.Place()
	switch v.Get("type").String() {
	case "start":
		rd.running = true
	case "done":
		rd.running = false
		if rd.ended = "null"; v.Get("success").Bool().OK {
			rd.ended = strconv.FormatBool(v.Get("success").Bool().V)
		}
	case "suite":
		s := v.Get("suite")
		rd.files[s.Get("id").Count().V] = strings.ReplaceAll(s.Get("path").String(), `\`, "/")
	case "testStart":
		rd.start(v)
	case "print":
		if x := rd.open[id]; x != nil {
			x.print(v.Get("message").String())
		}
	case "error":
		if x := rd.open[id]; x != nil {
			x.said = append(x.said, failure.Together(v.Get("error").String(), v.Get("stackTrace").String()))
		} else if rd.passed[id] {
			rd.late = append(rd.late, failure.Together(v.Get("error").String(), v.Get("stackTrace").String()))
		}
	case "testDone":
		if x := rd.open[id]; x != nil {
			delete(rd.open, id)
			rd.passed[id] = v.Get("result").String() == "success"
			rd.done(x, v)
		}
	}
}

func (rd *reader) start(v jsonwalk.Value) {
	s := v.Get("test")
	id, name := s.Get("id"), s.Get("name").String()
	if !id.Count().OK || name == "" {
		v.Reject("its test has no id or no name")
		return
	}
	x := &test{began: v.Get("time").Number().V}
	x.trial = envelope.Trial{Key: envelope.Key{Suite: rd.files[s.Get("suiteID").Count().V], Test: name}}
	x.trial.File = x.trial.Suite
	if line := s.Get("root_line").Index(); line.OK {
		x.trial.Line = int(line.V)
	} else if url := s.Get("url").String(); strings.HasSuffix(url, x.trial.File) || url == "" {
		x.trial.Line = int(s.Get("line").Index().V)
	}
	x.trial.Message = s.Get("metadata", "skipReason").String()
	rd.open[id.Count().V] = x
	rd.order = append(rd.order, id.Count().V)
}

// print keeps what a test printed; the runner prints so that it tries it again.
func (x *test) print(message string) {
	const kept = 64 << 10
	const maxTries = 1000
	if message == "Retry: "+x.trial.Test && x.tries < maxTries {
		x.tries++
		return
	}
	if x.printed.Len() < kept {
		x.printed.WriteString(message + "\n")
	}
}

// loading is how the name of what loads a file begins.
const loading = "loading "

func (rd *reader) done(x *test, v jsonwalk.Value) {
	t, result := &x.trial, v.Get("result").String()
	if v.Get("hidden").Bool().V && result == "success" {
		return
	}
	if ended := v.Get("time").Number(); ended.OK && ended.V >= x.began {
		t.DurationMS = trialfields.Milliseconds(ended.V-x.began, 1)
	}
	switch {
	case v.Get("skipped").Bool().V:
		t.Status = envelope.Skip
	case result == "success":
		t.Status = envelope.Pass
	case result == "failure":
		t.Status = envelope.Fail
	default:
		t.Status = envelope.Error
		if result != "error" {
			t.RawStatus = result
		}
	}
	if t.Status == envelope.Error && strings.HasPrefix(t.Test, loading) {
		t.ErrorClass = envelope.ClassPreValidation
	}
	rd.emitTries(x)
}

// emitTries delivers the tries that failed, then the one that ended the test. Failures
// are reported in the order of the tries, usually one each.
func (rd *reader) emitTries(x *test) {
	for i := range x.tries {
		t := x.trial
		t.Status, t.Retry, t.DurationMS, t.ErrorClass = envelope.Fail, i > 0, envelope.Opt[float64]{}, ""
		why := "failed, and was tried again; its reason is not in the report"
		if i < len(x.said) {
			why = x.said[i]
		}
		explain(&t, []string{why}, "")
		rd.to.Send(&t)
	}
	t := x.trial
	t.Retry = x.tries > 0
	x.said = x.said[min(x.tries, len(x.said)):]
	if t.Status == envelope.Fail || t.Status == envelope.Error {
		explain(&t, x.said, x.printed.String())
	}
	if t.Status == envelope.Pass {
		t.Message = ""
	}
	rd.to.Send(&t)
}

func explain(t *envelope.Trial, said []string, printed string) {
	text := strings.Join(said, "\n\n")
	t.Message, t.Output = failure.Reason(text, 3), failure.Ends(failure.Together(text, printed))
	t.Message = cmp.Or(t.Message, "failed without a message")
	if strings.HasPrefix(text, "TimeoutException after ") && t.ErrorClass == "" {
		t.ErrorClass = envelope.ClassTimeout
	}
}

// end says what is wrong with how the run ended.
func (rd *reader) end() {
	switch {
	case rd.running:
		runfailure.Truncated(rd.to, rd.line, "the stream ends before the run does: later tests are missing")
	case rd.ended == "null":
		rd.to.Fail(envelope.ClassInfrastructure, "the run was shut down before its end")
	case rd.ended == "false" && rd.late != nil:
		rd.to.Fail("", rd.late...)
	case rd.ended == "false":
		rd.to.Explain("the run failed, and none of its tests did; read the output of the test runner")
	}
}

// rest are the tests that began and did not end.
func (rd *reader) rest() {
	slices.Sort(rd.order)
	for _, id := range rd.order {
		x := rd.open[id]
		if x == nil || strings.HasPrefix(x.trial.Test, loading) {
			continue
		}
		x.trial.Status, x.trial.ErrorClass, x.trial.Unended = envelope.Error, envelope.ClassInfrastructure, envelope.Running
		x.said = append(x.said, "the test did not end")
		rd.emitTries(x)
	}
}

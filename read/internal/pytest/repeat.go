// Package pytest makes trials of what pytest says of the phases of a test: setup, call and teardown.
//
// It exists because two plugins write reports in pytest's own words and leave the outcome of a test to the reader. It
// knows node ids and the suffixes of pytest-repeat. It leaves out the shape of each report.
package pytest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Tests numbers the trials of each test and takes the suffixes of pytest-repeat off their names: [2-5], or -2-5 behind
// other parameters. Parameters of the test itself may look the same. They are told apart by the marks of the test, and
// where these say nothing, by whether all of 1 to N are there: until then the trials wait.
type Tests struct {
	to      *runfailure.Watch
	broken  bool                    // a file could not be collected
	trial   envelope.Trial          // the one that is delivered
	waiting map[envelope.Key]*group // by the name without the suffix
	order   []envelope.Key
}

// group are trials that may be repeats of one test.
type group struct {
	of     int // N
	trials []envelope.Trial
	whole  []string // their names as they are
	seen   map[int]bool
}

// NewTests returns Tests that deliver to a sink.
func NewTests(to envelope.Sink) *Tests {
	return &Tests{to: &runfailure.Watch{Sink: to}, waiting: map[envelope.Key]*group{}}
}

// Trial numbers a trial and delivers it, now or later. Marks says whether the test has a mark.
func (ts *Tests) Trial(t envelope.Trial, marks func(name string) bool) {
	ts.broken = ts.broken || t.Test == fileTest && t.Status == envelope.Error
	stem, i, n, ok := Repeat(t.Test)
	if !ok {
		ts.emit(t)
		return
	}
	whole := t.Test
	t.Test = stem
	if marks("repeat") || !marks("parametrize") {
		ts.emit(t)
		return
	}
	g := ts.waiting[t.Key]
	if g == nil || g.of != n {
		ts.release(t.Key, false)
		g = &group{of: n, seen: map[int]bool{}}
		ts.waiting[t.Key] = g
		ts.order = append(ts.order, t.Key)
	}
	if t.Status == envelope.Pass {
		t.Output = "" // nobody asks for it, and many may wait
	}
	t.Output = strings.Clone(t.Output) // without what lies beside it
	g.trials, g.whole = append(g.trials, t), append(g.whole, whole)
	if g.seen[i] = true; len(g.seen) == n && t.RawStatus != "rerun" {
		ts.release(t.Key, true)
	}
}

// Uncollected delivers a file that could not be collected, or was skipped.
func (ts *Tests) Uncollected(nodeID, outcome, message, output string) {
	t := envelope.Trial{Status: envelope.Error, RawStatus: outcome, ErrorClass: envelope.ClassPreValidation, Message: message,
		Output: failure.Ends(output)}
	if outcome == "skipped" {
		t.Status, t.ErrorClass = envelope.Skip, ""
	}
	t.Suite, t.Test = Split(nodeID)
	t.File = t.Suite
	ts.Trial(t, func(string) bool { return false })
}

// Finish delivers what waits, under the names as they are.
func (ts *Tests) Finish() {
	for _, key := range ts.order {
		ts.release(key, false)
	}
	ts.order = nil
}

func (ts *Tests) release(key envelope.Key, repeats bool) {
	g := ts.waiting[key]
	if g == nil {
		return
	}
	delete(ts.waiting, key)
	for i := range g.trials {
		if !repeats {
			g.trials[i].Test = g.whole[i]
		}
		ts.emit(g.trials[i])
	}
}

func (ts *Tests) emit(t envelope.Trial) {
	ts.trial = t
	ts.to.Send(&ts.trial)
}

// Repeat splits name[i-n] and name[p-i-n] with i from 1 to n, n at least 2.
func Repeat(name string) (stem string, i, n int, ok bool) {
	head, found := strings.CutSuffix(name, "]")
	open := strings.IndexByte(head, '[')
	if !found || open < 1 {
		return "", 0, 0, false
	}
	dash := strings.LastIndexByte(head, '-')
	if dash <= open {
		return "", 0, 0, false
	}
	from := strings.LastIndexAny(head[open:dash], "[-") + open
	i, n = parseDecimal(head[from+1:dash]), parseDecimal(head[dash+1:])
	const maxRepeats = 1_000_000 // the largest N that is taken for a number of repeats
	if i < 1 || n < 2 || i > n || n > maxRepeats {
		return "", 0, 0, false
	}
	if from == open {
		return head[:open], i, n, true
	}
	return head[:from] + "]", i, n, true
}

// parseDecimal is a decimal number as pytest-repeat writes it, -1 for anything else.
func parseDecimal(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(n) != s {
		return -1
	}
	return n
}

// fileTest is the test that stands for a file that cannot be collected.
const fileTest = "[file]"

// Phases are the results of the phases of one run of a test so far.
type Phases struct {
	status          envelope.Status
	class, raw      string
	message, output string
}

// Phase is the result of one phase.
type Phase struct {
	When    string // setup, call or teardown, collect of a file; a crashed worker has another word
	Outcome string // passed, failed, skipped, rerun
	XFail   bool   // the test is marked to fail
	Message string
	Output  string // the traceback
}

// Add adds the result of a phase. The first failure decides, or else a skip.
func (s *Phases) Add(p Phase) {
	switch p.Outcome {
	case "failed", "rerun", "error":
		if s.status != envelope.Fail && s.status != envelope.Error {
			s.fail(p)
		}
	case "skipped":
		if s.status == "" || s.status == envelope.Pass {
			s.set(envelope.Skip, "skipped", p)
			if p.XFail {
				s.raw = "xfailed"
			}
		}
	case "passed":
		if s.status == "" && p.When == "call" {
			s.set(envelope.Pass, "passed", p)
			if p.XFail {
				s.raw = "xpassed"
			}
		}
	default:
		if s.status != envelope.Fail {
			s.set(envelope.Error, p.Outcome, p)
		}
	}
}

func (s *Phases) set(status envelope.Status, raw string, p Phase) {
	s.status, s.raw, s.class = status, raw, ""
	s.message, s.output = failure.Reason(p.Message, 2), failure.Ends(p.Output)
}

// fail sets the outcome of a phase that failed. Only a test's own call fails it.
func (s *Phases) fail(p Phase) {
	switch p.When {
	case "call":
		s.set(envelope.Fail, p.Outcome, p)
	case "setup", "teardown": // fixtures are the suite's own
		s.set(envelope.Error, p.Outcome, p)
	case "collect":
		s.set(envelope.Error, p.Outcome, p)
		s.class = envelope.ClassPreValidation
	default: // "???": the worker of pytest-xdist crashed in the test
		s.set(envelope.Error, p.Outcome, p)
		s.class = envelope.ClassCrash
	}
	if strings.HasPrefix(s.message, "Failed: Timeout") { // pytest-timeout
		s.class = envelope.ClassTimeout
	}
}

// Fill sets what the phases say of a trial. One without a call is one whose process died, or that only was set up.
func (s *Phases) Fill(t *envelope.Trial) {
	if s.status == "" {
		s.status, s.class, s.message = envelope.Error, envelope.ClassInfrastructure, "the test was set up and never ran"
	}
	t.Status, t.ErrorClass = s.status, s.class
	if s.raw != string(s.status) {
		t.RawStatus = s.raw
	}
	t.Output = s.output
	if s.status != envelope.Pass {
		t.Message = cmp.Or(s.message, failure.Reason(s.output, 1))
	}
	if t.Message == "" && (s.status == envelope.Fail || s.status == envelope.Error) {
		t.Message = "failed without a message"
	}
}

// Split splits a node id into file and test. A file alone is fileTest.
func Split(nodeID string) (file, test string) {
	file, test, _ = strings.Cut(nodeID, "::")
	test = cmp.Or(test, fileTest)
	if file == "" && test == fileTest {
		test = runfailure.Test
	}
	return file, test
}

// Property keeps what a test says of itself by name and value (record_property).
func Property(t *envelope.Trial, name string, value any) {
	text, is := value.(string)
	if !is {
		b, _ := json.Marshal(value) // it was JSON
		text = string(b)
	}
	trialfields.Set(t, name, text)
}

// The exit codes of pytest: docs.pytest.org/en/stable/reference/exit-codes.html.
const (
	exitOK          = 0
	exitInterrupted = 2
	exitInternal    = 3
	exitNoTests     = 5
)

// Ended takes the exit code of a session, when its trials were delivered. What a session
// says of itself that none of its trials does is an error of the run.
func (ts *Tests) Ended(code int) {
	switch {
	case code == exitOK:
	case code == exitNoTests && ts.to.Attempts.Len() > 0: // of another session
	case code == exitNoTests:
		ts.to.Fail(envelope.ClassEmptyRun, "pytest collected no tests, or deselected all")
	case code == exitInterrupted && ts.broken:
		ts.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeInterrupted,
			Message: "pytest ran no test, because some could not be collected; the collected ones are missing"})
	case code == exitInterrupted:
		ts.to.Fail(envelope.ClassInfrastructure, "pytest was interrupted: later tests are missing")
	case code == exitInternal:
		ts.to.Fail(envelope.ClassInfrastructure, "pytest crashed with an internal error: later tests are missing")
	default:
		ts.to.Explain(fmt.Sprintf("pytest ended with exit code %d, and none of its tests failed; perhaps a plugin failed the run, such as a "+
			"coverage limit", code))
	}
}

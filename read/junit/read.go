package junit

import (
	"io"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	known "tribunal/read/internal/trialfields"
	"tribunal/read/internal/wholerun"
	"tribunal/read/internal/xmlwalk"
)

// Codes of the problems that only this reader has.
const (
	codeAggregated = "aggregated"
	codeInferred   = "inferred-trials"
	codeRecorded   = "recorded-problem"
	codeByOption   = "failed-by-option" // tests that failed the run if the runner was told so
	codeUntold     = "untold-failures"  // what this runner's JUnit shows as passed
)

// reader is the reading of one document.
type reader struct {
	doc      *xmlwalk.Doc
	to       envelope.Sink
	whole    wholerun.Watch // what trials go to
	ours     bool           // a report of ours
	counted  int            // failures and errors, as a suite or all count them
	root     *suite         // what the open testsuites say
	header   envelope.Header
	runID    string // of a report of ours
	headed   bool   // the header is delivered
	failed   string // why the run failed, as far as it is told, though none of its tests did
	tells    bool   // it has an error of its own input
	attempts known.Attempts
	room     [1]envelope.Trial // of a testcase of one try
	unnamed  map[string]int    // testcases without a name, by the path of their suite
	said     map[string]bool   // notes that are made once a document
}

// Read reads one document. Where it stops to be XML reading stops, with what
// came before counted. The error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, whole: wholerun.Watch{Sink: to}, unnamed: map[string]int{}, said: map[string]bool{}}
	err := xmlwalk.Read(r, to, rd.document)
	if !rd.ours {
		rd.whole.Counted(rd.counted, "testcases")
	}
	if rd.failed != "" {
		rd.whole.Explain(rd.failed)
	}
	rd.flushHeader()
	return err
}

// document reads a root element.
func (rd *reader) document(doc *xmlwalk.Doc, start *xmlwalk.Element) error {
	rd.doc = doc
	switch start.Name {
	case "testsuites":
		return rd.testsuites(start)
	case "testsuite":
		return rd.testsuite(start, &suite{})
	}
	doc.Refuse(start, "testsuites or testsuite")
	return nil
}

func (rd *reader) testsuites(start *xmlwalk.Element) error {
	rd.count(start)
	rd.root = newSuite(start, &suite{})
	rd.header = rd.root.header()
	above := &suite{kind: rd.root.kind}
	return rd.suiteChildren(above)
}

// testsuite reads one testsuite, which may hold others.
func (rd *reader) testsuite(start *xmlwalk.Element, parent *suite) error {
	rd.count(start)
	s := newSuite(start, parent)
	if s.kind == meson {
		rd.note(place{start.Line, start.Column}, codeUntold, "Meson's JUnit has tests that took too long, that passed though they were to fail, and TAP that broke off as passed: report testlog.json beside it in its place, which has them, or heed Meson's exit code")
	}
	err := rd.suiteChildren(s)
	rd.release(s) // what was read counts, wherever reading stopped
	return err
}

// count heeds what failed as a suite counts it. A test that passed when it was tried again
// is no failure for some, and one for others.
func (rd *reader) count(start *xmlwalk.Element) {
	failures, _ := strconv.Atoi(start.Attr("failures"))
	errors, _ := strconv.Atoi(start.Attr("errors"))
	rd.counted = max(rd.counted, failures+errors)
}

func (rd *reader) suiteChildren(s *suite) error {
	return rd.doc.Children(func(start *xmlwalk.Element) error {
		switch start.Name {
		case "testsuite", "testsuites":
			return rd.testsuite(start, s)
		case "undefined": // as node 20 calls what a hook around all tests failed in
			return rd.suiteChildren(s)
		case "testcase":
			return rd.testcase(start, s)
		case "failure", "error":
			return rd.around(start, s)
		case "system-err":
			return rd.printed(s)
		case "properties":
			at := place{start.Line, start.Column}
			properties, err := rd.properties()
			if err == nil {
				s.properties(properties)
				rd.ofGinkgo(properties)
				rd.recordedHeader(s, at)
			}
			return err
		}
		return nil
	})
}

// around delivers what failed of a suite outside of its testcases.
func (rd *reader) around(start *xmlwalk.Element, s *suite) error {
	message := start.Attr("message")
	text, err := rd.doc.Text(keptLimit)
	rd.whole.Fail("", failure.Together("the suite "+strconv.Quote(s.path)+" failed outside of its testcases", message, text))
	return err
}

// exitOfMeson begins what Meson adds to standard error of a program whose points of TAP
// passed, and which ended with another code than 0 or by a signal.
const exitOfMeson = "(test program exited with status code "

// printed heeds how standard error of a suite of Meson ends.
func (rd *reader) printed(s *suite) error {
	if s.kind != meson {
		return nil
	}
	const room = 2 * len(exitOfMeson)
	var end []byte
	err := rd.doc.Content(nil, func(b []byte) {
		end = append(end, b...)
		end = end[max(0, len(end)-room):]
	})
	if _, code, told := strings.Cut(string(end), exitOfMeson); told {
		rd.whole.Fail("", "the program of "+strconv.Quote(s.path)+" ended with exit code "+strings.TrimRight(code, ") \n"))
	}
	return err
}

// unended is why a run failed in which tests that nobody skipped did not end.
const unended = "tests were not run, or not to their end, and none failed: the run was stopped, the worker that had them died, or a hook around them failed"

// ofGinkgo heeds what Ginkgo says of the run of a suite: that it failed, also for what is
// no spec, and that specs are focused, for which it ends with 197.
func (rd *reader) ofGinkgo(properties []property) {
	for _, p := range properties {
		switch {
		case p.name == "SuiteHasProgrammaticFocus" && p.value == "true":
			rd.failed = "specs of a suite of Ginkgo are focused in its code, and others were left out: Ginkgo fails such a run, with exit code 197"
		case p.name == "SuiteSucceeded" && p.value == "false" && rd.failed == "":
			rd.failed = "Ginkgo says that a suite did not succeed"
		case p.name == "SpecialSuiteFailureReason" && p.value != "":
			rd.failed = p.value
		}
	}
}

// place is where something stands in the document, both 1-based.
type place struct{ line, column int }

// note makes a warning once a document.
func (rd *reader) note(at place, code, message string) {
	if !rd.said[code+message] {
		rd.said[code+message] = true
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Line: at.line, Column: at.column, Message: message})
	}
}

// emit numbers trials of one test behind those before them and delivers them.
func (rd *reader) emit(trials []envelope.Trial) {
	rd.flushHeader()
	for i := range trials {
		t := &trials[i]
		t.Attempt = rd.attempts.Next(t.Key)
		rd.whole.Trial(t)
	}
}

func (rd *reader) flushHeader() {
	h := rd.header
	if rd.headed || h.Name == "" && h.ID == "" && h.StartedAt == "" {
		return
	}
	rd.headed = true
	rd.to.Header(h, nil)
}

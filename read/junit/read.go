package junit

import (
	"io"

	"tribunal/envelope"
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
	around   suite          // what is around the root
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
	if start.Name == "testsuites" || start.Name == "testsuite" {
		return rd.testsuite(start, &rd.around)
	}
	doc.Refuse(start, "testsuites or testsuite")
	return nil
}

// testsuite reads one testsuite, which may hold others.
func (rd *reader) testsuite(start *xmlwalk.Element, parent *suite) error {
	s := rd.suite(start, parent)
	if parent == &rd.around && start.Name == "testsuites" {
		rd.header = s.header()
		s.name, s.path, s.filled = "", "", true // the run, which is no part of names
	} else if s.kind == meson {
		rd.note(place{start.Line, start.Column}, codeUntold, "Meson's JUnit shows some failures as passed: timeouts, unexpected passes and incomplete TAP; report its testlog.json instead, or check Meson's exit code")
	}
	err := rd.suiteChildren(s)
	rd.release(s) // what was read counts, wherever reading stopped
	rd.explainEmpty(s)
	if err == nil {
		rd.end(s, parent, start)
	}
	return err
}

func (rd *reader) suiteChildren(s *suite) error {
	return rd.doc.Children(func(start *xmlwalk.Element) error {
		switch start.Name {
		case "testsuite", "testsuites":
			s.filled = true
			return rd.testsuite(start, s)
		case "undefined": // as node 20 calls what a hook around all tests failed in
			return rd.suiteChildren(s)
		case "testcase":
			s.filled = true
			return rd.testcase(start, s)
		case "failure", "error":
			s.filled = true
			return rd.outside(start, s)
		case "system-err":
			return rd.printedBy(s)
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

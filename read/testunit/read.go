// Package testunit reads the XML of Ruby's test-unit, ruby test.rb --runner=xml.
//
// It exists because test-unit writes no JUnit of its own. The file is a stream of
// events: what was said of a test between its beginning and its end is its outcome, the
// worst of it. Rows of data have the name of their test, and nobody runs a test twice
// here: those behind the first are tests named `name #2`. Notifications are no outcome.
// What minitest-reporters writes is junit.
package testunit

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/xmlreport"
	"tribunal/read/internal/xmlwalk"
)

const root = "stream"

// Sniff reports whether head starts with a stream of events.
func Sniff(head []byte) bool {
	name, text := xmlwalk.Root(head)
	_, rest, _ := strings.Cut(text, ">")
	return name == root && strings.HasPrefix(strings.TrimSpace(rest), "<ready-test-suite")
}

// Read reads one stream.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{rows: map[envelope.Key]int{}}
	err := rd.Read(r, to, func(*xmlwalk.Element) {
		for e := range rd.Doc.Children() {
			rd.event(e)
		}
	}, root)
	if rd.open && rd.trial.Test != "" { // the process ended in it, or the file
		t := &rd.trial
		t.Status, t.ErrorClass, t.Message, t.Unended = envelope.Error, envelope.ClassInfrastructure, "the test did not end", envelope.Running
		rd.emitTrial()
	}
	return err
}

type reader struct {
	xmlreport.Reader
	trial envelope.Trial
	open  bool // a test has begun
	rows  map[envelope.Key]int
}

// said is what the parts of an event say; parts of parts are taken as well.
type said struct {
	texts map[string]string // by the name of the part, and that of a test or its case before it
	file  string
	line  int
	trace strings.Builder
}

func (rd *reader) event(e *xmlwalk.Element) {
	switch e.Name {
	case "success": // of the whole run
		if strings.TrimSpace(rd.Doc.Text(xmlreport.TextLimit)) == "false" {
			rd.To.Explain("the run failed, and none of its tests did")
		}
		return
	case "start-test", "test-result", "complete-test":
	default:
		return
	}
	s := said{texts: map[string]string{}}
	rd.parts(&s, "")
	test := s.texts["test name"]
	switch {
	case rd.Doc.Cut():
	case e.Name == "start-test":
		rd.trial, rd.open = envelope.Trial{Key: envelope.Key{Test: test}}, true
		rd.trial.StartedAt, _ = time.Parse(time.RFC3339, s.texts["test start-time"])
	case e.Name == "test-result":
		rd.result(&s)
	default:
		if rd.open = false; test == "" || rd.trial.Test != test || rd.trial.Status == "" {
			rd.To.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: e.Line, Column: e.Column,
				Message: "a test is not counted: its beginning or its result is missing"})
			return
		}
		rd.trial.DurationMS = xmlreport.Seconds(s.texts["test elapsed"])
		rd.emitTrial()
	}
}

func (rd *reader) parts(s *said, around string) {
	file, line := "", 0
	for e := range rd.Doc.Children() {
		switch name := e.Name; name {
		case "test", "test-case", "result", "backtrace", "entry":
			rd.parts(s, name)
		case "name", "elapsed", "start-time":
			s.texts[around+" "+name] = strings.TrimSpace(rd.Doc.Text(xmlreport.TextLimit))
		case "status", "detail":
			s.texts[name] = strings.TrimSpace(rd.Doc.Text(xmlreport.TextLimit))
		case "file":
			file = strings.TrimSpace(rd.Doc.Text(xmlreport.TextLimit))
		case "line":
			line, _ = strconv.Atoi(strings.TrimSpace(rd.Doc.Text(xmlreport.TextLimit))) // 0 is unknown
		}
	}
	if around == "entry" && file != "" {
		if s.file == "" {
			s.file, s.line = file, max(line, 0)
		}
		xmlwalk.Keep(&s.trace, fmt.Appendf(nil, "%s:%d\n", file, line), xmlreport.TextLimit)
	}
}

// severity is how bad a word is; a worse one takes the place of a better one.
func severity(word string) (status envelope.Status, rank int) {
	switch word {
	case "success":
		return envelope.Pass, 1
	case "omission", "pending":
		return envelope.Skip, 2
	case "failure":
		return envelope.Fail, 3
	case "notification":
		return "", 0
	}
	return envelope.Error, 4
}

func (rd *reader) result(s *said) {
	t := &rd.trial
	t.Suite = cmp.Or(s.texts["test-case name"], t.Suite)
	word, detail, before := s.texts["status"], s.texts["detail"], 0
	if t.Status != "" {
		_, before = severity(t.RawStatus)
	}
	status, rank := severity(word)
	if rank <= before {
		return
	}
	t.Status, t.RawStatus = status, word
	t.Message, t.Output = failure.Reason(detail, 3), ""
	if status != envelope.Pass {
		t.File, t.Line, t.Output = s.file, s.line, failure.Together(detail, s.trace.String())
	}
}

func (rd *reader) emitTrial() {
	t := &rd.trial
	if t.RawStatus == "success" || t.RawStatus == "failure" || t.RawStatus == "error" {
		t.RawStatus = ""
	}
	if rd.rows[t.Key]++; rd.rows[t.Key] > 1 {
		t.Test = fmt.Sprintf("%s #%d", t.Test, rd.rows[t.Key])
	}
	t.Attempt = envelope.Some[int32](0)
	rd.To.Trial(t)
}

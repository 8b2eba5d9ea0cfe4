// Package testunit reads the XML of Ruby's test-unit, ruby test.rb --runner=xml.
//
// It exists because test-unit writes no JUnit of its own. The file is a stream of
// events: what was said of a test between its beginning and its end is its outcome, the
// worst of it. Rows of data have the name of their test, and nobody runs a test twice
// here: those behind the first are tests named `name #2`. Notifications are no outcome.
// What minitest-reporters writes is junit.
package testunit

import (
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
	err := rd.Read(r, to, func(*xmlwalk.Element) error { return rd.Doc.Children(rd.event) }, root)
	if rd.open && rd.trial.Test != "" { // the process ended in it, or the file
		t := &rd.trial
		t.Status, t.ErrorClass, t.Message, t.Unended = envelope.Error, envelope.ClassInfrastructure, "the test did not end", envelope.Running
		rd.deliver()
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
	test, class, elapsed, started string
	status, detail                string
	file                          string
	line                          int
	trace                         strings.Builder
}

func (rd *reader) event(e *xmlwalk.Element) error {
	kind, line, column := e.Name, e.Line, e.Column
	if kind == "success" { // of the whole run
		text, err := rd.Doc.Text(xmlreport.TextLimit)
		if strings.TrimSpace(text) == "false" {
			rd.To.Explain("the run failed, and none of its tests")
		}
		return err
	}
	if kind != "start-test" && kind != "test-result" && kind != "complete-test" {
		return nil
	}
	var s said
	if err := rd.parts(&s, ""); err != nil {
		return err
	}
	switch kind {
	case "start-test":
		rd.trial, rd.open = envelope.Trial{Key: envelope.Key{Test: s.test}}, true
		rd.trial.StartedAt, _ = time.Parse(time.RFC3339, s.started)
	case "test-result":
		rd.result(&s)
	case "complete-test":
		if rd.open = false; s.test == "" || rd.trial.Test != s.test || rd.trial.Status == "" {
			rd.To.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: line, Column: column,
				Message: "a test is not counted: its beginning or its result is missing"})
			return nil
		}
		rd.trial.DurationMS = xmlreport.Seconds(s.elapsed)
		rd.deliver()
	}
	return nil
}

func (rd *reader) parts(s *said, around string) error {
	var entry struct {
		file string
		line int
	}
	err := rd.Doc.Children(func(e *xmlwalk.Element) error {
		name := e.Name
		switch name {
		case "test", "test-case", "result", "backtrace", "entry":
			return rd.parts(s, name)
		case "name", "elapsed", "start-time", "status", "detail", "file", "line", "info":
		default:
			return nil
		}
		text, err := rd.Doc.Text(xmlreport.TextLimit)
		text = strings.TrimSpace(text)
		switch {
		case name == "name" && around == "test":
			s.test = text
		case name == "name" && around == "test-case":
			s.class = text
		case name == "elapsed" && around == "test":
			s.elapsed = text
		case name == "start-time" && around == "test":
			s.started = text
		case name == "status":
			s.status = text
		case name == "detail":
			s.detail = text
		case name == "file":
			entry.file = text
		case name == "line":
			entry.line, _ = strconv.Atoi(text) // 0 is unknown
		}
		return err
	})
	if around == "entry" && entry.file != "" {
		if s.file == "" {
			s.file, s.line = entry.file, max(entry.line, 0)
		}
		xmlwalk.Keep(&s.trace, fmt.Appendf(nil, "%s:%d\n", entry.file, entry.line), xmlreport.TextLimit)
	}
	return err
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
	if s.class != "" {
		t.Suite = s.class
	}
	_, before := severity(t.RawStatus)
	status, rank := severity(s.status)
	if t.Status == "" {
		before = 0
	}
	if rank <= before {
		return
	}
	t.Status, t.RawStatus = status, s.status
	t.Message, t.Output = failure.Reason(s.detail, 3), ""
	if status != envelope.Pass {
		t.File, t.Line, t.Output = s.file, s.line, failure.Together(s.detail, s.trace.String())
	}
}

func (rd *reader) deliver() {
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

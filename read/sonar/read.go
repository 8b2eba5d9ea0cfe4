// Package sonar reads the generic test execution XML of SonarQube, as jest-sonar-reporter
// and its like write it.
//
// It exists because projects that show their tests in SonarQube often have no other report.
// The format has a name, a duration and an outcome for each test and no more: the file is
// the suite, and a test that is there several times has attempts. What Tribunal writes in this
// format keeps no trial and is none of its inputs.
package sonar

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlreport"
	"tribunal/read/internal/xmlwalk"
)

const root = "testExecutions"

// Sniff reports whether head starts with test executions that others wrote.
func Sniff(head []byte) bool {
	name, _ := xmlwalk.Root(head)
	return name == root && !bytes.Contains(head, []byte("<!-- a report of tribunal -->"))
}

// Read reads one file.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{}
	return rd.Read(r, to, func(*xmlwalk.Element) error { return rd.Doc.Named("file", rd.file) }, root)
}

type reader struct{ xmlreport.Reader }

func (rd *reader) file(e *xmlwalk.Element) error {
	path := e.Attr("path")
	return rd.Doc.Named("testCase", func(e *xmlwalk.Element) error { return rd.test(path, e) })
}

func (rd *reader) test(path string, e *xmlwalk.Element) error {
	t := envelope.Trial{Key: envelope.Key{Suite: path, Test: e.Attr("name")}, File: path, Status: envelope.Pass}
	if t.Test == "" {
		rd.Nameless("testCase", e.Line, e.Column)
		return nil
	}
	if ms, err := strconv.ParseFloat(e.Attr("duration"), 64); err == nil {
		t.DurationMS = trialfields.Milliseconds(ms, 1)
	}
	if err := rd.Doc.Children(func(e *xmlwalk.Element) error { return rd.outcome(&t, e) }); err != nil {
		return err
	}
	if t.Status == envelope.Fail && failure.TimedOut(t.Message) {
		t.ErrorClass = envelope.ClassTimeout
	}
	rd.Deliver(&t)
	return nil
}

// outcomes are the elements of a testCase that did not pass.
var outcomes = map[string]envelope.Status{"failure": envelope.Fail, "error": envelope.Error, "skipped": envelope.Skip}

// outcome takes what a testCase says of itself. The format has one of these for each.
func (rd *reader) outcome(t *envelope.Trial, e *xmlwalk.Element) error {
	status, known := outcomes[e.Name]
	if !known {
		return nil
	}
	message := e.Attr("message")
	text, err := rd.Doc.Text(xmlreport.TextLimit)
	if t.Status != envelope.Pass && status == envelope.Skip {
		return err
	}
	t.Status, t.Message = status, failure.Reason(message, 2)
	if !strings.Contains(text, message) { // most say it twice
		text = failure.Together(message, text)
	}
	t.Output = strings.TrimSpace(text)
	return err
}

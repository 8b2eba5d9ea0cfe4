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
	rd := &xmlreport.Reader{}
	return rd.Read(r, to, func(*xmlwalk.Element) {
		for file := range rd.Doc.Named("file") {
			path := file.Attr("path")
			rd.Inside(xmlwalk.Elements{"testCase": func(e *xmlwalk.Element) { test(rd, path, e) }})
		}
	}, root)
}

// outcomes are the elements of a testCase that did not pass.
var outcomes = map[string]envelope.Status{"failure": envelope.Fail, "error": envelope.Error, "skipped": envelope.Skip}

// test reads a testCase, which has one element at most that says how it did not pass.
func test(rd *xmlreport.Reader, path string, e *xmlwalk.Element) {
	t := envelope.Trial{Key: envelope.Key{Suite: path}, File: path, Status: envelope.Pass}
	if !rd.Named(&t, e.Attr("name"), "testCase", e) {
		return
	}
	t.DurationMS = trialfields.Lasted(e.Attr("duration"), 1)
	for e := range rd.Doc.Children() {
		status, known := outcomes[e.Name]
		if !known {
			continue
		}
		message := e.Attr("message")
		text := rd.Doc.Text(xmlreport.TextLimit)
		if t.Status != envelope.Pass && status == envelope.Skip {
			continue
		}
		t.Status, t.Message = status, failure.Reason(message, 2)
		if !strings.Contains(text, message) { // most say it twice
			text = failure.Together(message, text)
		}
		t.Output = strings.TrimSpace(text)
	}
	if t.Status == envelope.Fail && failure.TimedOut(t.Message) {
		t.ErrorClass = envelope.ClassTimeout
	}
	rd.Deliver(&t)
}

// Package rspec reads the JSON of RSpec (--format json), also from SimpleCov and parallel_tests.
//
// The suite is the file of an example, the test its full description. A repeated example has
// attempts. A file that does not load makes the test [run] an error of class pre-validation.
// Earlier tries of rspec-retry are not in the format.
package rspec

import (
	"cmp"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a report. Specs print where it goes: a
// report may stand behind that, even in the same line.
func Sniff(head []byte) bool { return isReport(head) || begin(head) >= 0 }

func isReport(head []byte) bool {
	keys := jsonwalk.DocumentKeys(head)
	return keys.Has("version", "examples") || keys.Has("examples", "summary_line")
}

func begin(head []byte) int { return jsonwalk.Begin(head, "version", isReport) }

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}}
	return jsonwalk.StrictAmong(r, rd.to, begin, rd.report)
}

type reader struct {
	*jsonwalk.Text
	to       *runfailure.Watch
	messages []string
}

type example struct {
	Description string
	FullName    string   `json:"full_description"`
	Status      string   `json:"status"`
	File        string   `json:"file_path"`
	Line        int      `json:"line_number"`
	Time        *float64 `json:"run_time"` // seconds
	Pending     string   `json:"pending_message"`
	Exception   *struct {
		Class, Message string
		Backtrace      []string
	} `json:"exception"`
}

func (rd *reader) report(d *jsonwalk.Text) error {
	rd.Text = d
	return d.Members(jsonwalk.Members{"messages": &rd.messages, "examples": jsonwalk.Decoded(rd.example), "summary": rd.summary})
}

func (rd *reader) summary(d *jsonwalk.Text) error {
	s := struct {
		Examples int `json:"example_count"`
		Failures int `json:"failure_count"`
		Errors   int `json:"errors_outside_of_examples_count"`
	}{}
	err := d.Decode(&s)
	if s.Errors > 0 {
		rd.outside()
	}
	rd.to.Counts(s.Examples, s.Failures, "examples")
	return err
}

func (rd *reader) example(x *example) {
	t := envelope.Trial{Key: envelope.Key{Suite: strings.TrimPrefix(x.File, "./"), Test: x.FullName}, Line: max(x.Line, 0)}
	t.File = t.Suite
	if strings.TrimSpace(t.Test) == "" {
		t.Test = x.Description
	}
	status, known := envelope.ParseStatus(x.Status)
	if t.Test == "" || !known {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed,
			"an example is not counted: it has no description, or its status is unknown")
		return
	}
	if t.Status = status; x.Status == "pending" {
		t.RawStatus, t.Message = x.Status, failure.Reason(x.Pending, 1)
	}
	t.DurationMS = trialfields.Elapsed(x.Time, 1000)
	if e := x.Exception; e != nil && status == envelope.Fail {
		t.Message = cmp.Or(failure.Reason(e.Message, 3), e.Class)
		t.Output = failure.Ends(failure.Together(e.Class+": "+strings.TrimSpace(e.Message), strings.Join(e.Backtrace, "\n")))
		if !strings.HasPrefix(e.Class, "RSpec::") {
			t.Status, t.RawStatus = envelope.Error, x.Status
		}
	}
	rd.to.Send(&t)
}

// outside tells errors that belong to no example.
func (rd *reader) outside() {
	said := strings.TrimSpace(strings.Join(rd.messages, "\n"))
	message := cmp.Or(failure.Reason(said, 3), "an error occurred outside of examples")
	rd.to.Send(&envelope.Trial{Key: envelope.Key{Test: runfailure.Test}, Status: envelope.Error, ErrorClass: envelope.ClassPreValidation,
		Message: message, Output: failure.Ends(said)})
}

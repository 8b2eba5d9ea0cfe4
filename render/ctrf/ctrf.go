// Package ctrf writes an envelope in the Common Test Report Format, version
// 0.0.0: one JSON object that dashboards and chat reporters of many CI systems
// read.
//
// CTRF has no word for a test that the evidence does not decide, so
//
//	pass          passed
//	fail          failed
//	inconclusive  other
//	error         failed
//	skip          skipped
//
// and rawStatus holds our own word. A failure that its quarantine excuses is
// other, too, so that no dashboard goes red for it; its rawStatus is fail. A CTRF test has one outcome and retries
// after failures; trials are neither. They go to extra, under the key tribunal:
// results.extra.tribunal is the json form of the envelope without its tests,
// tests[].extra.tribunal is the test as that form has it. Both together are the
// whole envelope, so that nothing is lost for who reads it back. flaky, retries
// and retryAttempts are written for trials that really are retries.
//
// The schema demands whole milliseconds and a start, a stop and durations. What
// is unknown is 0 there and absent in extra.
//
// A run that is broken gets one failed test that says so, and so does one whose gate
// does not hold: the report would be green. It is no test of the envelope and has no
// extra.
//
// The package leaves out what older copies of the schema reject (testId, runId,
// labels), ids and times of the report itself, which would differ from one
// writing to the next, and insights over several runs.
package ctrf

import (
	"bufio"
	"encoding/json"
	"io"

	"tribunal/envelope"
	"tribunal/internal/text"
)

// Options of the format; it has none.
type Options struct{}

const (
	specVersion = "0.0.0"
	tool        = "tribunal"
	nameLimit   = 1000 // bytes
)

// summary is the object of that name, in the order it is written.
type summary struct {
	Tests    int    `json:"tests"`
	Passed   int    `json:"passed"`
	Failed   int    `json:"failed"`
	Skipped  int    `json:"skipped"`
	Pending  int    `json:"pending"`
	Other    int    `json:"other"`
	Flaky    int    `json:"flaky"`
	Start    int64  `json:"start"`
	Stop     int64  `json:"stop"`
	Duration *int64 `json:"duration,omitempty"`
}

type environment struct {
	ReportName string `json:"reportName,omitempty"`
	Commit     string `json:"commit,omitempty"`
}

// Write writes the envelope as one JSON object, a line per test. The error is
// that of the writer.
func Write(w io.Writer, e *envelope.Envelope, _ Options) error {
	out := &printer{bufio.NewWriterSize(w, 1<<16)}
	out.text(`{"reportFormat":"CTRF","specVersion":"` + specVersion + `","generatedBy":"` + tool + "\",\n")
	out.text(`"results":{"tool":{"name":"` + tool + "\"},\n")
	out.field("summary", summarise(e))
	out.field("extra", extra{runExtra(e)})
	if env := environmentOf(&e.Run); env != (environment{}) {
		out.field("environment", env)
	}
	out.text(`"tests":[`)
	for i := range e.Tests {
		out.element(i, testOf(&e.Tests[i]))
	}
	for i, note := range notes(e) {
		out.element(len(e.Tests)+i, note)
	}
	out.text("\n]}}\n")
	return out.Flush()
}

// printer writes the document piece by piece; it keeps the first error for Flush.
type printer struct{ *bufio.Writer }

func (p *printer) text(s string) { p.WriteString(s) }

func (p *printer) value(v any) {
	b, err := json.Marshal(v)
	if err != nil { // strings, integers and JSON made before always marshal
		b = []byte("null")
	}
	p.Write(b)
}

func (p *printer) field(name string, v any) {
	p.text(`"` + name + `":`)
	p.value(v)
	p.text(",\n")
}

func (p *printer) element(i int, v any) {
	if i > 0 {
		p.text(",")
	}
	p.text("\n ")
	p.value(v)
}

func summarise(e *envelope.Envelope) summary {
	c := e.Summary.Counts
	s := summary{Tests: c.Tests, Passed: c.Pass, Failed: c.Fail + c.Error, Skipped: c.Skip, Other: c.Inconclusive}
	for i := range e.Tests {
		if t := &e.Tests[i]; t.Excused() && t.Status == envelope.Fail {
			s.Failed--
			s.Other++
		}
		if flaky(&e.Tests[i]) {
			s.Flaky++
		}
	}
	beside := len(notes(e))
	s.Tests += beside
	s.Failed += beside
	when := spanOfRun(e)
	s.Start, s.Stop = when.start, when.stop
	if d := e.Summary.DurationMS; d.OK {
		ms := whole(d.V)
		s.Duration = &ms
	}
	return s
}

func environmentOf(run *envelope.RunHeader) environment {
	return environment{ReportName: line(run.Name), Commit: line(run.Commit)}
}

func line(s string) string { return text.CutLine(text.Line(s), nameLimit) }

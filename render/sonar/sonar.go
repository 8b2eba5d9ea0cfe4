// Package sonar writes an envelope as the generic test execution XML of SonarQube
// (sonar.testExecutionReportPaths): a testCase per test, below its file.
//
//	fail, error    failure and error, with what was said and the evidence
//	inconclusive   skipped, its message begins with inconclusive
//	skip           skipped
//
// It exists because SonarQube reads no other report for most languages. It refuses a
// test without a file, so a test that names none stands in a file made of its names,
// which SonarQube reports as unknown and passes over. Durations are whole
// milliseconds, 0 where they are unknown: the format has no other word for that.
// What the gate says beside its status is a comment, for there is no place for it; that
// it does not hold, or that the run is broken, is a testCase of the file tribunal/run.
//
// The package leaves out single trials.
package sonar

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"io"
	"math"
	"net/url"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// mark says who wrote the report, so that it is not read as one of a runner: it has no trials.
const mark = "<!-- a report of tribunal -->"

// Limits in bytes.
const (
	pathLimit   = 1000
	lineLimit   = 4 << 10
	outputLimit = 16 << 10
)

// Write writes the envelope as XML. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope) error {
	out := &document{bufio.NewWriter(w)}
	out.raw(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<testExecutions version="1">` + "\n" + mark + "\n")
	if says := standing.GateWords(e); says != "" {
		out.raw("<!-- " + strings.ReplaceAll(text.Line(says), "--", "- -") + " -->\n")
	}
	paths, tests := byFile(e)
	for _, path := range paths {
		out.raw("  <file path=\"").text(path).raw("\">\n")
		for _, t := range tests[path] {
			out.test(e, t)
		}
		out.raw("  </file>\n")
	}
	out.run(e)
	out.raw("</testExecutions>\n")
	return out.w.Flush()
}

func (d *document) run(e *envelope.Envelope) {
	broken, unheld := standing.Broken(e), standing.Unheld(&e.Gate)
	if broken == "" && unheld == "" {
		return
	}
	d.raw("  <file path=\"tribunal/run\">\n")
	if broken != "" {
		d.testCase("run", 0)
		d.outcome("error", "the run is broken", text.CutLine(text.Line(broken), lineLimit))
	}
	if unheld != "" {
		d.testCase("gate", 0)
		d.outcome("failure", "a gate does not hold", text.CutLine(text.Line(unheld), lineLimit))
	}
	d.raw("  </file>\n")
}

// byFile are the tests of each file, the files in the order in which they come.
func byFile(e *envelope.Envelope) (paths []string, tests map[string][]*envelope.Test) {
	tests = map[string][]*envelope.Test{}
	for i := range e.Tests {
		path := file(&e.Tests[i])
		if tests[path] == nil {
			paths = append(paths, path)
		}
		tests[path] = append(tests[path], &e.Tests[i])
	}
	return paths, tests
}

func file(t *envelope.Test) string {
	if path := text.CutLine(text.Path(t.File), pathLimit); path != "" {
		return path
	}
	path := "tribunal"
	for _, s := range []string{t.Suite, t.Test} {
		if s = text.CutLine(text.Line(s), pathLimit/2); s != "" && s != "." && s != ".." {
			path += "/" + url.PathEscape(s)
		}
	}
	return path
}

// document writes XML; its writer keeps the first error.
type document struct{ w *bufio.Writer }

func (d *document) raw(s string) *document {
	d.w.WriteString(s)
	return d
}

func (d *document) text(s string) *document {
	_ = xml.EscapeText(d.w, []byte(s)) // the writer keeps the error
	return d
}

func (d *document) test(e *envelope.Envelope, t *envelope.Test) {
	duration := int64(0)
	if t.DurationMS != nil && t.DurationMS.Total < math.MaxInt64/2 {
		duration = int64(math.Round(t.DurationMS.Total))
	}
	d.testCase(standing.FullName(t.Key, text.Line), duration)
	message, output := standing.FirstDetails(t)
	said, evidence := text.CutLine(text.Line(message), lineLimit), text.CutLine(text.Line(standing.Evidence(t)), lineLimit)
	within := standing.InsideBlock(t, lineLimit)
	body := evidence + within + words.Around("\n", text.Cut(text.Block(output), outputLimit))
	switch status := standing.Shown(e, t); status {
	case envelope.Pass:
		d.raw("/>\n")
	case envelope.Inconclusive:
		d.outcome("skipped", standing.Unsettled(t)+": "+evidence, strings.TrimPrefix(within, "\n"))
	case envelope.Skip:
		d.outcome("skipped", cmp.Or(said, evidence), "")
	case envelope.Fail:
		d.outcome("failure", cmp.Or(said, evidence), body)
	default:
		d.outcome("error", cmp.Or(said, evidence), body)
	}
}

func (d *document) testCase(name string, duration int64) {
	d.raw(`    <testCase name="`).text(name).raw(`" duration="` + strconv.FormatInt(duration, 10) + `"`)
}

func (d *document) outcome(element, message, body string) *document {
	return d.raw(">\n      <" + element + ` message="`).text(message).raw(`">`).text(body).raw("</" + element + ">\n    </testCase>\n")
}

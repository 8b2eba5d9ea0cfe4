// Package trx writes an envelope as TRX, the result files of Visual Studio, for Azure
// DevOps and other tools of .NET teams: a UnitTestResult per test.
//
//	pass           Passed
//	fail           Failed
//	error          Failed, its message begins with error: readers take the outcome Error
//	               for a test that was not executed, or for none
//	inconclusive   Inconclusive, which Azure DevOps shows as such, or NotExecuted
//	skip           NotExecuted
//
// It exists because PublishTestResults of Azure reads TRX best. Ids are made of the
// names, so that a test is the same one in every run. What the gate says beside the
// status is a RunInfo. That a run is broken, or its gate does not hold, is a result of
// class (tribunal), for most readers look at nothing else.
//
// The package leaves out single trials; how many passed stands in the message.
package trx

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"time"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// Limits in bytes.
const (
	nameLimit   = 1000
	lineLimit   = 4 << 10
	outputLimit = 16 << 10
)

// Ids that Visual Studio gives every unit test, and the list of all results.
const (
	unitTest = "13cdc9d9-ddb5-4fa4-a97d-d965ccfc6d4b"
	allTests = "8c84fa94-04c1-424b-9868-57a2d4851a1d"
)

// Options of the format. The zero value writes inconclusive tests as Inconclusive.
type Options struct {
	Inconclusive string // AsInconclusive or AsNotExecuted; "" is AsInconclusive
}

// The choices for inconclusive tests.
const (
	AsInconclusive = "inconclusive"
	AsNotExecuted  = "notexecuted" // for readers that count no test with the outcome Inconclusive
)

// Write writes the envelope as TRX. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	out := &document{bufio.NewWriter(w), o.Inconclusive == AsNotExecuted}
	out.raw(`<?xml version="1.0" encoding="UTF-8"?>` + "\n<TestRun")
	name := text.CutLine(text.Line(e.Run.Name), nameLimit)
	out.attribute("id", id("run", e.Run.ID, e.Run.Name)).attribute("name", cmp.Or(name, "tribunal")).attribute("runUser", runUser(e))
	out.raw(` xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">` + "\n")
	out.times(e)
	out.raw("  <Results>\n")
	for i := range e.Tests {
		out.result(e, &e.Tests[i])
	}
	beside := notes(e)
	for _, n := range beside {
		out.outcome(n.about, "", n.status, n.says, n.frame(0))
	}
	out.raw("  </Results>\n  <TestDefinitions>\n")
	for i := range e.Tests {
		out.definition(aboutTest(&e.Tests[i]))
	}
	for _, n := range beside {
		out.definition(n.about)
	}
	out.raw("  </TestDefinitions>\n  <TestEntries>\n")
	for i := range e.Tests {
		out.entry(aboutTest(&e.Tests[i]))
	}
	for _, n := range beside {
		out.entry(n.about)
	}
	out.raw("  </TestEntries>\n  <TestLists>\n    <TestList").attribute("name", "All Loaded Results").attribute("id",
		allTests).raw(" />\n  </TestLists>\n")
	out.summary(e)
	out.raw("</TestRun>\n")
	return out.w.Flush()
}

// runUser says who wrote it and of which trials, by which the report is known beside
// what it was made from.
func runUser(e *envelope.Envelope) string {
	if sum := e.TrialsSum().String(); sum != "" {
		return "tribunal " + sum
	}
	return "tribunal"
}

// document writes XML; its writer keeps the first error.
type document struct {
	w           *bufio.Writer
	notExecuted bool // inconclusive tests are
}

func (d *document) raw(s string) *document {
	d.w.WriteString(s)
	return d
}

func (d *document) text(s string) *document {
	_ = xml.EscapeText(d.w, []byte(s)) // the writer keeps the error
	return d
}

func (d *document) attribute(name, value string) *document {
	if value == "" {
		return d
	}
	return d.raw(" " + name + `="`).text(value).raw(`"`)
}

func (d *document) element(indent, name, s string) *document {
	if s == "" {
		return d
	}
	return d.raw(indent + "<" + name + ">").text(s).raw("</" + name + ">\n")
}

// stamp is how .NET writes a time. dorny/test-reporter takes no other.
const stamp = "2006-01-02T15:04:05.0000000Z07:00"

// times are those of the run. One that does not say when it began has the time by which
// .NET means none: a report without times is refused by readers.
func (d *document) times(e *envelope.Envelope) {
	var start time.Time
	if ns, ok := e.StartedAt(); ok {
		start = time.Unix(0, ns).UTC()
	}
	finish := start
	const longest = 10 * 365 * 24 * time.Hour // of a run
	if ms := cmp.Or(e.Summary.WallMS, e.Summary.DurationMS); ms.OK && !start.IsZero() && ms.V < float64(longest/time.Millisecond) {
		finish = start.Add(time.Duration(ms.V * float64(time.Millisecond)))
	}
	from, to := start.Format(stamp), finish.Format(stamp)
	d.raw("  <Times").attribute("creation", from).attribute("queuing", from).attribute("start", from).attribute("finish", to).raw(" />\n")
}

var outcomes = map[envelope.Status]string{
	envelope.Pass: "Passed", envelope.Fail: "Failed", envelope.Error: "Failed", envelope.Inconclusive: "Inconclusive",
	envelope.Skip: "NotExecuted",
}

func (d *document) outcomeOf(status envelope.Status) string {
	if status == envelope.Inconclusive && d.notExecuted {
		status = envelope.Skip
	}
	return outcomes[status]
}

type about struct{ test, execution, name, class, file string }

func aboutTest(t *envelope.Test) about {
	class := standing.SuiteName(t.Suite, text.Line)
	return about{id("test", t.Suite, t.Test, t.Variant), id("execution", t.Suite, t.Test, t.Variant),
		standing.TestName(class, t.Key, text.Line), class, text.CutLine(text.Path(t.File), nameLimit)}
}

type note struct {
	about
	status envelope.Status
	says   string
}

// notes say what is wrong beside the tests. Readers look at results alone, and would
// take the run for green.
func notes(e *envelope.Envelope) (out []note) {
	add := func(name string, status envelope.Status, says string) {
		if says != "" {
			out = append(out, note{about{id("note", name), id("note execution", name), name, standing.OwnSuite, ""}, status,
				text.CutLine(text.Line(says), lineLimit)})
		}
	}
	add("run", envelope.Error, standing.Broken(e))
	add("gate", envelope.Fail, standing.Unheld(&e.Gate))
	return out
}

func (d *document) result(e *envelope.Envelope, t *envelope.Test) {
	status := standing.Shown(e, t)
	if status == envelope.Pass {
		d.outcome(aboutTest(t), duration(t), status, "", "")
		return
	}
	message, output := standing.FirstDetails(t)
	evidence := standing.Evidence(t)
	switch status {
	case envelope.Inconclusive:
		evidence = standing.Unsettled(t) + ": " + evidence
	case envelope.Error:
		evidence = "error: " + evidence
	}
	said := text.CutLine(text.Line(evidence), lineLimit) + words.Around("\n", text.CutLine(text.Line(message), lineLimit)) +
		standing.InsideBlock(t, lineLimit)
	of := aboutTest(t)
	trace := of.frame(t.Line) + words.Around("\n", text.Cut(text.Block(output), outputLimit))
	d.outcome(of, duration(t), status, said, trace)
}

// frame is where a test stands, as a line of a stack trace of .NET. Without a trace some
// readers leave out the message as well.
func (of about) frame(line int) string {
	return "at " + of.name + words.Around(" in ", of.file, ":line "+strconv.Itoa(max(1, line)))
}

func (d *document) outcome(of about, took string, status envelope.Status, said, trace string) {
	d.raw("    <UnitTestResult").attribute("executionId", of.execution).attribute("testId", of.test).attribute("testName", of.name)
	d.attribute("computerName", "tribunal").attribute("duration", took).attribute("testType", unitTest).attribute("outcome",
		d.outcomeOf(status))
	d.attribute("testListId", allTests).attribute("relativeResultsDirectory", of.execution)
	if said == "" {
		d.raw(" />\n")
		return
	}
	d.raw(">\n      <Output>\n        <ErrorInfo>\n").element("          ", "Message", said).element("          ", "StackTrace", trace)
	d.raw("        </ErrorInfo>\n      </Output>\n    </UnitTestResult>\n")
}

// duration is that of all trials, such as 00:00:01.5000000. It is "" from a day on:
// readers refuse a report that counts days.
func duration(t *envelope.Test) string {
	if t.DurationMS == nil || t.DurationMS.Total >= float64(24*time.Hour/time.Millisecond)-1 {
		return ""
	}
	const ticks = int64(10_000_000) // a second
	n := int64(t.DurationMS.Total*1e4 + 0.5)
	s := n / ticks
	return fmt.Sprintf("%02d:%02d:%02d.%07d", s/3600, s/60%60, s%60, n%ticks)
}

func (d *document) definition(of about) {
	d.raw("    <UnitTest").attribute("name", of.name).attribute("storage", "tribunal").attribute("id",
		of.test).raw(">\n      <Execution").attribute("id", of.execution)
	d.raw(" />\n      <TestMethod").attribute("codeBase", cmp.Or(of.file, "tribunal")).attribute("className", of.class).attribute("name",
		of.name).raw(" />\n    </UnitTest>\n")
}

func (d *document) entry(of about) {
	d.raw("    <TestEntry").attribute("testId", of.test).attribute("executionId", of.execution).attribute("testListId", allTests).raw(" />\n")
}

// summary are the counters, and what belongs to no test.
func (d *document) summary(e *envelope.Envelope) {
	var n envelope.Counts
	for i := range e.Tests {
		n.Add(standing.Shown(e, &e.Tests[i]))
	}
	for _, beside := range notes(e) {
		n.Add(beside.status)
	}
	if d.notExecuted {
		n.Skip, n.Inconclusive = n.Skip+n.Inconclusive, 0
	}
	outcome := cmp.Or(words.If(e.Gate.Status == envelope.Fail || e.Gate.Status == envelope.Error, "Failed"), "Completed")
	d.raw("  <ResultSummary").attribute("outcome", outcome).raw(">\n    <Counters")
	for _, c := range []struct {
		name  string
		count int
	}{{"total", n.Tests}, {"executed", n.Tests - n.Skip}, {"passed", n.Pass}, {"failed", n.Fail + n.Error}, {"error", 0},
		{"inconclusive", n.Inconclusive}, {"notExecuted", n.Skip}} {
		d.attribute(c.name, strconv.Itoa(c.count))
	}
	d.raw(" />\n")
	if file := standing.PolicyFile(e); file != "" {
		d.raw("    <Output>\n").element("      ", "StdOut", file).raw("    </Output>\n")
	}
	d.raw("    <RunInfos>\n")
	for _, notice := range e.Gate.Notices {
		d.info("Warning", notice.String())
	}
	if says := standing.Broken(e); says != "" {
		d.info("Error", "The test run was aborted: "+says)
	}
	d.raw("    </RunInfos>\n  </ResultSummary>\n")
}

func (d *document) info(outcome, said string) {
	d.raw("      <RunInfo").attribute("computerName", "tribunal").attribute("outcome", outcome).raw(">\n").element("        ", "Text",
		text.CutLine(text.Line(said), lineLimit)).raw("      </RunInfo>\n")
}

func id(words ...string) string {
	sum := standing.Digest(words...)
	return standing.UUID(sum[:], 8)
}

// Package xunit reads the XML of xUnit.net: v2 and v3 (assemblies) and v1
// (assembly), as Fixie and others write it too.
//
// It exists because xUnit.net writes its own XML with -xml and --report-xunit. The
// suite is the type of a test, and the test its name without that. Where the
// clean-up of a class or an assembly failed, which no test shows, there is a test
// named after it. A test that is there several times has attempts.
package xunit

import (
	"cmp"
	"io"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlreport"
	"tribunal/read/internal/xmlwalk"
)

// Sniff reports whether head starts with a report of xUnit.net.
func Sniff(head []byte) bool { return xmlwalk.Starts(head, "assemblies", "assembly") }

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{}
	return rd.Read(r, to, rd.root, "assemblies", "assembly")
}

type reader struct{ xmlreport.Reader }

func (rd *reader) root(e *xmlwalk.Element) {
	if e.Name == "assembly" {
		rd.assembly(e)
		return
	}
	if at := instant(e.Attr("start-rtf")); !at.IsZero() {
		rd.To.Header(envelope.Header{ID: e.Attr("id"), StartedAt: at.Format(time.RFC3339Nano)}, nil)
	}
	for e := range rd.Doc.Named("assembly") {
		rd.assembly(e)
	}
}

// assembly reads the collections of v2 and the classes of v1.
func (rd *reader) assembly(start *xmlwalk.Element) {
	rd.To.Next()
	for e := range rd.Doc.Children() {
		switch e.Name {
		case "collection", "class":
			for e := range rd.Doc.Named("test") {
				rd.test(e)
			}
		case "errors":
			for e := range rd.Doc.Children() { // of a clean-up, outside of all tests
				t := envelope.Trial{Key: envelope.Key{Suite: e.Attr("name"), Test: "[" + e.Attr("type") + "]"}, Status: envelope.Error}
				rd.explain(&t)
			}
		}
	}
	if !rd.Doc.Cut() {
		rd.To.Counts(start.Number("total"), max(start.Number("failed"), start.Number("errors")), "tests")
	}
}

func (rd *reader) test(e *xmlwalk.Element) {
	t := envelope.Trial{Key: envelope.Key{Suite: e.Attr("type")}, File: strings.ReplaceAll(e.Attr("source-file"), `\`, "/")}
	if !rd.Named(&t, e.Attr("name"), "test", e) {
		return
	}
	if rest, ok := strings.CutPrefix(t.Test, t.Suite+"."); ok && t.Suite != "" && rest != "" {
		t.Test = rest
	}
	xmlreport.SetLine(&t, e.Attr("source-line"))
	switch word := e.Attr("result"); word {
	case "Pass", "Fail", "Skip":
		t.Status, _ = envelope.ParseStatus(word)
	case "NotRun": // nobody asked for it, as an explicit one
		t.Status, t.RawStatus = envelope.Skip, word
	default:
		t.Status, t.RawStatus = envelope.Error, word
	}
	t.DurationMS, t.StartedAt = xmlreport.Seconds(e.Attr("time")), instant(e.Attr("start-rtf"))
	rd.explain(&t)
}

// explain takes what an element says of its trial, and delivers it.
func (rd *reader) explain(t *envelope.Trial) {
	c := texts{doc: rd.Doc, t: t}
	c.read()
	if t.Status != envelope.Pass {
		message := failure.Together(c.message, c.why)
		t.Message = cmp.Or(failure.Reason(message, 3), failure.Reason(c.kind, 1))
		t.Output = failure.Together(failure.Longer(message, t.Message), c.stack, c.out)
		if c.kind == "Xunit.Sdk.TestTimeoutException" || strings.HasPrefix(c.message, "Test execution timed out after ") {
			t.ErrorClass = envelope.ClassTimeout
		}
	}
	rd.Deliver(t)
}

type texts struct {
	doc                            *xmlwalk.Doc
	t                              *envelope.Trial
	kind, message, stack, out, why string
}

func (c *texts) read() {
	for e := range c.doc.Children() {
		c.take(e)
	}
}

func (c *texts) take(e *xmlwalk.Element) {
	switch e.Name {
	case "failure":
		c.kind = e.Attr("exception-type")
		c.read()
	case "message":
		c.message = c.doc.Text(xmlreport.TextLimit)
	case "stack-trace":
		c.stack = c.doc.Text(xmlreport.TextLimit)
	case "output":
		c.out = c.doc.Text(xmlreport.TextLimit)
	case "reason": // with an element message in v1
		inside := c.doc.Content(func(b []byte) {
			c.why += string(b[:min(len(b), xmlreport.TextLimit-min(len(c.why), xmlreport.TextLimit))])
		})
		for e := range inside {
			c.take(e)
		}
	case "traits":
		for e := range c.doc.Children() {
			trialfields.Set(c.t, e.Attr("name"), e.Attr("value"))
		}
	}
}

func instant(text string) time.Time { return trialfields.Time(time.RFC3339Nano, text) }

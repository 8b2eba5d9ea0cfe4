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

func (rd *reader) root(e *xmlwalk.Element) error {
	if e.Name == "assembly" {
		return rd.assembly(e)
	}
	if at, ok := instant(e.Attr("start-rtf")); ok {
		rd.To.Header(envelope.Header{ID: e.Attr("id"), StartedAt: at.Format(time.RFC3339Nano)}, nil)
	}
	return rd.Doc.Named("assembly", rd.assembly)
}

// assembly reads the collections of v2 and the classes of v1.
func (rd *reader) assembly(start *xmlwalk.Element) error {
	rd.To.Next()
	err := rd.Doc.Children(func(e *xmlwalk.Element) error {
		switch e.Name {
		case "collection", "class":
			return rd.Doc.Named("test", rd.test)
		case "errors":
			return rd.Doc.Children(rd.cleanup)
		}
		return nil
	})
	if err == nil {
		rd.To.Counts(start.Number("total"), max(start.Number("failed"), start.Number("errors")), "tests")
	}
	return err
}

func (rd *reader) test(e *xmlwalk.Element) error {
	t := envelope.Trial{Key: envelope.Key{Suite: e.Attr("type"), Test: e.Attr("name")},
		File: strings.ReplaceAll(e.Attr("source-file"), `\`, "/")}
	if rest, ok := strings.CutPrefix(t.Test, t.Suite+"."); ok && t.Suite != "" && rest != "" {
		t.Test = rest
	}
	if t.Test == "" {
		rd.Nameless("test", e.Line, e.Column)
		return nil
	}
	xmlreport.SetLine(&t, e.Attr("source-line"))
	outcome(&t, e.Attr("result"))
	t.DurationMS = xmlreport.Seconds(e.Attr("time"))
	if at, ok := instant(e.Attr("start-rtf")); ok {
		t.StartedAt = at
	}
	c := texts{doc: rd.Doc, t: &t}
	if err := rd.Doc.Children(c.read); err != nil {
		return err
	}
	c.explain()
	rd.Deliver(&t)
	return nil
}

// outcome is how a test ended. NotRun is a test that nobody asked for, as an
// explicit one.
func outcome(t *envelope.Trial, word string) {
	switch t.Status, _ = envelope.ParseStatus(word); word {
	case "Pass", "Fail", "Skip":
	case "NotRun":
		t.Status, t.RawStatus = envelope.Skip, word
	default:
		t.Status, t.RawStatus = envelope.Error, word
	}
}

type texts struct {
	doc                            *xmlwalk.Doc
	t                              *envelope.Trial
	kind, message, stack, out, why string
}

func (c *texts) read(e *xmlwalk.Element) (err error) {
	switch e.Name {
	case "failure":
		c.kind = e.Attr("exception-type")
		return c.doc.Children(c.read)
	case "message":
		c.message, err = c.doc.Text(xmlreport.TextLimit)
	case "stack-trace":
		c.stack, err = c.doc.Text(xmlreport.TextLimit)
	case "output":
		c.out, err = c.doc.Text(xmlreport.TextLimit)
	case "reason": // with an element message in v1
		return c.doc.Content(c.read, func(b []byte) {
			c.why += string(b[:min(len(b), xmlreport.TextLimit-min(len(c.why), xmlreport.TextLimit))])
		})
	case "traits":
		return c.doc.Each(func(e *xmlwalk.Element) { trialfields.Set(c.t, e.Attr("name"), e.Attr("value")) })
	}
	return err
}

func (c *texts) explain() {
	if c.t.Status == envelope.Pass {
		return
	}
	message := failure.Together(c.message, c.why)
	c.t.Message = cmp.Or(failure.Reason(message, 3), failure.Reason(c.kind, 1))
	c.t.Output = failure.Together(failure.Longer(message, c.t.Message), c.stack, c.out)
	if c.kind == "Xunit.Sdk.TestTimeoutException" || strings.HasPrefix(c.message, "Test execution timed out after ") {
		c.t.ErrorClass = envelope.ClassTimeout
	}
}

// cleanup is an error outside of all tests.
func (rd *reader) cleanup(e *xmlwalk.Element) error {
	t := envelope.Trial{Key: envelope.Key{Suite: e.Attr("name"), Test: "[" + e.Attr("type") + "]"}, Status: envelope.Error}
	c := texts{doc: rd.Doc, t: &t}
	if err := rd.Doc.Children(c.read); err != nil {
		return err
	}
	c.explain()
	rd.Deliver(&t)
	return nil
}

func instant(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339Nano, text)
	return at.UTC(), err == nil
}

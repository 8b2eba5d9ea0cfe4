// Package xunit reads the XML of xUnit.net: v2 and v3 (assemblies) and v1 (assembly), as Fixie and others write it too.
//
// It exists because xUnit.net writes its own XML with -xml and --report-xunit. The suite is the type of a test, and the
// test its name without that. Where the clean-up of a class or an assembly failed, which no test shows, there is a test
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
	tests := xmlwalk.Elements{"test": rd.test}
	rd.Inside(xmlwalk.Elements{"collection": tests, "class": tests, "errors": func(*xmlwalk.Element) {
		for e := range rd.Doc.Children() { // of a clean-up, outside of all tests
			t := envelope.Trial{Key: envelope.Key{Suite: e.Attr("name"), Test: "[" + e.Attr("type") + "]"}, Status: envelope.Error}
			rd.explain(&t)
		}
	}})
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
	var kind, message, stack, out, why string
	says := xmlwalk.Elements{"message": &message, "stack-trace": &stack, "output": &out}
	says["failure"] = func(e *xmlwalk.Element) {
		kind = e.Attr("exception-type")
		rd.Inside(says)
	}
	says["reason"] = func(*xmlwalk.Element) { // with an element message in v1
		inside := rd.Doc.Content(func(b []byte) {
			why += string(b[:min(len(b), xmlreport.TextLimit-min(len(why), xmlreport.TextLimit))])
		})
		for e := range inside {
			if e.Name == "message" {
				message = rd.Doc.Text(xmlreport.TextLimit)
			}
		}
	}
	says["traits"] = func(*xmlwalk.Element) {
		for e := range rd.Doc.Children() {
			trialfields.Set(t, e.Attr("name"), e.Attr("value"))
		}
	}
	rd.Inside(says)
	if t.Status != envelope.Pass {
		text := failure.Together(message, why)
		t.Message = cmp.Or(failure.Reason(text, 3), failure.Reason(kind, 1))
		t.Output = failure.Together(failure.Longer(text, t.Message), stack, out)
		if kind == "Xunit.Sdk.TestTimeoutException" || strings.HasPrefix(message, "Test execution timed out after ") {
			t.ErrorClass = envelope.ClassTimeout
		}
	}
	rd.Deliver(t)
}

func instant(text string) time.Time { return trialfields.Time(time.RFC3339Nano, text) }

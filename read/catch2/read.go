// Package catch2 reads the XML of Catch2 (-r xml), of versions 2 and 3. Its JUnit is
// read by package junit.
//
// It exists because this XML is the only report of Catch2 that has tags and lines,
// and test explorers keep it. A test case is a test, with all its sections; the
// suite is the program. With -d yes there are durations.
package catch2

import (
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlreport"
	"tribunal/read/internal/xmlwalk"
)

// Sniff reports whether head starts with a report.
func Sniff(head []byte) bool { return xmlwalk.Starts(head, "Catch", "Catch2TestRun") }

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{}
	return rd.Read(r, to, rd.root, "Catch", "Catch2TestRun")
}

type reader struct {
	xmlreport.Reader
	program string
}

func (rd *reader) root(e *xmlwalk.Element) error {
	rd.program = e.Attr("name")
	return rd.Doc.Children(func(e *xmlwalk.Element) error {
		if e.Name == "OverallResultsCases" {
			rd.To.Counted(e.Number("failures"), "test cases")
		}
		return rd.child(e)
	})
}

func (rd *reader) child(e *xmlwalk.Element) error {
	switch e.Name {
	case "Group": // of version 2
		return rd.Doc.Children(rd.child)
	case "TestCase":
		return rd.test(e)
	}
	return nil
}

func (rd *reader) test(e *xmlwalk.Element) error {
	t := envelope.Trial{Key: envelope.Key{Suite: rd.program, Test: strings.TrimSpace(e.Attr("name"))},
		File: strings.ReplaceAll(e.Attr("filename"), `\`, "/")}
	if t.Test == "" {
		rd.Nameless("TestCase", e.Line, e.Column)
		return nil
	}
	xmlreport.SetLine(&t, e.Attr("line"))
	if tags := strings.Trim(e.Attr("tags"), "[]"); tags != "" {
		trialfields.Set(&t, "tags", strings.ReplaceAll(tags, "][", ","))
	}
	x := said{doc: rd.Doc}
	t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassCrash, "the program ended inside of this test"
	err := rd.Doc.Children(func(e *xmlwalk.Element) error {
		if e.Name != "OverallResult" {
			return x.read(e)
		}
		t.Status, t.ErrorClass, t.Message = envelope.Fail, "", ""
		if e.Attr("success") == "true" {
			t.Status = envelope.Pass
		}
		if skips := e.Attr("skips"); t.Status == envelope.Pass && skips != "" && skips != "0" {
			t.Status = envelope.Skip
		}
		t.DurationMS = xmlreport.Seconds(e.Attr("durationInSeconds"))
		return nil
	})
	if err != nil {
		return err
	}
	if t.Status != envelope.Pass {
		if x.first != "" && t.ErrorClass == "" {
			t.Message = x.first
		}
		t.Output = strings.TrimSpace(x.all.String())
	}
	rd.Deliver(&t)
	return nil
}

// said is what went wrong in a test, section by section.
type said struct {
	doc   *xmlwalk.Doc
	path  []string
	first string
	all   strings.Builder
}

func (x *said) read(e *xmlwalk.Element) error {
	switch e.Name {
	case "Section":
		x.path = append(x.path, e.Attr("name"))
		err := x.doc.Children(x.read)
		x.path = x.path[:len(x.path)-1]
		return err
	case "Expression":
		if e.Attr("success") == "true" {
			return nil
		}
		return x.expression(e)
	case "Exception", "Failure", "FatalErrorCondition", "Skip", "Warning", "Info":
		what, where := e.Name, e.Attr("filename")+":"+e.Attr("line")
		text, err := x.doc.Text(xmlreport.TextLimit)
		if text = strings.TrimSpace(text); what == "Warning" || what == "Info" {
			xmlwalk.Keep(&x.all, []byte(text+"\n"), xmlreport.TextLimit)
		} else {
			x.add(where, strings.TrimSpace(fmt.Sprintf("%s: %s", what, text)))
		}
		return err
	}
	return nil
}

// expression is an assertion that did not hold.
func (x *said) expression(e *xmlwalk.Element) error {
	kind, where := e.Attr("type"), e.Attr("filename")+":"+e.Attr("line")
	original, expanded, thrown := "", "", ""
	err := x.doc.Texts(xmlreport.TextLimit, map[string]*string{"Original": &original, "Expanded": &expanded, "Exception": &thrown})
	line := fmt.Sprintf("%s( %s )", kind, strings.TrimSpace(original))
	if expanded = strings.TrimSpace(expanded); expanded != "" {
		line += " with expansion " + expanded
	}
	if thrown = strings.TrimSpace(thrown); thrown != "" {
		line += ": " + thrown
	}
	x.add(where, line)
	return err
}

func (x *said) add(where, line string) {
	if x.first == "" {
		x.first = failure.Reason(line, 3)
	}
	if len(x.path) > 0 {
		line = strings.Join(x.path, " › ") + ": " + line
	}
	xmlwalk.Keep(&x.all, []byte(where+": "+line+"\n"), xmlreport.TextLimit)
}

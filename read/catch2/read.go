// Package catch2 reads the XML of Catch2 (-r xml), of versions 2 and 3. Its JUnit is read by package junit.
//
// It exists because this XML is the only report of Catch2 that has tags and lines, and test explorers keep it. A test
// case is a test, with all its sections; the suite is the program. With -d yes there are durations.
package catch2

import (
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

func (rd *reader) root(e *xmlwalk.Element) {
	rd.program = e.Attr("name")
	for e := range rd.Doc.Children() {
		if e.Name == "OverallResultsCases" {
			rd.To.Counted(e.Number("failures"), "test cases")
		}
		rd.child(e)
	}
}

func (rd *reader) child(e *xmlwalk.Element) {
	switch e.Name {
	case "Group": // of version 2
		for e := range rd.Doc.Children() {
			rd.child(e)
		}
	case "TestCase":
		rd.test(e)
	}
}

func (rd *reader) test(e *xmlwalk.Element) {
	t := envelope.Trial{Key: envelope.Key{Suite: rd.program}, File: strings.ReplaceAll(e.Attr("filename"), `\`, "/")}
	if !rd.Named(&t, strings.TrimSpace(e.Attr("name")), "TestCase", e) {
		return
	}
	xmlreport.SetLine(&t, e.Attr("line"))
	if tags := strings.Trim(e.Attr("tags"), "[]"); tags != "" {
		trialfields.Set(&t, "tags", strings.ReplaceAll(tags, "][", ","))
	}
	x := said{doc: rd.Doc}
	t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassCrash, "the program ended inside of this test"
	for e := range rd.Doc.Children() {
		if e.Name != "OverallResult" {
			x.read(e)
			continue
		}
		t.Status, t.ErrorClass, t.Message = envelope.Fail, "", ""
		if e.Attr("success") == "true" {
			t.Status = envelope.Pass
		}
		if skips := e.Attr("skips"); t.Status == envelope.Pass && skips != "" && skips != "0" {
			t.Status = envelope.Skip
		}
		t.DurationMS = xmlreport.Seconds(e.Attr("durationInSeconds"))
	}
	if t.Status != envelope.Pass {
		if x.first != "" && t.ErrorClass == "" {
			t.Message = x.first
		}
		t.Output = strings.TrimSpace(x.all.String())
	}
	rd.Deliver(&t)
}

// said is what went wrong in a test, section by section.
type said struct {
	doc   *xmlwalk.Doc
	path  []string
	first string
	all   strings.Builder
}

func (x *said) read(e *xmlwalk.Element) {
	where := e.Attr("filename") + ":" + e.Attr("line")
	switch what := e.Name; what {
	case "Section":
		x.path = append(x.path, e.Attr("name"))
		for e := range x.doc.Children() {
			x.read(e)
		}
		x.path = x.path[:len(x.path)-1]
	case "Expression":
		if e.Attr("success") != "true" {
			x.add(where, x.expression(e.Attr("type")))
		}
	case "Exception", "Failure", "FatalErrorCondition", "Skip":
		x.add(where, strings.TrimSpace(what+": "+strings.TrimSpace(x.doc.Text(xmlreport.TextLimit))))
	case "Warning", "Info":
		xmlwalk.Keep(&x.all, []byte(strings.TrimSpace(x.doc.Text(xmlreport.TextLimit))+"\n"), xmlreport.TextLimit)
	}
}

func (x *said) expression(kind string) string {
	original, expanded, thrown := "", "", ""
	x.doc.Inside(xmlreport.TextLimit, xmlwalk.Elements{"Original": &original, "Expanded": &expanded, "Exception": &thrown})
	line := kind + "( " + strings.TrimSpace(original) + " )"
	if expanded = strings.TrimSpace(expanded); expanded != "" {
		line += " with expansion " + expanded
	}
	if thrown = strings.TrimSpace(thrown); thrown != "" {
		line += ": " + thrown
	}
	return line
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

// Package ctest reads Test.xml of CTest, which `ctest -T Test` leaves in Testing/ and
// CDash takes. What --output-junit writes is JUnit, which package junit reads.
//
// It exists because CDash projects have no other file. The suite is the folder of a test in the build. A test whose
// program is missing did not run: an error of class pre-validation; one that is disabled is skipped. With --repeat the
// last try alone is in the file.
package ctest

import (
	"io"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/xmlreport"
	"tribunal/read/internal/xmlwalk"
)

// Sniff reports whether head starts with a Test.xml. Other files of CTest have the same root, and no tests.
func Sniff(head []byte) bool {
	name, text := xmlwalk.Root(head)
	return name == "Site" && strings.Contains(text, "<Testing>")
}

// Read reads one file.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{}
	return rd.Read(r, to, rd.root, "Site")
}

type reader struct {
	xmlreport.Reader
	listed int // tests that the run was to try
}

func (rd *reader) root(e *xmlwalk.Element) {
	build := strings.TrimPrefix(e.Attr("BuildName"), "(empty)")
	rd.Inside(xmlwalk.Elements{"Testing": xmlwalk.Elements{
		"StartTestTime": func(*xmlwalk.Element) {
			text := strings.TrimSpace(rd.Doc.Text(xmlreport.TextLimit))
			if s, err := strconv.ParseInt(text, 10, 64); err == nil && s > 0 && s < 1<<33 {
				rd.To.Header(envelope.Header{Name: build, StartedAt: time.Unix(s, 0).UTC().Format(time.RFC3339)}, nil)
			}
		},
		"TestList": func(*xmlwalk.Element) {
			for range rd.Doc.Children() {
				rd.listed++
			}
		},
		"Test": rd.test,
	}})
	if !rd.Doc.Cut() {
		rd.To.Announced(rd.listed, "tests")
	}
}

type test struct {
	name, path, output string
	measured           map[string]string
}

func (rd *reader) test(start *xmlwalk.Element) {
	x := test{measured: map[string]string{}}
	rd.Inside(xmlwalk.Elements{"Name": &x.name, "Path": &x.path, "Results": func(*xmlwalk.Element) { rd.results(&x) }})
	t := envelope.Trial{Key: envelope.Key{Suite: strings.TrimPrefix(strings.TrimPrefix(x.path, "."), "/")}}
	if rd.Doc.Cut() || !rd.Named(&t, x.name, "Test", start) {
		return
	}
	if x.outcome(&t, start.Attr("Status")); t.Status != envelope.Skip {
		t.DurationMS = xmlreport.Seconds(x.measured["Execution Time"])
	}
	rd.Deliver(&t)
}

func (rd *reader) results(x *test) {
	for e := range rd.Doc.Children() {
		name, output := e.Attr("name"), e.Name == "Measurement"
		if !output && e.Name != "NamedMeasurement" {
			continue
		}
		for e := range rd.Doc.Named("Value") {
			switch {
			case e.Has("encoding") || e.Has("compression"):
			case output:
				x.output = rd.Doc.Text(xmlreport.TextLimit)
			default:
				x.measured[name] = strings.TrimSpace(rd.Doc.Text(xmlreport.TextLimit))
			}
		}
	}
}

func (x *test) outcome(t *envelope.Trial, word string) {
	done, code := x.measured["Completion Status"], x.measured["Exit Code"]
	switch {
	case word == "passed":
		t.Status = envelope.Pass
		return
	case word == "notrun" && (done == "Disabled" || strings.HasPrefix(done, "SKIP_")):
		t.Status, t.Message = envelope.Skip, done
		return
	case word == "notrun":
		t.Status, t.RawStatus, t.ErrorClass = envelope.Error, word, envelope.ClassPreValidation
		t.Message = done
	case word == "failed" && code == "Timeout":
		t.Status, t.ErrorClass, t.Message = envelope.Fail, envelope.ClassTimeout, "Timeout"
	case word == "failed" && code != "" && code != "Failed":
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassCrash, code // SEGFAULT, ILLEGAL, …
	case word == "failed":
		t.Status, t.Message = envelope.Fail, "exit value "+x.measured["Exit Value"]
	default:
		t.Status, t.RawStatus = envelope.Error, word
	}
	t.Output = strings.Trim(x.output, "\r\n")
}

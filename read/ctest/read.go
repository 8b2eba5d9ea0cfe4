// Package ctest reads Test.xml of CTest, which `ctest -T Test` leaves in Testing/ and
// CDash takes. What --output-junit writes is JUnit, which package junit reads.
//
// It exists because CDash projects have no other file. The suite is the folder of a
// test in the build. A test whose program is missing did not run: an error of class
// pre-validation; one that is disabled is skipped. With --repeat the last try alone
// is in the file.
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

// Sniff reports whether head starts with a Test.xml. Other files of CTest have the
// same root, and no tests.
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

func (rd *reader) root(e *xmlwalk.Element) error {
	build := e.Attr("BuildName")
	err := rd.Doc.Named("Testing", func(*xmlwalk.Element) error {
		return rd.Doc.Children(func(e *xmlwalk.Element) error {
			switch e.Name {
			case "StartTestTime":
				text, err := rd.Doc.Text(xmlreport.TextLimit)
				if s, bad := strconv.ParseInt(strings.TrimSpace(text), 10, 64); bad == nil && s > 0 && s < 1<<33 {
					rd.To.Header(envelope.Header{Name: strings.TrimPrefix(build, "(empty)"), StartedAt: time.Unix(s, 0).UTC().Format(time.RFC3339)}, nil)
				}
				return err
			case "TestList":
				return rd.Doc.Each(func(*xmlwalk.Element) { rd.listed++ })
			case "Test":
				return rd.test(e)
			}
			return nil
		})
	})
	if err == nil {
		rd.To.Announced(rd.listed, "tests")
	}
	return err
}

type test struct {
	name, path, output string
	measured           map[string]string
}

func (rd *reader) test(e *xmlwalk.Element) error {
	word, line, column := e.Attr("Status"), e.Line, e.Column
	x := test{measured: map[string]string{}}
	err := rd.Doc.Children(func(e *xmlwalk.Element) (err error) {
		switch e.Name {
		case "Name":
			x.name, err = rd.Doc.Text(xmlreport.TextLimit)
		case "Path":
			x.path, err = rd.Doc.Text(xmlreport.TextLimit)
		case "Results":
			return rd.results(&x)
		}
		return err
	})
	if err != nil {
		return err
	}
	if x.name == "" {
		rd.Nameless("Test", line, column)
		return nil
	}
	t := envelope.Trial{Key: envelope.Key{Suite: strings.TrimPrefix(strings.TrimPrefix(x.path, "."), "/"), Test: x.name}}
	x.outcome(&t, word)
	if t.Status != envelope.Skip {
		t.DurationMS = xmlreport.Seconds(x.measured["Execution Time"])
	}
	rd.Deliver(&t)
	return nil
}

// results reads measurements, and the output.
func (rd *reader) results(x *test) error {
	return rd.Doc.Children(func(e *xmlwalk.Element) error {
		name, output := e.Attr("name"), e.Name == "Measurement"
		if !output && e.Name != "NamedMeasurement" {
			return nil
		}
		return rd.Doc.Children(func(e *xmlwalk.Element) error {
			if e.Name != "Value" || e.Has("encoding") || e.Has("compression") {
				return nil
			}
			text, err := rd.Doc.Text(xmlreport.TextLimit)
			if output {
				x.output = text
			} else {
				x.measured[name] = strings.TrimSpace(text)
			}
			return err
		})
	})
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

package junit

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"time"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/envelope"
)

// draft is a document before it is written: what goes in, and how much of it.
type draft struct {
	env     *envelope.Envelope
	profile profile
	flaky   bool
	suites  []suite
	level   level
	left    []bool // the tests that are left out whole; nil when none is
	// written are testcases, by the first test of a stretch.
	written map[int][]byte
}

// caseXML is a testcase of go-junit-report and what that lacks.
type caseXML struct {
	Name       string               `xml:"name,attr"`
	Classname  string               `xml:"classname,attr"`
	Time       string               `xml:"time,attr,omitempty"`
	File       string               `xml:"file,attr,omitempty"`
	Line       int                  `xml:"line,attr,omitempty"`
	Properties *[]upstream.Property `xml:"properties>property,omitempty"`
	Flaky      []flakyXML           `xml:"flakyFailure"`
	upstream.Testcase
}

// flakyXML is a trial that did not pass of a test that did.
type flakyXML struct {
	Message    string `xml:"message,attr"`
	Type       string `xml:"type,attr"`
	StackTrace string `xml:"stackTrace"`
}

// caseDepth is how deep testcases are nested.
func (d *draft) caseDepth() int {
	if d.profile.single {
		return 1
	}
	return 2
}

// write writes the document as drafted.
func (d *draft) write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	e := newElements(0)
	defer e.free()
	e.b = append(e.b, `<?xml version="1.0" encoding="UTF-8"?>`...)
	if d.profile.single {
		d.suite(e, 0, out)
	} else {
		d.testsuites(e, out)
	}
	_, _ = out.Write(append(e.b, '\n'))
	return out.Flush() // an error of any Write
}

func (d *draft) testsuites(e *elements, out io.Writer) {
	var sum totals
	for i := range d.suites {
		sum.join(d.totals(&d.suites[i]))
	}
	e.start("testsuites")
	e.attr("name", runName(d.env))
	e.attr("time", seconds(sum.ms))
	if d.profile.counts && sum.skipped > 0 {
		e.count("skipped", sum.skipped)
	}
	e.count("tests", sum.tests)
	e.count("errors", sum.errors)
	e.count("failures", sum.failures)
	e.open()
	for i := range d.suites {
		if !d.vanished(i) {
			d.suite(e, i, out)
		}
	}
	e.close("testsuites")
}

// suite writes what is in the elements and the suite to out, and leaves its end in the
// elements. Without out, its testcases are left out.
func (d *draft) suite(e *elements, i int, out io.Writer) {
	s := &d.suites[i]
	sum := d.totals(s)
	e.start("testsuite")
	e.attr("name", s.name)
	e.count("tests", sum.tests)
	e.count("failures", sum.failures)
	e.count("errors", sum.errors)
	e.attr("time", seconds(sum.ms))
	if at, err := time.Parse(time.RFC3339Nano, d.env.Run.StartedAt); err == nil {
		e.attr("timestamp", at.UTC().Format(time.RFC3339))
	}
	e.count("skipped", sum.skipped)
	e.open()
	e.properties(d.suiteProperties(i == 0))
	if i == 0 && d.profile.suiteTexts {
		if texts := d.notices(); texts != "" {
			e.start("system-err")
			e.data("system-err", node(texts))
		}
	}
	if out != nil {
		for at := 0; at < len(s.tests); at += partCases {
			_, _ = out.Write(e.b)
			e.b = append(e.b[:0], d.written[s.tests[at]]...)
		}
		for i := range s.notes {
			e.testcase(&s.notes[i])
		}
	}
	e.close("testsuite")
}

// seconds is a duration as every reader accepts it: no thousands separator, at
// most three decimals, never NaN.
func seconds(ms float64) string {
	if math.IsNaN(ms) || math.IsInf(ms, 0) || ms < 0 {
		ms = 0
	}
	return strconv.FormatFloat(ms/1000, 'f', 3, 64)
}

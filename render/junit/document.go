package junit

import (
	"encoding/xml"
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
	// While the document is written: where to, and what must be called before
	// writing there past the encoder.
	out  io.Writer
	sync func() error
	// written are testcases, by the first test of a stretch.
	written map[int][]byte
}

// documentXML, suiteXML and caseXML are the structures of go-junit-report and
// what they lack. A field here hides the one of the same name there: upstream
// drops counts of 0 that readers want to see, always writes a number as id, and
// holds all testcases at once, where these stream.
type documentXML struct {
	upstream.Testsuites
	Tests    int         `xml:"tests,attr"`
	Errors   int         `xml:"errors,attr"`
	Failures int         `xml:"failures,attr"`
	Suites   suiteStream `xml:"testsuite"`
}

type suiteXML struct {
	upstream.Testsuite
	ID        string     `xml:"id,attr,omitempty"`
	Skipped   int        `xml:"skipped,attr"`
	Testcases caseStream `xml:"testcase"`
}

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

// suiteStream and caseStream write one element after the other while the encoder writes.
type (
	suiteStream struct{ d *draft }
	caseStream  struct {
		d *draft
		s *suite
	}
)

// MarshalXML implements xml.Marshaler.
func (s suiteStream) MarshalXML(enc *xml.Encoder, start xml.StartElement) error {
	for i := range s.d.suites {
		if s.d.vanished(i) {
			continue
		}
		if err := enc.EncodeElement(s.d.suiteXML(i), start); err != nil {
			return err
		}
	}
	return nil
}

// MarshalXML implements xml.Marshaler. It writes past the encoder, which must
// have written everything before.
func (s caseStream) MarshalXML(*xml.Encoder, xml.StartElement) error {
	if err := s.d.sync(); err != nil {
		return err
	}
	for at := 0; at < len(s.s.tests); at += partCases {
		if _, err := s.d.out.Write(s.d.written[s.s.tests[at]]); err != nil {
			return err
		}
	}
	e := newElements(s.d.caseDepth())
	defer e.free()
	for i := range s.s.notes {
		e.testcase(&s.s.notes[i])
	}
	_, err := s.d.out.Write(e.b)
	return err
}

// caseDepth is how deep testcases are nested.
func (d *draft) caseDepth() int {
	if d.profile.single {
		return 1
	}
	return 2
}

// document is the root element: all testsuites, or the only one.
func (d *draft) document() any {
	if d.profile.single {
		return struct {
			XMLName xml.Name `xml:"testsuite"`
			suiteXML
		}{suiteXML: d.suiteXML(0)}
	}
	doc := documentXML{Suites: suiteStream{d}}
	doc.Name = runName(d.env)
	var sum totals
	for i := range d.suites {
		sum.join(d.totals(&d.suites[i]))
	}
	doc.Tests, doc.Errors, doc.Failures, doc.Time = sum.tests, sum.errors, sum.failures, seconds(sum.ms)
	if d.profile.counts {
		doc.Skipped = sum.skipped
	}
	return doc
}

func (d *draft) suiteXML(i int) suiteXML {
	s := &d.suites[i]
	sum := d.totals(s)
	x := suiteXML{Skipped: sum.skipped, Testcases: caseStream{d, s}}
	x.Name, x.Tests, x.Errors, x.Failures, x.Time = s.name, sum.tests, sum.errors, sum.failures, seconds(sum.ms)
	if at, err := time.Parse(time.RFC3339Nano, d.env.Run.StartedAt); err == nil {
		x.SetTimestamp(at.UTC())
	}
	properties := d.suiteProperties(i == 0)
	x.Properties = &properties
	if i == 0 && d.profile.suiteTexts {
		if texts := d.notices(); texts != "" {
			x.SystemErr = &upstream.Output{Data: node(texts)}
		}
	}
	return x
}

// seconds is a duration as every reader accepts it: no thousands separator, at
// most three decimals, never NaN.
func seconds(ms float64) string {
	if math.IsNaN(ms) || math.IsInf(ms, 0) || ms < 0 {
		ms = 0
	}
	return strconv.FormatFloat(ms/1000, 'f', 3, 64)
}

// Package robot reads output.xml of Robot Framework, from version 3 to 7.
//
// The suite is the long name of the suite, with points, as Robot shows it. A test whose suite could not be set up did not
// run: it is an error. A test that passed fails where the teardown of a suite around it failed, as Robot counts it, so
// that tests wait for the end of the file. Messages of level WARN, ERROR and FAIL are the output of a test that did not
// pass. Times have no zone, so they give durations only.
package robot

import (
	"cmp"
	"io"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlreport"
	"tribunal/read/internal/xmlwalk"
)

// Sniff reports whether head starts with an output.xml.
func Sniff(head []byte) bool { return xmlwalk.Starts(head, "robot") }

// Read reads one file.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{}
	return rd.Read(r, to, rd.root, "robot")
}

type reader struct {
	xmlreport.Reader
	failed  string           // the first suite that did
	counted int              // tests, by its statistics
	tests   []envelope.Trial // that wait for the teardowns of the suites around them
}

func (rd *reader) root(*xmlwalk.Element) {
	rd.Inside(xmlwalk.Elements{"suite": func(e *xmlwalk.Element) { rd.suite(e, "", "") },
		"statistics": xmlwalk.Elements{"total": func(*xmlwalk.Element) {
			for e := range rd.Doc.Children() {
				rd.counted = max(rd.counted, e.Number("pass")+e.Number("fail")+e.Number("skip"))
			}
		}}})
	for i := range rd.tests {
		rd.To.Send(&rd.tests[i])
	}
	if rd.failed != "" {
		rd.To.Explain("the suite " + rd.failed + " failed, and none of its tests did: read the log of its set-up and tear-down")
	}
	if !rd.Doc.Cut() {
		rd.To.Announced(rd.counted, "tests")
	}
}

func (rd *reader) suite(e *xmlwalk.Element, above, file string) {
	name := strings.Trim(above+"."+e.Attr("name"), ".")
	if source := e.Attr("source"); source != "" {
		file = strings.ReplaceAll(source, `\`, "/")
	}
	first := len(rd.tests)
	rd.Inside(xmlwalk.Elements{
		"suite": func(e *xmlwalk.Element) { rd.suite(e, name, file) },
		"test":  func(e *xmlwalk.Element) { rd.test(e, name, file) },
		"status": func(e *xmlwalk.Element) {
			rd.failed = cmp.Or(rd.failed, words.If(e.Attr("status") == "FAIL", strconv.Quote(name)))
		},
		"kw": func(e *xmlwalk.Element) {
			if strings.EqualFold(e.Attr("type"), "teardown") {
				rd.teardown(first)
			}
		},
	})
}

// said is what a test or a teardown says of itself.
type said struct {
	ended bool
	tags  []string
	text  strings.Builder // what keywords logged that went wrong
}

// teardown reads that of a suite, whose tests are those from the first on. Where it failed, they failed, but for those
// that were skipped (robot/result/suiteteardownfailed.py). Where none is left, Robot ends with 0.
func (rd *reader) teardown(first int) {
	var t envelope.Trial
	var s said
	if rd.read(&t, &s); rd.Doc.Cut() || t.Status != envelope.Fail {
		return
	}
	t.Message = cmp.Or(t.Message, strings.TrimPrefix(failure.Reason(s.text.String(), 1), "FAIL "))
	for i := range rd.tests[first:] {
		test := &rd.tests[first+i]
		if test.Status == envelope.Pass {
			test.Status, test.Message = envelope.Fail, "Parent suite teardown failed:\n"+t.Message
		}
	}
}

func (rd *reader) test(e *xmlwalk.Element, suite, file string) {
	t := envelope.Trial{Key: envelope.Key{Suite: suite}, File: file}
	if !rd.Named(&t, e.Attr("name"), "test", e) {
		return
	}
	xmlreport.SetLine(&t, e.Attr("line"))
	var s said
	if rd.read(&t, &s); rd.Doc.Cut() {
		return
	}
	if !s.ended {
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassInfrastructure, "the test has no status"
	}
	trialfields.Tags(&t, s.tags)
	t.Output = words.If(t.Status != envelope.Pass && t.Status != envelope.Skip, failure.Together(t.Output, s.text.String()))
	rd.tests = append(rd.tests, t)
}

func (rd *reader) read(t *envelope.Trial, s *said) {
	for e := range rd.Doc.Children() {
		switch e.Name {
		case "tags":
			for range rd.Doc.Children() {
				s.tags = append(s.tags, rd.Doc.Text(xmlreport.TextLimit))
			}
		case "tag":
			s.tags = append(s.tags, rd.Doc.Text(xmlreport.TextLimit))
		case "status":
			s.ended = true
			rd.status(e, t)
		default:
			rd.messages(e, &s.text)
		}
	}
}

// messages keeps what keywords logged that went wrong.
func (rd *reader) messages(e *xmlwalk.Element, said *strings.Builder) {
	if e.Name != "msg" {
		for e := range rd.Doc.Children() {
			rd.messages(e, said)
		}
		return
	}
	switch level := e.Attr("level"); level {
	case "FAIL", "ERROR", "WARN":
		xmlwalk.Keep(said, []byte(level+" "+rd.Doc.Text(xmlreport.TextLimit)+"\n"), xmlreport.TextLimit)
	}
}

// status sets how a test or a keyword ended. Before version 4 a test could be not critical
// (--noncritical): Robot neither ends with an error nor fails the suite where such a one failed.
func (rd *reader) status(e *xmlwalk.Element, t *envelope.Trial) {
	word := e.Attr("status")
	t.DurationMS = elapsed(e)
	message := rd.Doc.Text(xmlreport.TextLimit)
	switch word {
	case "PASS":
		t.Status = envelope.Pass
		return
	case "FAIL":
		t.Status = envelope.Fail
	case "SKIP", "NOT RUN":
		t.Status = envelope.Skip
	default:
		t.Status, t.RawStatus = envelope.Error, word
	}
	if t.Message = failure.Reason(message, 3); t.Message != strings.TrimSpace(message) {
		t.Output = message
	}
	switch {
	case t.Status != envelope.Fail:
	case strings.HasPrefix(t.Message, "Parent suite setup failed:"):
		t.Status = envelope.Error
	case strings.HasPrefix(t.Message, "Test timeout ") && strings.Contains(t.Message, " exceeded."):
		t.ErrorClass = envelope.ClassTimeout
	}
	if t.Status != envelope.Skip && e.Attr("critical") == "no" {
		t.Status, t.RawStatus, t.ErrorClass = envelope.Skip, word, ""
		t.Message = strings.TrimSpace("failed, and is not critical: " + t.Message)
	}
}

// elapsed is a duration: in seconds from version 7 on, the difference of two times before.
func elapsed(e *xmlwalk.Element) envelope.Opt[float64] {
	if ms := xmlreport.Seconds(e.Attr("elapsed")); ms.OK {
		return ms
	}
	const layout = "20060102 15:04:05.000"
	from, err := time.Parse(layout, e.Attr("starttime"))
	to, err2 := time.Parse(layout, e.Attr("endtime"))
	if err != nil || err2 != nil {
		return envelope.Opt[float64]{}
	}
	return trialfields.Duration(to.Sub(from))
}

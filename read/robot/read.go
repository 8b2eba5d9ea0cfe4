// Package robot reads output.xml of Robot Framework, from version 3 to 7.
//
// It exists because output.xml is what Robot always writes; its JUnit file is an
// option that loses lines and tags. The suite is the long name of the suite, with
// points, as Robot shows it. A test whose suite could not be set up did not run: it
// is an error. A test that passed fails where the teardown of a suite around it failed, as
// Robot counts it, so that tests wait for the end of the file. Messages of level WARN, ERROR and FAIL are the
// output of a test that did not pass.
//
// Times have no zone, so they give durations only. The package leaves out keywords
// and what the setup of a suite cost.
package robot

import (
	"io"
	"strings"
	"time"

	"tribunal/envelope"
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
	failed  bool             // a suite did
	counted int              // tests, by its statistics
	tests   []envelope.Trial // that wait for the teardowns of the suites around them
}

func (rd *reader) root(*xmlwalk.Element) error {
	err := rd.Doc.Children(func(e *xmlwalk.Element) error {
		switch e.Name {
		case "suite":
			return rd.suite(e, "", "")
		case "statistics":
			return rd.Doc.Named("total", func(*xmlwalk.Element) error {
				return rd.Doc.Each(func(e *xmlwalk.Element) {
					rd.counted = max(rd.counted, e.Number("pass")+e.Number("fail")+e.Number("skip"))
				})
			})
		}
		return nil
	})
	for i := range rd.tests {
		rd.Deliver(&rd.tests[i])
	}
	if rd.failed {
		rd.To.Explain("a suite failed, and none of its tests")
	}
	if err == nil {
		rd.To.Announced(rd.counted, "tests")
	}
	return err
}

// teardownTest stands for the teardown of a suite that failed.
const teardownTest = "[teardown]"

func (rd *reader) suite(e *xmlwalk.Element, above, file string) error {
	name := strings.Trim(above+"."+e.Attr("name"), ".")
	if source := e.Attr("source"); source != "" {
		file = strings.ReplaceAll(source, `\`, "/")
	}
	first := len(rd.tests)
	return rd.Doc.Children(func(e *xmlwalk.Element) error {
		switch e.Name {
		case "suite":
			return rd.suite(e, name, file)
		case "test":
			return rd.test(e, name, file)
		case "status":
			rd.failed = rd.failed || e.Attr("status") == "FAIL"
		case "kw":
			if strings.EqualFold(e.Attr("type"), "teardown") {
				return rd.teardown(first, name, file)
			}
		}
		return nil
	})
}

// teardown reads that of a suite, whose tests are those from the first on. Where it failed,
// they failed, but for those that were skipped (robot/result/suiteteardownfailed.py). Where
// none is left, it is an error of its own.
func (rd *reader) teardown(first int, suite, file string) error {
	t := envelope.Trial{Key: envelope.Key{Suite: suite, Test: teardownTest}, File: file}
	var said strings.Builder
	err := rd.Doc.Children(func(e *xmlwalk.Element) error {
		if e.Name == "status" {
			return rd.status(e, &t)
		}
		return rd.messages(e, &said)
	})
	if err != nil || t.Status != envelope.Fail {
		return err
	}
	t.Status, t.ErrorClass = envelope.Error, ""
	if t.Message == "" {
		t.Message = strings.TrimPrefix(failure.Reason(said.String(), 1), "FAIL ")
	}
	failed := false
	for i := range rd.tests[first:] {
		test := &rd.tests[first+i]
		if test.Status == envelope.Pass {
			test.Status, test.Message = envelope.Fail, "Parent suite teardown failed:\n"+t.Message
		}
		failed = failed || test.Status != envelope.Skip
	}
	if !failed {
		t.Output = failure.Together(t.Output, said.String())
		rd.tests = append(rd.tests, t)
	}
	return nil
}

func (rd *reader) test(e *xmlwalk.Element, suite, file string) error {
	t := envelope.Trial{Key: envelope.Key{Suite: suite, Test: e.Attr("name")}, File: file}
	if t.Test == "" {
		rd.Nameless("test", e.Line, e.Column)
		return nil
	}
	xmlreport.SetLine(&t, e.Attr("line"))
	var tags []string
	var said strings.Builder
	ended := false
	var child func(e *xmlwalk.Element) error
	child = func(e *xmlwalk.Element) error {
		switch e.Name {
		case "tags":
			return rd.Doc.Children(child)
		case "tag":
			text, err := rd.Doc.Text(xmlreport.TextLimit)
			tags = append(tags, text)
			return err
		case "status":
			ended = true
			return rd.status(e, &t)
		}
		return rd.messages(e, &said)
	}
	if err := rd.Doc.Children(child); err != nil {
		return err
	}
	if !ended {
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassInfrastructure, "the test has no status"
	}
	if len(tags) > 0 {
		trialfields.Set(&t, "tags", strings.Join(tags, ","))
	}
	if t.Status != envelope.Pass && t.Status != envelope.Skip {
		t.Output = failure.Together(t.Output, said.String())
	} else {
		t.Output = ""
	}
	rd.tests = append(rd.tests, t)
	return nil
}

// messages keeps what keywords logged that went wrong.
func (rd *reader) messages(e *xmlwalk.Element, said *strings.Builder) error {
	if e.Name != "msg" {
		return rd.Doc.Children(func(e *xmlwalk.Element) error { return rd.messages(e, said) })
	}
	switch e.Attr("level") {
	case "FAIL", "ERROR", "WARN":
		level := e.Attr("level")
		text, err := rd.Doc.Text(xmlreport.TextLimit)
		xmlwalk.Keep(said, []byte(level+" "+text+"\n"), xmlreport.TextLimit)
		return err
	}
	return nil
}

// status sets how a test or a keyword ended. Before version 4 a test could be not critical
// (--noncritical): Robot neither ends with an error nor fails the suite where such a one failed.
func (rd *reader) status(e *xmlwalk.Element, t *envelope.Trial) error {
	word := e.Attr("status")
	t.DurationMS = elapsed(e)
	message, err := rd.Doc.Text(xmlreport.TextLimit)
	switch word {
	case "PASS":
		t.Status = envelope.Pass
		return err
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
	return err
}

// elapsed is a duration: in seconds from version 7 on, the difference of two times
// before.
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
	return trialfields.Milliseconds(float64(to.Sub(from))/float64(time.Millisecond), 1)
}

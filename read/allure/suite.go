package allure

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlreport"
	"tribunal/read/internal/xmlwalk"
)

// Allure 1 wrote a file a suite, NAME-testsuite.xml, and knew no retries: a test that is
// there twice has attempts, unless a label historyId and the other tests say that one was
// tried again. Only of TestNG it is certain: it calls a try canceled that was tried again.

const (
	suiteRoot = "test-suite"
	namespace = "urn:model.allure.qatools.yandex.ru"
)

// SniffSuite reports whether head starts with a suite of Allure 1.
func SniffSuite(head []byte) bool {
	name, text := xmlwalk.Root(head)
	tag, _, _ := strings.Cut(text, ">")
	return name == suiteRoot && strings.Contains(tag, namespace)
}

// ReadSuite reads a suite of Allure 1.
func ReadSuite(r io.Reader, to envelope.Sink) error {
	rd := &reader{}
	err := xmlwalk.Read(r, to, func(doc *xmlwalk.Doc, e *xmlwalk.Element) error {
		if e.Name != suiteRoot {
			doc.Refuse(e, suiteRoot)
			return nil
		}
		s := &suite{doc: doc, to: to}
		err := doc.Children(s.child)
		rd.results = append(rd.results, s.results()...)
		return err
	})
	rd.deliver(to)
	return err
}

// suite is a suite as it stands in its file, which may end before its labels.
type suite struct {
	doc    *xmlwalk.Doc
	to     envelope.Sink
	name   string
	labels []envelope.Label
	cases  []*testCase
}

type testCase struct {
	name, title, message, trace string
	status, start, stop         string
	labels, arguments           []envelope.Label
	files                       []string
}

func (s *suite) child(e *xmlwalk.Element) (err error) {
	switch e.Name {
	case "name":
		s.name, err = s.text()
	case "labels":
		return s.doc.Children(func(e *xmlwalk.Element) error { return label(&s.labels, e) })
	case "test-cases":
		return s.doc.Children(s.testCase)
	}
	return err
}

func (s *suite) text() (string, error) {
	text, err := s.doc.Text(xmlreport.TextLimit)
	return strings.TrimSpace(text), err
}

func label(list *[]envelope.Label, e *xmlwalk.Element) error {
	*list = append(*list, envelope.Label{Name: e.Attr("name"), Value: e.Attr("value")})
	return nil
}

// testCase reads a test-case. One that the file ends in is none.
func (s *suite) testCase(e *xmlwalk.Element) error {
	if e.Name != "test-case" {
		return nil
	}
	c := &testCase{status: e.Attr("status"), start: e.Attr("start"), stop: e.Attr("stop")}
	if severity := e.Attr("severity"); severity != "" { // before it was a label
		c.labels = append(c.labels, envelope.Label{Name: "severity", Value: severity})
	}
	line, column := e.Line, e.Column
	if err := s.doc.Children(func(e *xmlwalk.Element) error { return s.part(c, e) }); err != nil {
		return err
	}
	if c.name = cmp.Or(c.name, c.title); c.name == "" {
		s.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: line, Column: column,
			Message: "a test-case without a name is not counted"})
		return nil
	}
	s.cases = append(s.cases, c)
	return nil
}

func (s *suite) part(c *testCase, e *xmlwalk.Element) (err error) {
	switch e.Name {
	case "name":
		c.name, err = s.text()
	case "title":
		c.title, err = s.text()
	case "message":
		c.message, err = s.text()
	case "stack-trace":
		c.trace, err = s.text()
	case "label":
		return label(&c.labels, e)
	case "parameter":
		if kind := e.Attr("kind"); kind == "" || kind == "argument" { // not of the environment
			return label(&c.arguments, e)
		}
	case "attachment":
		c.files = append(c.files, attachment(e.Attr("title"), e.Attr("source")))
	case "failure", "labels", "parameters", "attachments":
		return s.doc.Children(func(e *xmlwalk.Element) error { return s.part(c, e) })
	}
	return err
}

// results are the test-cases as results of Allure 2.
func (s *suite) results() (all []*result) {
	for _, c := range s.cases {
		all = append(all, s.result(c))
	}
	if s.ofTestNG() {
		s.retried(all)
	}
	return all
}

func (s *suite) ofTestNG() bool { return s.says("framework") == "TestNG" }

func (s *suite) says(name string) string { return valueOf(s.labels, name) }

func valueOf(labels []envelope.Label, name string) string {
	for _, l := range labels {
		if l.Name == name {
			return l.Value
		}
	}
	return ""
}

// result is a test-case as Allure 2 takes those of Allure 1: a test of TestNG is in three
// suites, any other in one. Names stay where a title is shown.
func (s *suite) result(c *testCase) *result {
	class := cmp.Or(valueOf(c.labels, "testClass"), s.says("testClass"), s.name)
	name := c.name
	if s.ofTestNG() {
		name = invocation().ReplaceAllString(name, "$1")
	}
	r := &result{history: valueOf(c.labels, "historyId"), fullName: class + "." + name}
	r.trial.Test = name
	r.ended(c.status)
	var by parameters
	for _, a := range c.arguments {
		by.add(name, a.Name, a.Value)
	}
	r.vary(by)
	s.label(r, c, class)
	r.times(millis(c.start), millis(c.stop))
	if r.trial.Status != envelope.Pass {
		r.explain(c.message, c.trace, c.files)
	}
	return r
}

// elsewhere are labels that become something else than a label, or that say nothing of a
// test that is not ours.
var elsewhere = map[string]bool{"historyId": true, "testSuite": true, "testGroup": true, "framework": true}

func (s *suite) label(r *result, c *testCase, class string) {
	all := labels{suite: s.name}
	if run, group := valueOf(c.labels, "testSuite"), valueOf(c.labels, "testGroup"); run != "" && group != "" {
		all = labels{parentSuite: run, suite: group, subSuite: class}
	}
	if c.title != "" && c.title != c.name {
		trialfields.Set(&r.trial, "title", c.title)
	}
	for _, list := range [][]envelope.Label{s.labels, c.labels} {
		for _, l := range list {
			if !elsewhere[l.Name] {
				r.label(&all, l.Name, l.Value)
			}
		}
	}
	r.labelled(&all)
}

// millis is a time of Allure 1, absent where it is none.
func millis(text string) envelope.Opt[float64] {
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return envelope.Opt[float64]{}
	}
	return trialfields.Milliseconds(ms, 1)
}

// invocation is what the adaptor of TestNG puts behind the name of a test that runs several
// times: which run it is, of how many, and how many have to pass.
var invocation = regex.Of(`(?s)^(.+):\d+/\d+(?: \d+%)?$`)

// retried finds the tries that TestNG tried again: they are canceled, as it calls them
// skipped, and one behind them ended. A test that skips itself is none, nor is one of several
// runs that may fail.
func (s *suite) retried(all []*result) {
	ended := map[envelope.Key]bool{}
	for i := len(all) - 1; i >= 0; i-- {
		switch t := &all[i].trial; {
		case invocation().MatchString(s.cases[i].name):
		case t.RawStatus != "canceled":
			ended[t.Key] = true
		case ended[t.Key] && !strings.Contains(t.Output, "org.testng.SkipException"):
			t.Status, all[i].retried = envelope.Fail, true
		}
	}
}

package allure

import (
	"cmp"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlreport"
	"tribunal/read/internal/xmlwalk"
)

// Allure 1 wrote a file a suite, NAME-testsuite.xml, and knew no retries: a test that is
// there twice has attempts, unless a label historyId and the other tests say that one was
// tried again. Only of TestNG it is certain: it calls a try canceled that was tried again.

const suiteRoot, namespace = "test-suite", "urn:model.allure.qatools.yandex.ru"

// SniffSuite reports whether head starts with a suite of Allure 1.
func SniffSuite(head []byte) bool {
	name, text := xmlwalk.Root(head)
	tag, _, _ := strings.Cut(text, ">")
	return name == suiteRoot && strings.Contains(tag, namespace)
}

// ReadSuite reads a suite of Allure 1.
func ReadSuite(r io.Reader, to envelope.Sink) error {
	rd, in := &reader{}, &xmlreport.Reader{}
	err := in.Read(r, to, func(*xmlwalk.Element) {
		s := &suite{Reader: in}
		s.read()
		rd.results = append(rd.results, s.results()...)
	}, suiteRoot)
	rd.emitResults(to)
	return err
}

// suite is a suite as it stands in its file, which may end before its labels.
type suite struct {
	*xmlreport.Reader
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

func (s *suite) read() {
	s.Inside(xmlwalk.Elements{"name": &s.name, "test-cases": xmlwalk.Elements{"test-case": s.testCase},
		"labels": func(*xmlwalk.Element) {
			for e := range s.Doc.Children() {
				s.labels = append(s.labels, label(e))
			}
		}})
	s.name = strings.TrimSpace(s.name)
}

func label(e *xmlwalk.Element) envelope.Label {
	return envelope.Label{Name: e.Attr("name"), Value: e.Attr("value")}
}

// testCase reads a test-case. One that the file ends in is none.
func (s *suite) testCase(e *xmlwalk.Element) {
	c := &testCase{status: e.Attr("status"), start: e.Attr("start"), stop: e.Attr("stop")}
	if severity := e.Attr("severity"); severity != "" { // before it was a label
		c.labels = append(c.labels, envelope.Label{Name: "severity", Value: severity})
	}
	s.parts(c)
	if c.name = cmp.Or(c.name, c.title); !s.Doc.Cut() && s.Named(&envelope.Trial{}, c.name, "test-case", e) {
		s.cases = append(s.cases, c)
	}
}

func (s *suite) parts(c *testCase) {
	inside := xmlwalk.Elements{"name": &c.name, "title": &c.title, "message": &c.message, "stack-trace": &c.trace,
		"label": func(e *xmlwalk.Element) { c.labels = append(c.labels, label(e)) },
		"parameter": func(e *xmlwalk.Element) {
			if kind := e.Attr("kind"); kind == "" || kind == "argument" { // not of the environment
				c.arguments = append(c.arguments, label(e))
			}
		},
		"attachment": func(e *xmlwalk.Element) { c.files = append(c.files, attachment(e.Attr("title"), e.Attr("source"))) }}
	for _, group := range []string{"failure", "labels", "parameters", "attachments"} {
		inside[group] = inside
	}
	s.Inside(inside)
	for _, text := range []*string{&c.name, &c.title, &c.message, &c.trace} {
		*text = strings.TrimSpace(*text)
	}
}

func (s *suite) results() (all []*result) {
	all = each.Of(s.cases, s.result)
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
	r.times(trialfields.Lasted(c.start, 1), trialfields.Lasted(c.stop, 1))
	if r.trial.Status != envelope.Pass {
		r.explain(c.message, c.trace, c.files)
	}
	return r
}

// elsewhere are labels that become something else than a label, or that say nothing of a test that is not ours.
var elsewhere = map[string]bool{"historyId": true, "testSuite": true, "testGroup": true, "framework": true}

func (s *suite) label(r *result, c *testCase, class string) {
	all := labels{of: map[string]string{"suite": s.name}}
	if run, group := valueOf(c.labels, "testSuite"), valueOf(c.labels, "testGroup"); run != "" && group != "" {
		all = labels{of: map[string]string{"parentSuite": run, "suite": group, "subSuite": class}}
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

// invocation is what the adaptor of TestNG puts behind the name of a test that runs several
// times: which run it is, of how many, and how many have to pass.
var invocation = regex.Of(`(?s)^(.+):\d+/\d+(?: \d+%)?$`)

// retried finds the tries that TestNG tried again: they are canceled, as it calls them skipped, and one behind them
// ended. A test that skips itself is none, nor is one of several runs that may fail.
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

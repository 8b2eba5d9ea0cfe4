// Package nunit reads the result files of NUnit 3 (test-run) and of NUnit 2
// (test-results), which Unity and Pester write as well.
//
// It exists because runners of the NUnit family write their own XML alone. The suite is the class of a test; where a
// file has none it is the path of suites that are no assembly. A test-case that is there several times has attempts:
// Repeat and Retry of NUnit write the last run only. What NUnit itself calls inconclusive was neither passed nor
// failed, which is a skip here. A teardown of a suite that failed is an error of its own, [teardown], for its tests
// passed before; so is a run, [run], that failed though nothing of it did.
package nunit

import (
	"cmp"
	"io"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlreport"
	"tribunal/read/internal/xmlwalk"
)

// Sniff reports whether head starts with a result file: its root has a name of its
// own, or is the test-suite that Unity writes.
func Sniff(head []byte) bool {
	name, text := xmlwalk.Root(head)
	switch name {
	case "test-run", "test-results":
		return true
	case "test-suite":
		tag, _, _ := strings.Cut(text, ">")
		return strings.Contains(tag, " type=") && strings.Contains(tag, " result=")
	}
	return false
}

// Read reads one file.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{}
	return rd.Read(r, to, rd.root, "test-run", "test-results", "test-suite")
}

type reader struct {
	xmlreport.Reader
	// inconclusive is how many tests are so by the head of the file and were not met yet: NUnit 2.5 up to 2.5.2 says
	// nowhere else which, but writes a failure below each test that failed.
	inconclusive int
	said         texts // of the last suite that says why it failed
}

func (rd *reader) root(e *xmlwalk.Element) {
	switch e.Name {
	case "test-run":
		rd.To.Began(instant(e.Attr("start-time")))
		if rd.run("", e.Attr("result")); !rd.Doc.Cut() {
			rd.To.Counts(e.Number("total"), e.Number("failed"), "tests")
		}
	case "test-results":
		rd.oldRun(e)
	default: // Unity of old writes a run as the suite of its project
		rd.run(below("", e), e.Attr("result"))
	}
}

func (rd *reader) run(path, result string) {
	said := rd.suite(path)
	if result == "Failed" && !rd.Doc.Cut() {
		rd.To.Explain("the run failed, and none of its tests did", said.message, said.stack)
	}
}

// oldRun reads a whole run of NUnit 2. A suite of one whose teardown failed has no test
// that says so; all suites around it failed with it.
func (rd *reader) oldRun(run *xmlwalk.Element) {
	rd.inconclusive = run.Number("inconclusive")
	unsure, failed := rd.inconclusive > 0, false
	for e := range rd.Doc.Children() {
		switch e.Attr("result") {
		case "Failure", "Error":
			failed = true
		case "": // before 2.5.3 an inconclusive test, and its suite, has no success either
			failed = failed || strings.EqualFold(e.Attr("success"), "false") && !unsure
		}
		rd.inSuite("", &texts{}, e)
	}
	if rd.Doc.Cut() {
		return
	}
	if failed {
		rd.To.Explain("the run failed, and none of its tests did", rd.said.message, rd.said.stack)
	}
	rd.To.Counts(run.Number("total"), max(run.Number("failures"), run.Number("errors")), "tests")
}

// below is the path of a suite. Assemblies and projects are files of one machine.
func below(path string, e *xmlwalk.Element) string {
	switch e.Attr("type") {
	case "Assembly", "Project", "Test Project":
		return path
	case "ParameterizedTest", "ParameterizedMethod", "Theory", "GenericMethod": // its cases have its name in theirs
		return path
	}
	name := e.Attr("name")
	if strings.HasSuffix(strings.ToLower(name), ".dll") || strings.HasSuffix(strings.ToLower(name), ".exe") {
		return path
	}
	if rest, ok := strings.CutPrefix(name, path+"."); ok && path != "" { // NUnit 2.2 names suites in full
		name = rest
	}
	return strings.Trim(path+"."+name, ".")
}

// suite reads what is in a suite, and what it says of itself.
func (rd *reader) suite(path string) (said texts) {
	for e := range rd.Doc.Children() {
		rd.inSuite(path, &said, e)
	}
	return said
}

func (rd *reader) inSuite(path string, own *texts, e *xmlwalk.Element) {
	switch e.Name {
	case "test-suite":
		path, before := below(path, e), rd.To.Failed
		said := rd.suite(path)
		if said.failed {
			rd.said = said
		}
		switch failed := outcomes[e.Attr("result")]; {
		case rd.Doc.Cut():
		case e.Attr("result") == "Failed" && e.Attr("site") == "TearDown":
			t := envelope.Trial{Key: envelope.Key{Suite: path, Test: "[teardown]"}, Status: envelope.Error}
			said.explain(&t)
			rd.To.Send(&t)
		case e.Attr("site") == "Parent", e.Attr("site") == "Child": // which says what failed
		case (failed == envelope.Fail || failed == envelope.Error) && rd.To.Failed == before:
			rd.To.Fail(envelope.ClassInfrastructure, "the suite "+strconv.Quote(e.Attr("name"))+" failed, and none of its tests did",
				said.message, said.stack)
		}
	case "failure", "reason":
		own.read(rd.Doc, e, nil)
	case "results": // of NUnit 2
		for e := range rd.Doc.Children() {
			rd.inSuite(path, own, e)
		}
	case "test-case":
		rd.test(path, e)
	}
}

func (rd *reader) test(path string, e *xmlwalk.Element) {
	t := envelope.Trial{Key: key(path, e)}
	if !rd.Named(&t, t.Test, "test-case", e) {
		return
	}
	outcome(&t, e)
	t.DurationMS = xmlreport.Seconds(e.Attr("duration") + e.Attr("time"))
	t.StartedAt = instant(e.Attr("start-time"))
	c, unsaid := texts{}, t.Status == envelope.Fail && e.Attr("result") == ""
	for e := range rd.Doc.Children() {
		c.read(rd.Doc, e, &t)
	}
	if unsaid && !c.failed && rd.inconclusive > 0 && !rd.Doc.Cut() {
		rd.inconclusive--
		t.Status, t.RawStatus = envelope.Skip, "Inconclusive"
	}
	if c.failed && t.Status == envelope.Pass { // whatever else it says
		t.Status = envelope.Fail
	}
	c.explain(&t)
	rd.Deliver(&t)
}

// key is the class and the name of a test. NUnit 2 has the full name alone.
func key(path string, e *xmlwalk.Element) envelope.Key {
	k := envelope.Key{Suite: e.Attr("classname"), Test: e.Attr("name")}
	k.Suite = cmp.Or(k.Suite, path)
	if rest, ok := strings.CutPrefix(k.Test, k.Suite+"."); ok && k.Suite != "" && rest != "" {
		k.Test = rest
	}
	return k
}

// outcomes are the words of the attribute result in both versions.
var outcomes = map[string]envelope.Status{
	"Passed": envelope.Pass, "Success": envelope.Pass, "Warning": envelope.Pass,
	"Failed": envelope.Fail, "Failure": envelope.Fail, "Error": envelope.Error, "NotRunnable": envelope.Error, "Cancelled": envelope.Error,
	"Skipped": envelope.Skip, "Ignored": envelope.Skip, "Inconclusive": envelope.Skip,
}

// outcome is how a test ended. NUnit 2.2 says it in two attributes.
func outcome(t *envelope.Trial, e *xmlwalk.Element) {
	word, label := e.Attr("result"), e.Attr("label")
	status, known := outcomes[word]
	switch {
	case known:
		t.Status = status
	case strings.EqualFold(e.Attr("executed"), "false"):
		t.Status = envelope.Skip
	case strings.EqualFold(e.Attr("success"), "true"):
		t.Status = envelope.Pass
	default:
		t.Status = envelope.Fail
	}
	switch {
	case word == "NotRunnable", label == "Invalid":
		t.Status, t.ErrorClass = envelope.Error, envelope.ClassPreValidation
	case label == "Cancelled", word == "Cancelled":
		t.Status, t.ErrorClass = envelope.Error, envelope.ClassInfrastructure
	case label == "Error":
		t.Status = envelope.Error
	}
	switch word {
	case "Passed", "Failed", "Error", "Skipped", "Success", "Failure":
	default:
		t.RawStatus = word
	}
}

type texts struct {
	message, stack, output string
	failed                 bool // there is a failure
}

func (c *texts) read(doc *xmlwalk.Doc, e *xmlwalk.Element, t *envelope.Trial) {
	switch e.Name {
	case "failure", "reason":
		c.failed = c.failed || e.Name == "failure"
		doc.Inside(xmlreport.TextLimit, xmlwalk.Elements{"message": &c.message, "stack-trace": &c.stack})
	case "output":
		c.output = doc.Text(xmlreport.TextLimit)
	case "properties":
		for e := range doc.Children() {
			if name := e.Attr("name"); !strings.HasPrefix(name, "_") {
				trialfields.Set(t, strings.ToLower(name), e.Attr("value"))
			}
		}
	}
}

func (c *texts) explain(t *envelope.Trial) {
	if t.Status == envelope.Pass {
		return
	}
	t.Message = failure.Reason(c.message, 3)
	t.Output = failure.Together(failure.Longer(c.message, t.Message), c.stack, c.output)
	if t.Status != envelope.Skip && strings.HasPrefix(t.Message, "Test exceeded Timeout value") {
		t.ErrorClass = envelope.ClassTimeout
	}
}

// instant is a time as NUnit 3 writes it, with a T or a blank.
func instant(text string) time.Time {
	return trialfields.Time("2006-01-02T15:04:05.999999999Z07:00", strings.Replace(text, " ", "T", 1))
}

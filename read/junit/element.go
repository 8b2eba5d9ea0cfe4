package junit

import (
	"cmp"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/xmlwalk"
)

// Limits of one testcase. What is over them is left out.
const (
	propertyLimit = 1000
	childLimit    = 10_000 // failures and reruns
	keptLimit     = 64 << 10
)

// testcase is one testcase as it stands in the document.
type testcase struct {
	name, classname, file, line string
	time, timestamp, status     string
	result                      string
	at                          place
	properties                  []property
	failures                    []fault // failure and error
	reruns                      []fault // rerunFailure and rerunError
	flakies                     []fault // flakyFailure and flakyError
	skipped                     *fault
	out, err                    string
	flaky                       bool // of Flank
	byNode                      bool // its classname says nothing, its file does
}

// nodeAttributes are the attributes of a testcase in the order in which node's
// test runner alone writes them, since it has the file.
var nodeAttributes = regex.Of(`^name time classname file( failure)?$`)

// classOfNode is the classname that node's test runner writes for every test.
const classOfNode = "test"

// risky is the type of an error of PHPUnit 9 for a test that did what makes it risky.
var risky = regex.Of(`^PHPUnit\\Framework\\(RiskyTestError|OutputError|CoveredCodeNotExecutedException|MissingCoversAnnotationException|UnintentionallyCoveredCodeError)$`)

type property struct{ name, value string }

// fault is an element that says how one try of a test did not pass.
type fault struct {
	isError             bool
	message, kind, body string
	out, err            string
	time, timestamp     string
}

// testcase reads a testcase and hands it to its suite.
func (rd *reader) testcase(start *xmlwalk.Element, s *suite) error {
	get, at := start.Attr, place{start.Line, start.Column}
	c := testcase{name: get("name"), classname: cmp.Or(get("classname"), get("class")), flaky: get("flaky") == "true", file: get("file"), line: get("line"),
		time: get("time"), timestamp: get("timestamp"), status: get("status"), result: get("result"), at: at}
	if s.kind == qt5Test && c.classname == "" && c.result == "" { // a comment says why; Qt 6 has an element
		c.status = string(envelope.Skip)
	}
	c.byNode = c.classname == classOfNode && nodeAttributes().MatchString(start.Names())
	err := rd.doc.Children(func(start *xmlwalk.Element) error { return rd.caseChild(&c, start) })
	if err != nil {
		return err
	}
	if s.tries += 1 + len(c.reruns) + len(c.flakies); c.skipped != nil {
		s.tries, s.left = s.tries-1, s.left+1
	}
	rd.take(&c, s)
	return nil
}

func (rd *reader) caseChild(c *testcase, start *xmlwalk.Element) (err error) {
	switch start.Name {
	case "failure", "error", "compromised": // the last is what Serenity writes of what failed around a test
		c.failures, err = rd.fault(c.failures, start)
		c.partSkipped()
	case "rerunFailure", "rerunError":
		c.reruns, err = rd.fault(c.reruns, start)
	case "flakyFailure", "flakyError":
		c.flakies, err = rd.fault(c.flakies, start)
	case "skipped":
		var skips []fault
		if skips, err = rd.fault(nil, start); err == nil {
			c.skipped = &skips[0]
		}
	case "warning":
		if strings.HasPrefix(start.Attr("type"), `PHPUnit\`) { // CxxTest has warnings as well, and fails for none
			rd.note(place{start.Line, start.Column}, codeByOption, "tests with a warning of PHPUnit count as passed: its run failed for them if failOnWarning is set, which its report does not say; see its exit code")
		}
	case "system-out":
		err = rd.textOf(&c.out)
	case "system-err":
		err = rd.textOf(&c.err)
	case "properties":
		var more []property
		more, err = rd.properties()
		c.properties = append(c.properties, more[:min(len(more), propertyLimit-min(len(c.properties), propertyLimit))]...)
	}
	return err
}

// partSkipped takes what was read last for a skip where it is one: godog writes an error of
// the type skipped for a step that asked for it, and for those behind one that failed.
func (c *testcase) partSkipped() {
	if last := len(c.failures) - 1; last >= 0 && c.failures[last].kind == "skipped" {
		c.skipped = &c.failures[last]
		c.failures = c.failures[:last:last]
	}
}

// fault reads an element that says how a try did not pass, behind the others.
func (rd *reader) fault(others []fault, start *xmlwalk.Element) ([]fault, error) {
	if len(others) >= childLimit {
		return others, nil
	}
	f := fault{isError: strings.HasSuffix(strings.ToLower(start.Name), "error") || start.Name == "compromised", message: start.Attr("message"),
		kind: start.Attr("type"), time: start.Attr("time"), timestamp: start.Attr("timestamp")}
	var body, stack strings.Builder
	err := rd.doc.Content(func(start *xmlwalk.Element) error {
		switch start.Name {
		case "stackTrace":
			return rd.doc.Content(nil, func(b []byte) { keep(&stack, b) })
		case "system-out":
			return rd.textOf(&f.out)
		case "system-err":
			return rd.textOf(&f.err)
		}
		return nil
	}, func(b []byte) { keep(&body, b) })
	f.body = strings.TrimSpace(body.String() + stack.String())
	if risky().MatchString(f.kind) {
		rd.note(place{start.Line, start.Column}, codeByOption, "risky tests are errors, as PHPUnit counts them in its report, which does not say whether its run failed for them: that takes failOnRisky")
	}
	return append(others, f), err
}

// keep adds to a text as far as texts are kept.
func keep(text *strings.Builder, b []byte) { xmlwalk.Keep(text, b, keptLimit) }

// textOf reads the rest of an element behind the text before it.
func (rd *reader) textOf(text *string) error {
	var b strings.Builder
	b.WriteString(*text)
	err := rd.doc.Content(nil, func(more []byte) { keep(&b, more) })
	*text = b.String()
	return err
}

// properties reads the rest of a properties element. A property without a value
// attribute has its text as the value.
func (rd *reader) properties() (out []property, err error) {
	err = rd.doc.Children(func(start *xmlwalk.Element) error {
		if start.Name != "property" || len(out) >= propertyLimit {
			return nil
		}
		p := property{start.Attr("name"), start.Attr("value")}
		var text string
		err := rd.textOf(&text)
		if p.value == "" {
			p.value = strings.TrimSpace(text)
		}
		if p.name != "" {
			out = append(out, p)
		}
		return err
	})
	return out, err
}

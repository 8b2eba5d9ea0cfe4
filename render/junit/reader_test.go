package junit_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
)

// element is the document as any XML parser sees it.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (e *element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e *element) all(name string) []*element {
	var out []*element
	for i := range e.Children {
		if e.Children[i].XMLName.Local == name {
			out = append(out, &e.Children[i])
		}
	}
	return out
}

func (e *element) walk(visit func(*element)) {
	visit(e)
	for i := range e.Children {
		e.Children[i].walk(visit)
	}
}

// parse reads one document with the strict decoder; anything after it is an error.
func parse(t *testing.T, doc []byte) *element {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(doc))
	root := &element{}
	if err := dec.Decode(root); err != nil {
		t.Fatalf("not XML: %v", err)
	}
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return root
		}
		if space, ok := token.(xml.CharData); !ok || strings.TrimSpace(string(space)) != "" {
			t.Fatalf("after the document: %v, %v", token, err)
		}
	}
}

// verdictOf is what GitLab makes of a testcase: failure before error before skipped.
func verdictOf(c *element) string {
	for _, v := range []string{"failure", "error", "skipped"} {
		if len(c.all(v)) > 0 {
			return v
		}
	}
	return "success"
}

// gitlab reads a document by GitLab's rules and reports what would lose a file,
// a case or a text there.
func gitlab(t *testing.T, root *element) map[string]*element {
	t.Helper()
	root.walk(func(e *element) {
		if kind := e.attr("type"); kind != "" && !strings.Contains(kind, ".") {
			t.Errorf("<%s type=%q>: GitLab's reader may obey it", e.XMLName.Local, kind)
		}
		if e.attr("nil") != "" {
			t.Errorf("<%s nil>: GitLab's reader drops it", e.XMLName.Local)
		}
	})
	cases := map[string]*element{}
	for _, s := range root.all("testsuite") {
		for _, c := range s.all("testcase") {
			key := s.attr("name") + "_" + c.attr("classname") + "_" + c.attr("name")
			if cases[key] != nil {
				t.Errorf("two testcases have the key %q", key)
			}
			cases[key] = c
			gitlabCase(t, c)
		}
	}
	return cases
}

func gitlabCase(t *testing.T, c *element) {
	t.Helper()
	if n := len(c.all("system-out")); n > 1 {
		t.Errorf("%s: %d system-out elements", c.attr("name"), n)
	}
	if n := len(c.all("failure")) + len(c.all("error")) + len(c.all("skipped")); n > 1 {
		t.Errorf("%s: %d results", c.attr("name"), n)
	}
	for _, out := range c.all("system-out") {
		if strings.Contains(out.Text, "[[ATTACHMENT|") || strings.Contains(out.Text, "[[PROPERTY|") {
			t.Errorf("%s: a marker is left: %q", c.attr("name"), out.Text)
		}
	}
	for _, kind := range []string{"failure", "error"} {
		for _, r := range c.all(kind) {
			// GitLab shows the body alone, most others the message alone.
			first, rest, _ := strings.Cut(r.Text, "\n")
			said, ok := strings.CutPrefix(r.attr("message"), first)
			if trial, _, _ := strings.Cut(strings.TrimPrefix(said, "; "), ": "); !ok || !strings.Contains(rest, trial) {
				t.Errorf("%s: the body starts with %q, the message is %q", c.attr("name"), first, r.attr("message"))
			}
		}
	}
}

// counters compares the attributes of every suite with its children, which
// EnricoMi's reader subtracts from each other.
func counters(t *testing.T, suites []*element) (tests, failures, errors, skipped int) {
	t.Helper()
	for _, s := range suites {
		n := map[string]int{}
		for _, c := range s.all("testcase") {
			n[verdictOf(c)]++
			n["all"]++
		}
		for attr, want := range map[string]int{"tests": n["all"], "failures": n["failure"], "errors": n["error"], "skipped": n["skipped"]} {
			if got := s.attr(attr); got != fmt.Sprint(want) {
				t.Errorf("suite %q: %s=%q, the children say %d", s.attr("name"), attr, got, want)
			}
		}
		tests, failures, errors, skipped = tests+n["all"], failures+n["failure"], errors+n["error"], skipped+n["skipped"]
	}
	return
}

package junit

import (
	"encoding/xml"
	"regexp"
	"strings"
	"testing"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/internal/hostile"
)

// reference is a testcase as encoding/xml writes it.
func reference(t *testing.T, x caseXML) string {
	t.Helper()
	var b strings.Builder
	enc := xml.NewEncoder(&b)
	enc.Indent("", " ")
	if err := enc.Encode(struct {
		XMLName xml.Name  `xml:"r"`
		Cases   []caseXML `xml:"testcase"`
	}{Cases: []caseXML{x}}); err != nil {
		t.Fatal(err)
	}
	return shortened(b.String())
}

// shortened writes <a></a> as <a/>, but for what stands in CDATA.
func shortened(s string) string {
	var b strings.Builder
	for s != "" {
		part, cdata, _ := strings.Cut(s, "<![CDATA[")
		b.WriteString(regexp.MustCompile(`></[A-Za-z-]+>`).ReplaceAllString(part, "/>"))
		if cdata == "" {
			break
		}
		inside, rest, _ := strings.Cut(cdata, "]]>")
		b.WriteString("<![CDATA[" + inside + "]]>")
		s = rest
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), "<r>"), "\n</r>")
}

// texts are what a testcase may have to show.
var texts = func() []string {
	all := []string{"", "plain", "]]>", "a]]>b]]>", "]]", ">", "\"'&<>\t\n\r\x7f", "\x00\x01\x1f\ufffe\uffff\xff\xc3", "é\u2028\U0001f600\ufffd"}
	for _, h := range hostile.Texts {
		all = append(all, h.Text)
	}
	return all
}()

// someCases are testcases of every shape with a text in every place.
func someCases(s string) []caseXML {
	result := &upstream.Result{Message: s, Type: s, Data: s}
	full := caseXML{Name: s, Classname: s, Time: s, File: s, Line: 7, Properties: &[]upstream.Property{{Name: s, Value: s}, {Name: "b", Value: s}},
		Flaky: []flakyXML{{s, s, s}, {Message: s}}}
	full.Skipped, full.Error, full.Failure, full.SystemOut = result, result, result, &upstream.Output{Data: s}
	bare := caseXML{Name: s}
	empty := caseXML{Name: s, Properties: &[]upstream.Property{}, Flaky: []flakyXML{{}}}
	empty.Failure, empty.SystemOut = &upstream.Result{}, &upstream.Output{}
	return []caseXML{full, bare, empty}
}

// TestTestcaseIsWrittenAlike holds the writer against encoding/xml.
func TestTestcaseIsWrittenAlike(t *testing.T) {
	for _, s := range texts {
		for _, x := range someCases(s) {
			e := &elements{depth: 1}
			e.testcase(&x)
			if want := reference(t, x); string(e.b) != want {
				t.Errorf("%.60q is written\n%.2000s\nwant\n%.2000s", s, e.b, want)
			}
		}
	}
}

func FuzzTestcase(f *testing.F) {
	for _, s := range texts {
		if len(s) < 1000 {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, x := range someCases(s) {
			e := &elements{depth: 1}
			e.testcase(&x)
			if want := reference(t, x); string(e.b) != want {
				t.Errorf("%q is written\n%s\nwant\n%s", s, e.b, want)
			}
		}
	})
}

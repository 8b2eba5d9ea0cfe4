package xmlwalk

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
)

// told keeps problems in short.
type sink struct{ list []string }

func (s *sink) Trial(*envelope.Trial)                     {}
func (s *sink) Header(envelope.Header, *envelope.Carried) {}
func (s *sink) Recorded(*envelope.Recorded)               {}
func (s *sink) Problem(p envelope.Problem) {
	s.list = append(s.list, fmt.Sprintf("%s %d:%d", p.Code, p.Line, p.Column))
}

// walk is what a document is: elements with their attributes, and texts.
func walk(t testing.TB, r io.Reader) (events, problems []string) {
	t.Helper()
	s := &sink{}
	var element func(d *Doc, e *Element)
	element = func(d *Doc, e *Element) {
		said := "<" + e.Name
		for _, a := range e.attributes {
			said += fmt.Sprintf(" %s=%q", a.name, a.value)
		}
		events = append(events, said)
		var text strings.Builder
		flush := func() {
			if text.Len() > 0 {
				events = append(events, text.String())
			}
			text.Reset()
		}
		for e := range d.Content(func(b []byte) { text.Write(b) }) {
			flush()
			element(d, e)
		}
		flush()
		events = append(events, ">")
	}
	if err := Read(r, s, element); err != nil {
		t.Fatal(err)
	}
	return events, s.list
}

// reference is what encoding/xml says of a document, which it must take.
func reference(text string) (events []string, err error) {
	dec, chars := xml.NewDecoder(strings.NewReader(text)), ""
	flush := func() {
		if chars != "" {
			events = append(events, chars)
		}
		chars = ""
	}
	for depth := 0; ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return events, nil
		} else if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			flush()
			depth++
			said := "<" + token.Name.Local
			for _, a := range token.Attr {
				said += fmt.Sprintf(" %s=%q", a.Name.Local, a.Value)
			}
			events = append(events, said)
		case xml.EndElement:
			flush()
			depth--
			events = append(events, ">")
		case xml.CharData:
			if depth > 0 {
				chars += string(token)
			}
		}
	}
}

// TestAgainstTheLibrary: what encoding/xml takes is read as it reads it, however
// the document comes.
func TestAgainstTheLibrary(t *testing.T) {
	files, err := filepath.Glob("../../*/testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if name, _ := Root(text); err != nil || name == "" || strings.HasSuffix(file, ".md") {
			continue
		}
		want, err := reference(string(text))
		if err != nil {
			continue // malformed on purpose
		}
		seen++
		got, problems := walk(t, strings.NewReader(string(text)))
		if !slices.Equal(got, want) || len(problems) > 0 {
			t.Errorf("%s: %d events, want %d; problems %q", file, len(got), len(want), problems)
		}
		if slow, _ := walk(t, iotest.OneByteReader(strings.NewReader(string(text)))); !slices.Equal(slow, want) {
			t.Errorf("%s: a byte at a time is read differently", file)
		}
	}
	if seen < 8 {
		t.Errorf("only %d samples", seen)
	}
}

func TestPieces(t *testing.T) {
	for _, c := range []struct {
		text           string
		want, reported []string
		reason         string
	}{
		{"<a x='1' y = \"a&amp;b&#10;c\"/>", []string{`<a x="1" y="a&b\nc"`, ">"}, nil, "quotes of both kinds, references"},
		{"<p:a p:x='1'>t</p:a>", []string{`<a x="1"`, "t", ">"}, nil, "prefixes are dropped"},
		{"<a>1<!-- < & --><![CDATA[<&amp;]]>2<?x y?>3</a>", []string{"<a", "1<&amp;23", ">"}, nil, "sections inside of a text"},
		{"<a>\r\n1\r2</a>", []string{"<a", "\n1\n2", ">"}, nil, "line ends are one (XML 1.0, 2.11)"},
		{"<a>\x1b[31m&#27;\x00\xff</a>", []string{"<a", "\uFFFD[31m\uFFFD\uFFFD\uFFFD", ">"}, []string{"repaired-text 1:1"}, "characters that XML forbids"},
		{"<a>\n1\n<b x='\x1b'/></a>", []string{"<a", "\n1\n", "<b x=\"\uFFFD\"", ">", ">"}, []string{"repaired-text 3:1"}, "at the line of the first"},
		{"<a>\n <b>\n</a>", []string{"<a", "\n ", "<b", "\n", ">", ">"}, []string{"unreadable-input 3:5"}, "a tag that closes another"},
		{"<a><b c></a>", []string{"<a", ">"}, []string{"unreadable-input 1:8"}, "an attribute without a value"},
		{"<a><b c=1></a>", []string{"<a", ">"}, []string{"unreadable-input 1:9"}, "an attribute without quotes"},
		{"<a>&b;</a>", []string{"<a", ">"}, []string{"unreadable-input 1:4"}, "an entity nobody knows"},
		{"<a>x", []string{"<a", "x", ">"}, []string{"unreadable-input 1:5"}, "cut in a text"},
		{"<a><b x=\"", []string{"<a", ">"}, []string{"unreadable-input 1:10"}, "cut in a tag"},
		{"<a><![CDATA[x", []string{"<a", "x", ">"}, []string{"unreadable-input 1:14"}, "cut in a section"},
		{"<a/>\n<b/>\n", []string{"<a", ">", "<b", ">"}, nil, "two documents behind each other"},
		{"</a>", nil, []string{"unreadable-input 1:1"}, "an end without a start"},
		{"< a/>", nil, []string{"unreadable-input 1:1"}, "a tag without a name"},
		{" ", nil, []string{"unreadable-input 1:2"}, "no element"},
		{"<a" + strings.Repeat(" x='1'", 200_000) + "/>", nil, []string{"unreadable-input 1:1"}, "a tag of 1.2 MB"},
		{strings.Repeat("<a>", depthLimit+1), nil, []string{"unreadable-input 1:3001"}, "elements in elements in elements"},
	} {
		got, problems := walk(t, strings.NewReader(c.text))
		if c.want != nil && !slices.Equal(got, c.want) || !slices.Equal(problems, c.reported) {
			t.Errorf("%s: %.60q:\n got %q %q\nwant %q %q", c.reason, c.text, got[:min(len(got), 20)], problems, c.want, c.reported)
		}
	}
}

// TestLongText: of a text over the limit the head is kept, and the rest is told.
func TestLongText(t *testing.T) {
	for _, c := range []struct{ before, after string }{{"<a>", "</a>"}, {"<a><![CDATA[", "]]></a>"}} {
		got, problems := walk(t, strings.NewReader(c.before+strings.Repeat("ä€😀x", 300_000)+c.after))
		if len(got) != 3 || len(got[1]) > textLimit || len(got[1]) < textLimit-200 || strings.Trim(got[1], "ä€😀x") != "" {
			t.Errorf("%s: %d events", c.before, len(got))
		}
		if !slices.Equal(problems, []string{"repaired-text 1:1"}) {
			t.Errorf("%s: told %q", c.before, problems)
		}
	}
}

func TestRoot(t *testing.T) {
	for _, c := range []struct{ head, name, reason string }{
		{"\ufeff<?xml version='1.0'?>\n<!-- <b> --><!DOCTYPE x [<!ENTITY a 'b'>]>\n<p:test-run id='1'", "test-run", "everything that may stand before"},
		{"<test-run", "", "a name that may go on"},
		{"<!-- <a> ", "", "a comment that is not closed"},
		{"{\"a\":\"<b>\"}", "", "JSON"},
		{"", "", "nothing"},
	} {
		if got, _ := Root([]byte(c.head)); got != c.name {
			t.Errorf("%s: %q", c.reason, got)
		}
	}
}

// FuzzWalk: what encoding/xml takes is read as it reads it, and nothing else
// panics or hangs.
func FuzzWalk(f *testing.F) {
	for _, text := range []string{"<a x='1'>t<b/>&lt;</a>", "<a><![CDATA[x]]><!-- y --></a>", "<a>&#27;\r\n</a><b/>", "<?xml version='1.0' encoding='latin1'?><!DOCTYPE a [<!ENTITY b 'c'>]><a/>",
		"<a><!</a>[DC>t</a>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, problems := walk(t, strings.NewReader(text))
		if slow, _ := walk(t, iotest.OneByteReader(strings.NewReader(text))); !slices.Equal(got, slow) {
			t.Errorf("%q: a byte at a time: %q, else %q", text, slow, got)
		}
		if want, err := reference(text); err == nil && len(problems) == 0 && !slices.Equal(got, want) {
			t.Errorf("%q: %q, the library has %q", text, got, want)
		}
	})
}

// report is a report of failures, as large as caches are.
func report() string {
	one := `<testcase name="t1" classname="a.b.C" time="0.012" file="a.go" line="12"><failure message="expected 1 &lt; 2" type="x">` + strings.Repeat("some text of a failure, with a path a/b/c.go:12\n", 6) + "</failure></testcase>\n"
	return "<testsuite>" + strings.Repeat(one, 2000) + "</testsuite>"
}

func BenchmarkWalk(b *testing.B) {
	text := report()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_ = Read(strings.NewReader(text), &sink{}, func(d *Doc, _ *Element) {
			for range d.Children() {
				for range d.Children() {
					d.Text(1 << 16)
				}
			}
		})
	}
}

// BenchmarkLibrary is what the same costs with encoding/xml.
func BenchmarkLibrary(b *testing.B) {
	text := report()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for dec := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := dec.Token(); err != nil {
				break
			}
		}
	}
}

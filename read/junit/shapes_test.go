package junit

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

func in(cases string) string {
	return `<testsuites><testsuite name="s">` + cases + `</testsuite></testsuites>`
}

// TestManyOpen: however many tests of pytest fail, each is one trial.
func TestManyOpen(t *testing.T) {
	cases := strings.Repeat(`<testcase classname="m" name="b"><failure/></testcase>`, 2)
	for i := range 3 * openLimit {
		cases += fmt.Sprintf(`<testcase classname="m" name="t%d"><failure/></testcase>`, i)
	}
	s := readText(t, `<testsuite name="pytest">`+cases+`</testsuite>`)
	if want := 3*openLimit + 2; len(s.Trials) != want || len(s.Strips()) != want-1 {
		t.Errorf("%d trials of %d tests", len(s.Trials), len(s.Strips()))
	}
}

// repeated is a text n times over without holding it.
func repeated(text string, n int64) io.Reader {
	return io.LimitReader(&endless{text: text}, n*int64(len(text)))
}

type endless struct {
	text string
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

// TestLimits: however large a piece of a document is, memory is bounded.
func TestLimits(t *testing.T) {
	const head = `<testsuites><testsuite name="s"><testcase name="a"/>`
	for _, c := range []struct {
		reason   string
		parts    []io.Reader
		reported string
	}{
		{"96 MiB of text", []io.Reader{strings.NewReader(`<testcase name="b"><failure>`), repeated("0123456789abcdef", 6<<20), strings.NewReader(`</failure></testcase></testsuite></testsuites>`)}, "repaired-text 1:1"},
		{"27 MiB of CDATA with brackets", []io.Reader{strings.NewReader(`<testcase name="b"><failure><![CDATA[`), repeated("]] >x<a>\n", 3<<20), strings.NewReader(`]]></failure></testcase></testsuite></testsuites>`)}, "repaired-text 1:1"},
		{"10^6 attributes", []io.Reader{strings.NewReader(`<testcase`), repeated(` a=""`, 1e6), strings.NewReader(`/>`)}, "unreadable-input"},
		{"a value of 64 MiB", []io.Reader{strings.NewReader(`<testcase name="`), repeated("xxxxxxxx", 8<<20), strings.NewReader(`"/>`)}, "unreadable-input"},
		{"10^6 elements in each other", []io.Reader{repeated("<a>", 1e6)}, "unreadable-input"},
		{"10^6 suites in each other", []io.Reader{repeated("<testsuite>", 1e6)}, "unreadable-input"},
		{"a document type without end", []io.Reader{strings.NewReader("<!DOCTYPE x ["), repeated("<!ENTITY a 'b'>", 1e6)}, "unreadable-input"},
		{"10^5 failures in one testcase", []io.Reader{strings.NewReader(`<testcase name="b">`), repeated("<failure/>", 1e5), strings.NewReader(`</testcase></testsuite></testsuites>`)}, ""},
	} {
		s := &readtest.Sink{}
		before := peak()
		if err := Read(io.MultiReader(append([]io.Reader{strings.NewReader(head)}, c.parts...)...), s); err != nil {
			t.Fatal(err)
		}
		if used := peak() - before; used > 200<<20 {
			t.Errorf("%s: %d MB", c.reason, used>>20)
		}
		if len(s.Trials) == 0 || s.Trials[0].Test != "a" {
			t.Errorf("%s: what came before is lost", c.reason)
		}
		if got := strings.Join(s.Reported(), " "); !strings.HasPrefix(got, c.reported) || c.reported == "" && got != "" {
			t.Errorf("%s: problems %q, want %q", c.reason, got, c.reported)
		}
	}
}

// peak is what the process has taken from the system so far, which never falls.
func peak() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

func FuzzJUnit(f *testing.F) {
	for _, name := range readtest.Samples(f) {
		text := readtest.Bytes(f, name)
		f.Add(text[:min(len(text), 6000)])
	}
	f.Add([]byte(in(`<testcase name="a"><properties><property name="tribunal.key" value='["s","t","v"]'/><property name="tribunal.rows" value='{"outcome":"PF"}'/></properties></testcase>`)))
	f.Add([]byte(`<testsuite name="x"><properties><property name="tribunal.schema" value="v"/><property name="tribunal.policy" value="{}"/></properties><testcase name="a [b]" classname="c"><properties><property name="tribunal.rows" value='{"outcome":"PFX","attempt":[0,1,2]}'/></properties><failure message="m">m&#10;trial 2: fail&#10;  said&#10;  output:&#10;    long</failure></testcase></testsuite>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		Sniff(text)
		s := readText(t, string(text))
		for _, p := range s.Problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" || p.Code == "" {
				t.Errorf("%+v", p)
			}
		}
		for _, trial := range s.Trials {
			if trial.Test == "" || trial.Attempt.V < 0 || trial.Line < 0 || trial.Key.String() == "" {
				t.Errorf("%#v", trial)
			}
		}
	})
}

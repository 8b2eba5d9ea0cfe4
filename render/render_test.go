package render_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/read"
	"tribunal/render"
	"tribunal/render/internal/rendertest"
	"tribunal/render/internal/standing"
	"tribunal/verdict"
)

// TestHeadline finds the same sentence in every report that a person reads.
func TestHeadline(t *testing.T) {
	inputs, err := filepath.Glob("../testdata/streams/*.ndjson")
	if err != nil || len(inputs) < 20 {
		t.Fatal(len(inputs), err)
	}
	for _, input := range inputs {
		e := judgedFile(t, input)
		want, commands := standing.HeadlineOf(e, func(string) string { return "" }), standing.Commands{Report: "run.json"}
		for _, format := range []string{"pretty", "markdown", "github", "agent", "slack", "html"} {
			var b strings.Builder
			f, err := render.Formats.ByName(format)
			if err == nil {
				err = f.Write(&b, e, render.Settings{Options: f.Defaults(), Existing: -1, Terminal: render.Terminal{Commands: commands}})
			}
			if err != nil {
				t.Fatal(err)
			}
			got := html.UnescapeString(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(b.String()))
			for i, fact := range want.Facts {
				if i == 0 && format != "html" { // where the first word is a badge
					fact = want.Word + "  " + fact
				}
				if !strings.Contains(got, fact) {
					t.Errorf("%s of %s: %q is missing in\n%s", format, input, fact, got)
				}
			}
			for _, next := range commands.Next(e) {
				if format != "agent" && !strings.Contains(got, next) {
					t.Errorf("%s of %s: %q is missing in\n%s", format, input, next, got)
				}
			}
			for _, more := range want.More {
				if format != "github" && !strings.Contains(got, more) {
					t.Errorf("%s of %s: %q is missing in\n%s", format, input, more, got)
				}
			}
		}
	}
}

func judgedFile(t *testing.T, path string) *envelope.Envelope {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := verdict.NewBuilder(envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	read.Stream(b, path, f, "")
	e, err := verdict.Judge(b, envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestWriterError: each format, and what it appends to another file, reports that its writer is
// full.
func TestWriterError(t *testing.T) {
	for _, f := range render.Formats {
		t.Run(f.Name, func(t *testing.T) {
			for _, e := range []*envelope.Envelope{hostile.Plain(), hostile.Broken(), hostile.Random(5, 20)} {
				rendertest.SaysFull(t, e, func(w io.Writer, e *envelope.Envelope) error {
					return f.Write(w, e, render.Settings{Options: f.Defaults(), Existing: -1})
				})
				if f.Append != nil {
					rendertest.SaysFull(t, e, func(w io.Writer, e *envelope.Envelope) error { return f.Append.Write(w, e, render.Settings{}) })
				}
			}
		})
	}
}

// namedIn are the names of tests by which readers of a format know them.
var namedIn = map[string]func(report []byte) []string{
	"trx":   elements("TestMethod", "className", "name"),
	"sonar": elements("testCase", "name"),
	"teamcity": func(report []byte) (names []string) {
		suite := ""
		for _, m := range regexp.MustCompile(`##teamcity\[(testSuite\w+|testStarted) name='((?:[^'|]|\|.)*)'`).FindAllSubmatch(report, -1) {
			switch string(m[1]) {
			case "testStarted":
				names = append(names, suite+"\x00"+string(m[2]))
			case "testSuiteFinished":
				suite = ""
			default:
				suite = string(m[2])
			}
		}
		return names
	},
	"ctrf": func(report []byte) (names []string) {
		var of struct {
			Results struct {
				Tests []struct {
					Name  string
					Suite []string
				}
			}
		}
		_ = json.Unmarshal(report, &of)
		for _, t := range of.Results.Tests {
			names = append(names, strings.Join(append(t.Suite, t.Name), "\x00"))
		}
		return names
	},
}

// elements names the elements of a report in XML by some attributes.
func elements(element string, attributes ...string) func([]byte) []string {
	return func(report []byte) (names []string) {
		d := xml.NewDecoder(bytes.NewReader(report))
		for token, err := d.Token(); err != io.EOF; token, err = d.Token() {
			start, is := token.(xml.StartElement)
			if !is || start.Name.Local != element {
				continue
			}
			name := ""
			for _, want := range attributes {
				for _, a := range start.Attr {
					if a.Name.Local == want {
						name += "\x00" + a.Value
					}
				}
			}
			names = append(names, name)
		}
		return names
	}
}

// TestNamesThatClash: tests whose names look alike in a report are told apart there, and
// a name that needs no mark has none.
func TestNamesThatClash(t *testing.T) {
	long := strings.Repeat("x", 2000)
	keys := []envelope.Key{
		{Suite: "s", Test: "a [v]"}, {Suite: "s", Test: "a", Variant: "v"}, {Suite: "s", Test: "plain"}, {Test: "plain"},
		{Suite: "s", Test: "tab\tin"}, {Suite: "s", Test: "tab in"}, {Suite: "s", Test: long + "1"}, {Suite: "s", Test: long + "2"},
		{Suite: long + "1", Test: "a"}, {Suite: long + "2", Test: "a"}, {Suite: "a\x01", Test: "b"}, {Suite: "a", Test: "b"},
		{Suite: "a", Test: "b › c"}, {Suite: "a › b", Test: "c"}, {Test: "a › b › c"}, {Suite: "a/b", Test: "c"}, {Suite: "a", Test: "b/c"},
		{Suite: "(tribunal)", Test: "run"}, {Suite: "tribunal", Test: "plain"}, {Suite: "(no suite)", Test: "plain"}, {Suite: " ", Test: "plain"},
	}
	e := hostile.Plain()
	of := e.Tests[0]
	e.Tests = nil
	for _, k := range keys {
		of.Key, of.File = k, "all/in_one.py"
		e.Tests = append(e.Tests, of)
	}
	for format, namesIn := range namedIn {
		var report bytes.Buffer
		if err := render.Formats.Write(&report, format, e); err != nil {
			t.Fatal(err)
		}
		seen, plain := map[string]bool{}, 0
		for _, name := range namesIn(report.Bytes()) {
			if seen[name] {
				t.Errorf("%s: two tests are named %.60q", format, name)
			}
			seen[name] = true
			if strings.HasSuffix(name, "plain") {
				plain++
			}
		}
		if len(seen) != len(keys) || plain != 5 {
			t.Errorf("%s: %d names for %d tests, %d of them end in plain, want 5", format, len(seen), len(keys), plain)
		}
	}
}

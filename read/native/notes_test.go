package native

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tribunal/envelope"
)

func TestUnknownFieldsAreToldOnce(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, `{"test":"a","status":"pass","f%d":1,"often":2,"%s":3}`+"\n", i, strings.Repeat("long", 2500))
	}
	s := readText(text.String())
	if len(s.problems) != 1 || s.problems[0].Count != 15000 || s.problems[0].Line != 1 {
		t.Fatalf("problems %v", s.problems)
	}
	message := s.problems[0].Message
	if n := strings.Count(message, `" (`); n != listed {
		t.Errorf("%d names are listed, want %d: %s", n, listed, message)
	}
	for _, part := range []string{`"f0" (1)`, "more names", "and others"} {
		if !strings.Contains(message, part) {
			t.Errorf("%s is not in %s", part, message)
		}
	}
	if len(message) > 2000 {
		t.Errorf("the message has %d bytes", len(message))
	}
}

func TestUnknownFieldsOfOneLine(t *testing.T) {
	line := []byte(`{"test":"a","status":"pass"`)
	for i := range 100000 {
		line = fmt.Appendf(line, `,"%d":0`, i)
	}
	s := readText(string(line) + "}")
	if len(s.trials) != 1 || len(s.problems) != 1 || s.problems[0].Count != unknownCap {
		t.Errorf("%d trials, problems %v", len(s.trials), s.problems)
	}
}

// TestHostileTextsInMessages: a message is one line of printable text whatever
// the input says.
func TestHostileTextsInMessages(t *testing.T) {
	const bad = "\x1b\u202e\x00\n\u0085"
	for _, text := range []string{
		strings.ReplaceAll(bad, "\n", "") + "\x85noise",
		`{"test":"a","status":"\u001b[31m\u202e\n"}`,
		`{"test":"a","status":"pass","\u001b[31m\u202e\n":1,"labels":{"\u001b\n":[]}}`,
		`{"type":"\u001b[31m\u202e\n"}`,
		`{"type":"run","policy":{"\u001b\n":1}}`,
		"{\"test\":\x1b}",
		"{\"test\":\u202e}",
		`{"test":"a","status":"pass","started_at":"\u001b\n"}`,
	} {
		for _, p := range readText(text).problems {
			if strings.ContainsAny(p.Message, bad) {
				t.Errorf("%q: %q", text, p.Message)
			}
		}
	}
}

func FuzzNative(f *testing.F) {
	for _, c := range problemCases {
		f.Add([]byte(c.text))
	}
	for _, text := range syntaxCases {
		f.Add([]byte(text))
		f.Add([]byte(`{"test":"a","status":"pass",` + strings.TrimPrefix(text, "{")))
	}
	samples, _ := filepath.Glob("../../testdata/streams/*.ndjson")
	for _, name := range samples {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("\xef\xbb\x00{\"test\":\"a\",\"status\":\"pass\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		Sniff(text)
		for _, line := range bytes.Split(text, []byte("\n")) {
			if len(line) > 0 && line[0] == '{' {
				if why := differ(line); why != "" {
					t.Errorf("%q: %s", line, why)
				}
			}
		}
		checkProblems(t, text, readText(string(text)))
	})
}

// checkProblems: every problem has a place inside the text, and no record goes
// without a trial, a header or a problem.
func checkProblems(t *testing.T, text []byte, s *sink) {
	lines := bytes.Count(text, []byte("\n")) + 1
	errors := 0
	for _, p := range s.problems {
		if p.Line < 1 || p.Line > lines || p.Message == "" || p.Code == "" {
			t.Errorf("%+v of %d lines", p, lines)
		}
		if p.Severity == envelope.SeverityError && p.Column < 1 {
			t.Errorf("%+v has no column", p)
		}
		if p.Code == envelope.CodeMalformed || p.Code == envelope.CodeTruncated {
			errors++
		}
	}
	records := 0
	for _, line := range bytes.Split(text, []byte("\n")) {
		if _, isRecord := begin(line); isRecord || bytes.IndexByte(line, '{') >= 0 { // also behind other bytes
			records++
		}
	}
	if reported := len(s.trials) + len(s.headers) + errors; reported > records {
		t.Errorf("%d trials, headers and errors of %d records", reported, records)
	}
}

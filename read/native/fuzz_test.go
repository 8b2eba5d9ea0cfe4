package native

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tribunal/envelope"
)

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
	if told := len(s.trials) + len(s.headers) + errors; told > records {
		t.Errorf("%d trials, headers and errors of %d records", told, records)
	}
}

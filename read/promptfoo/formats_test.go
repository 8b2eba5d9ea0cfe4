package promptfoo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestYAML: aliases, and documents that were made to break readers.
func TestYAML(t *testing.T) {
	const start = "evalId: e\nresults:\n  version: 3\n"
	const row = "    - testIdx: 0\n      promptIdx: 0\n      success: true\n"
	bomb := start + "  bomb:\n    - &a0 [x]\n"
	for i := range 40 {
		bomb += fmt.Sprintf("    - &a%d [*a%d, *a%d]\n", i+1, i, i)
	}
	cases := []struct {
		text            string
		lines, reported []string
		reason          string
	}{
		{start + "  results:\n" + row + "      vars: &v\n        q: >-\n          a\n          b\n    - success: false\n      failureReason: 1\n      vars: *v\n", []string{"q=a b #0 pass", "q=a b #1 fail"}, nil, "an alias, and a folded text"},
		{"results:\n  version: 3\n  results:\n" + row + "      vars: {q: x}\n", []string{"q=x #0 pass"}, nil, "without an evalId"},
		{start + "  results:\n" + row + "      vars: {q: x}\n    - nothing\n    - success: maybe\n", []string{"q=x #0 pass"}, []string{"malformed-record 9:7", "malformed-record 10:14", "ignored-field 10:14"}, "rows that are none"},
		{start + "  results: 5\n", nil, []string{"unreadable-input 4:10"}, "no list"},
		{bomb + "  results:\n" + row + "      vars: *a40\n" + row, nil, []string{"unreadable-input 5:5", "unreadable-input 54:9"}, "aliases that grow without end"},
		{start + "  results:\n" + row + "      vars: &r {q: *r}\n", []string{"q= #0 pass"}, nil, "an alias in what it stands for"},
		{start + "# " + strings.Repeat("x", maxTree), nil, []string{"unreadable-input 1:1"}, "too long"},
		{start + "  results:\n" + row + "      vars: {q: x}\n      x: [\n" + row + "      vars: {q: y}\n  stats: &s {n: 1}\nconfig: {description: *s}\n", []string{"q=y #0 pass"}, []string{"unreadable-input 9:10"}, "a broken row beside a whole one"},
		{start + "  results:\n" + row + "      vars: {q: x}\n  stats: 1\nconfig:\n  - [\n", nil, []string{"unreadable-input 11:5"}, "what is broken behind the rows stands where it stands"},
		{start + "  prompts: [&p {q: x}]\n  results:\n" + row + "      vars: *p\n    - vars: {q: x}\n      success: false\n      response:\n        output: |-\n          results:\n            - a\n    -\n      success: true\n      vars: *p\n", []string{"q=x #0 pass", "q=x #1 fail", "q=x #2 pass"}, nil, "an alias of what stands before the rows, a text with dashes, a dash alone"},
		{start + "  results:\n  - testIdx: 0\n    success: true\n    vars: {q: x}\n  - success: true\n    vars: {q: x}\n  stats: 1\n", []string{"q=x #0 pass", "q=x #1 pass"}, nil, "dashes below the name of their list"},
		{start + "  results: [{testIdx: 0, success: true, vars: {q: x}}]\n", []string{"q=x #0 pass"}, nil, "rows in brackets"},
		{start + "  results:\n  stats: 1\n", nil, []string{"unreadable-input 4:10"}, "no rows"},
		{start + "  results: " + strings.Repeat("[", 200), nil, []string{"unreadable-input 4:112"}, "deep"},
	}
	for _, c := range cases {
		if !strings.Contains(c.text, "\nconfig:") {
			c.text += "config: {}\n"
		}
		s := readtest.Text(t, Read, c.text)
		if !Sniff([]byte(c.text)) || !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s: %q %+v", c.reason, s.Lines(), s.Problems)
		}
	}
}

// TestYAMLCut: a document that is cut anywhere before its config, of which the first row
// passed, is no whole one.
func TestYAMLCut(t *testing.T) {
	text := string(readtest.Bytes(t, "testdata/gen_0.123_repeat2.yaml"))
	until := strings.Index(text, "\nconfig:\n")
	for cut := strings.Index(text, "results:"); cut < until; cut += 97 {
		s := readtest.Text(t, Read, text[:cut])
		if !slices.ContainsFunc(s.Problems, func(p envelope.Problem) bool { return p.Severity == envelope.SeverityError }) {
			t.Errorf("cut at byte %d: %q %q", cut, s.Lines(), s.Problems)
		}
	}
	if s := readtest.Text(t, Read, text); len(s.Problems) > 0 {
		t.Errorf("whole: %q", s.Problems)
	}
}

// TestCutRows: what is taken out and what is left are together what was there, and rows
// begin where they are said to.
func TestCutRows(t *testing.T) {
	text := string(readtest.Bytes(t, "testdata/gen_0.123_repeat2.yaml"))
	rest, rows := cutRows(text)
	whole, lines := "", strings.Split(text, "\n")
	for _, row := range rows {
		whole += row.text
		if first, _, _ := strings.Cut(row.text, "\n"); lines[row.line-1] != first || !strings.HasPrefix(first, "    - cost: 0") {
			t.Errorf("line %d is %q and not %q", row.line, lines[row.line-1], first)
		}
	}
	at := strings.Index(text, whole)
	if len(rows) != 4 || at < 0 || text[:at]+text[at+len(whole):] != rest || strings.Contains(rest, "- cost") {
		t.Errorf("%d rows, and left is:\n%s", len(rows), rest)
	}
}

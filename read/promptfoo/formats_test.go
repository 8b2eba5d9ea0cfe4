package promptfoo

import (
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestYAMLTooLong: what of a document is no row is read up to a limit.
func TestYAMLTooLong(t *testing.T) {
	text := "evalId: e\nresults:\n  version: 3\n# " + strings.Repeat("x", maxTree)
	if s := readtest.Text(t, Read, text); !slices.Equal(s.Reported(), []string{"unreadable-input 1:1"}) {
		t.Errorf("%q", s.Problems)
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

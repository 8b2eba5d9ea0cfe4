package promptfoo

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestWrittenAnyway: one run, which promptfoo wrote in four ways. Its summary counts a
// success, a failure and 2 errors. YAML and XML are the document in other letters; a
// table has no times, costs, tokens and prompts.
func TestWrittenAnyway(t *testing.T) {
	const run = "testdata/gen_0.123_repeat2."
	whole := readtest.File(t, Read, run+"json")
	if whole.Counts() != "2 tests, 4 trials: 1 pass, 1 fail, 2 error, 0 skip, 0 retries" {
		t.Fatal(whole.Counts())
	}
	for _, ending := range []string{"yaml", "xml"} {
		s := readtest.File(t, Read, run+ending)
		if !reflect.DeepEqual(s.Trials, whole.Trials) || len(s.Problems) > 0 {
			t.Errorf("%s: %q %+v", ending, s.Lines(), s.Problems)
			for i := range s.Trials {
				if i < len(whole.Trials) && !reflect.DeepEqual(s.Trials[i], whole.Trials[i]) {
					t.Errorf("\n got %+v\nwant %+v", s.Trials[i], whole.Trials[i])
				}
			}
		}
		if h := s.Headers[0]; h.ID != whole.Headers[0].ID || h.Name != whole.Headers[0].Name || h.StartedAt != whole.Headers[0].StartedAt {
			t.Errorf("%s: %+v", ending, h)
		}
	}
	table := readtest.File(t, Read, run+"csv")
	if !reflect.DeepEqual(table.Strips(), whole.Strips()) || len(table.Problems) > 0 {
		t.Errorf("%v, want %v; %+v", table.Strips(), whole.Strips(), table.Problems)
	}
	for i, trial := range table.Trials {
		if want := whole.Trials[i]; trial.Score != want.Score || trial.Status == envelope.Fail && (trial.Message != want.Message || trial.Output != want.Output) {
			t.Errorf("%+v, want %+v", trial, want)
		}
	}
}

// TestTable: two prompts with two providers, four trials a row. Of the row that was flaky
// first, both answers of the second provider were wrong.
func TestTable(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_0.123_2prompts.csv")
	if s.Counts() != "16 tests, 32 trials: 22 pass, 2 fail, 8 error, 0 skip, 0 retries" || len(s.Problems) > 0 {
		t.Errorf("%s %+v", s.Counts(), s.Problems)
	}
	const brief = ", prompt brief: b.txt: Briefly, in one line:… "
	strips := map[string]string{}
	for name, strip := range s.Strips() {
		strips[name] = strip
		if strings.HasPrefix(name, "flaky [second") && strip != "FP" || strings.HasPrefix(name, "flaky [first") && strip != "PP" {
			t.Errorf("%s: %s", name, strip)
		}
	}
	if strips["flaky [second]"] != "FP" || !slices.ContainsFunc(s.Trials, func(t envelope.Trial) bool { return strings.HasPrefix(t.Variant, "second"+brief) }) {
		t.Errorf("%v", strips)
	}
	f := s.Find(t, "flaky", 0)
	if got := readtest.Checks(f); !slices.Equal(got, []string{"right:  1"}) {
		t.Errorf("%q", got)
	}
}

// TestTables: what tables of other versions look like, and what is no trial.
func TestTables(t *testing.T) {
	const newer = "q,[m] p,Status,Score,Named Scores,Grader Reason,Comment\n"
	cases := []struct {
		text        string
		lines, told []string
		reason      string
	}{
		{"[m] p,q\n[PASS] (1.00) yes,a\n[FAIL] (0.50) no,a\n", []string{"q=a [m] #0 pass", "q=a [m] #1 fail"}, nil, "promptfoo 0.10: prompts before vars"},
		{"q,[m] p\na,\"[PASS] (1.00, right: 0.50)\n\nyes\n\nPass Reason: All assertions passed\"\nb,\"[ERROR] (0.00)\n\nRequest timed out\"\n", []string{"q=a [m] #0 pass", "q=b [m] #0 error timeout"}, nil, "promptfoo 0.100"},
		{"q,[m] p\na,[PASS] yes\nb,[FAIL] no\n", []string{"q=a [m] #0 pass", "q=b [m] #0 fail"}, nil, "without scores"},
		{"q,[m] p,Reasoning,Status,Score,Named Scores,Grader Reason,Comment\na,yes,hm,PASS,1.00,,,\n", []string{"q=a [m] #0 pass"}, nil, "a column for the reasoning"},
		{"q,p,Status,Score,Named Scores,Grader Reason,Comment,Messages,pluginId\na,yes,PASS,1.00,,,,[],x\n", []string{"q=a #0 pass"}, nil, "no provider, and columns of a red team"},
		{"[m] p,Status,Score,Named Scores,Grader Reason,Comment\nyes,PASS,1.00,,,\nyes,FAIL,0.00,,,\n", []string{"test case 1 [m] #0 pass", "test case 2 [m] #0 fail"}, nil, "rows of which nothing says that they are one test"},
		{"q,[m] p,Status,Score,Named Scores,Grader Reason,Comment,[m] p,Status,Score,Named Scores,Grader Reason,Comment\na,yes,PASS,1.00,,,,no,FAIL,0.00,,,\n", []string{"q=a [m] #0 pass", "q=a [m #2] #0 fail"}, nil, "two settings of one provider are not pooled"},
		{newer + "a,,,,,,\nb,yes,PASS,1,,,\nc,,,,,,\n", []string{"q=b [m] #0 pass"}, []string{"ignored-field 2:1"}, "trials that were not run, told once"},
		{newer + "a,yes,perhaps,1,,,\n", nil, []string{"malformed-record 2:1"}, "no status"},
		{newer + "a,yes\nb,yes,PASS,1,,,\n", []string{"q=b [m] #0 pass"}, []string{"malformed-record 2:1"}, "cells are missing"},
		{newer + "a,\"yes,PASS,1,,,\n", nil, []string{"malformed-record 2:1"}, "a quote is missing"},
		{"q,[m] p\na,[PASS] yes\nb,yes\n", []string{"q=a [m] #0 pass"}, []string{"malformed-record 3:1"}, "a cell without a status"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !Sniff([]byte(c.text)) || !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q %+v", c.reason, s.Lines(), s.Problems)
		}
	}
	s := readtest.Text(t, Read, "q,[m] p\na,\"[FAIL] (0.00)\n\nno\n\nFail Reason: Expected yes\"\nb,\"[FAIL] (0.00) Expected yes\n---\nno\"\n")
	for _, trial := range s.Trials {
		if trial.Message != "Expected yes" || trial.Output != "no" {
			t.Errorf("%+v", trial)
		}
	}
	for _, text := range []string{"a,Named Scores\n1,2\n", "Status,Score,Named Scores\nPASS,1,\n", "log\n[PASS] a\n", "a,b\nx,[PASSED] y\n"} {
		if Sniff([]byte(text)) {
			t.Errorf("%q is no table of promptfoo", text)
		}
	}
}

// TestYAML: aliases, and documents that were made to break readers.
func TestYAML(t *testing.T) {
	const start = "evalId: e\nresults:\n  version: 3\n"
	const row = "    - testIdx: 0\n      promptIdx: 0\n      success: true\n"
	bomb := start + "  bomb:\n    - &a0 [x]\n"
	for i := range 40 {
		bomb += fmt.Sprintf("    - &a%d [*a%d, *a%d]\n", i+1, i, i)
	}
	cases := []struct {
		text        string
		lines, told []string
		reason      string
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
		if !Sniff([]byte(c.text)) || !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
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

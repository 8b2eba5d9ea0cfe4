package swebench

import (
	"slices"
	"testing"

	"tribunal/read/internal/readtest"
)

func TestReport(t *testing.T) {
	s := readtest.File(t, Read, "testdata/report.json")
	want := []string{"django__django-1 #0 pass resolved", "django__django-2 #0 fail unresolved", "sympy__sympy-3 #0 fail unresolved",
		"sympy__sympy-4 #0 fail empty_patch", "sympy__sympy-5 #0 error", "sympy__sympy-6 #0 skip incomplete"}
	if !slices.Equal(s.Lines(), want) || len(s.Problems) != 0 || s.Trials[3].Message != "empty patch" {
		t.Errorf("%q, %v", s.Lines(), s.Problems)
	}
}

func TestShapes(t *testing.T) {
	cases := []struct {
		text        string
		lines, told []string
		reason      string
	}{
		{`{"resolved_ids":["a"],"completed_ids":["a","b"]}`, []string{"a #0 pass resolved", "b #0 fail completed"}, nil, "no unresolved_ids, as in the first schema"},
		{`{"completed_ids":["a"],"unresolved_ids":null}`, nil, nil, "nobody says who was resolved"},
		{`{"resolved_ids":["a","a"],"unresolved_ids":["a"]}`, []string{"a #0 pass resolved"}, nil, "an id twice is one instance"},
		{`{"unresolved_ids":["a"],"resolved_ids":["b"`, nil, []string{"truncated-line 1:44"}, "cut off before it is known whether a was resolved"},
		{`{"resolved_ids":["b"],"unresolved_ids":["a"],"err`, []string{"a #0 fail unresolved", "b #0 pass resolved"}, []string{"truncated-line 1:50"}, "cut off behind that"},
		{`{"resolved_ids":["b",{},7,""],"unresolved_ids":3}`, []string{"7 #0 pass resolved", "b #0 pass resolved"}, []string{"ignored-field 1:17", "malformed-record 1:48"}, "what is no id, and no list"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v", c.reason, s.Lines(), s.Told(), s.Problems)
		}
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"total_instances":1,"submitted_instances":1,"resolved_instances":1,"completed_ids":["a`, true, "cut in the first list"},
		{`{"results":[],"n_resolved":0,"resolved_ids":[],"unresolved_ids":[]}`, false, "Terminal-Bench"},
		{`{"resolved_ids":[]}`, false, "too little to tell"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzSWEBench(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }

package swebench

import (
	"slices"
	"strings"
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

// TestReal: the counts are those that the report gives of itself; of what was not
// submitted it has three.
func TestReal(t *testing.T) {
	s := readtest.File(t, Read, "testdata/v2_claude-haiku-4-5.json")
	if got := s.Counts(); got != "53 tests, 53 trials: 32 pass, 17 fail, 1 error, 3 skip, 0 retries" || len(s.Problems) > 0 {
		t.Errorf("%s %v", got, s.Problems)
	}
}

func TestInstances(t *testing.T) {
	const begins = `{"a":{"patch_is_None":`
	for _, c := range []struct {
		text, line, message string
		checks              []string
		told, reason        string
	}{
		{string(readtest.Bytes(t, "testdata/instance_django__django-15127.json")), "django__django-15127 #0 pass resolved", "", []string{"FAIL_TO_PASS: pass 1", "PASS_TO_PASS: pass 1"}, "", "resolved"},
		{string(readtest.Bytes(t, "testdata/instance_sympy__sympy-23413.json")), "sympy__sympy-23413 #0 fail unresolved", "not resolved: 1 of 1 FAIL_TO_PASS tests failed", []string{"FAIL_TO_PASS: fail 0 (1 of 1 failed: test_hermite_normal)", "PASS_TO_PASS: pass 1"}, "", "unresolved"},
		{begins + `true,"patch_exists":false,"resolved":false}}`, "a #0 fail empty_patch", "empty patch", nil, "", "nothing handed in"},
		{begins + `false,"patch_exists":true,"patch_successfully_applied":false,"resolved":false}}`, "a #0 fail unresolved", "not resolved: the patch did not apply", nil, "", "no patch"},
		{begins + `false,"resolved":true,"tests_status":{"FAIL_TO_PASS":7,"PASS_TO_PASS":{"success":[{}]}}}}`, "a #0 pass resolved", "", []string{"PASS_TO_PASS: pass 1"}, "", "odd lists"},
		{begins + `false}}`, "", "", nil, "malformed-record 1:6", "no verdict"},
		{begins + `false,"resolved":"yes"}}`, "", "", nil, "malformed-record 1:6", "a verdict that is none"},
		{begins + `false,"resolved":true,"tests_st`, "", "", nil, "truncated-line 1:54", "cut off"},
	} {
		s := readtest.Text(t, Read, c.text)
		if got := strings.Join(s.Lines(), "; "); got != c.line || (c.told != "" || len(s.Problems) > 0) && !slices.Contains(s.Told(), c.told) {
			t.Errorf("%s: %q %q %v", c.reason, got, s.Told(), s.Problems)
		} else if c.line != "" && (s.Trials[0].Message != c.message || !slices.Equal(readtest.Checks(s.Trials[0]), c.checks)) {
			t.Errorf("%s: %q %q", c.reason, s.Trials[0].Message, readtest.Checks(s.Trials[0]))
		}
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
		{`{"total_instances":9,"submitted_instances":2,"resolved_instances":1,"completed_ids":["a","b"],"resolved":["a"],"unresolved_ids":["b"]}`, []string{"a #0 pass resolved", "b #0 fail unresolved"}, nil, "the reports of Multi-SWE-bench of 2024 call the list of resolved instances so"},
		{`{"resolved":1,"resolved_ids":["a"],"unresolved_ids":[]}`, []string{"a #0 pass resolved"}, nil, "and others a count"},
		{`{"submitted_ids":["a","b","c"],"resolved_ids":["a"],"pending_ids":["b"],"failed_ids":["c"]}`, []string{"a #0 pass resolved", "b #0 error pending pre-validation", "c #0 error failed"}, nil, "sb-cli: what is pending, or could not be evaluated, is in no other list"},
		{`{"total_instances":1,"submitted_instances":3,"submitted_ids":["a","b","c"],"completed_ids":["a"],"resolved_ids":["a"]}`, []string{"a #0 pass resolved"}, nil, "SWE-bench with --instance_ids: more was handed in than was to be evaluated"},
		{`{"total_instances":9,"submitted_instances":3,"resolved_instances":1,"unresolved_instances":1,"error_instances":1,"resolved_ids":["a"]}`, []string{"a #0 pass resolved", "[run] #0 error infrastructure"}, nil, "failures that are in no list"},
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
		{`{"astropy__astropy-1": {"patch_is_None": false, "pat`, true, "the report of an instance"},
		{`{"patch_is_None": false, "resolved": true}`, false, "the same without its id"},
		{`{"astropy__astropy-1": {"model_name_or_path": "m"}}`, false, "predictions"},
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

package pytest

import (
	"fmt"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestPhases(t *testing.T) {
	ok := func(when string) Phase { return Phase{When: when, Outcome: "passed"} }
	bad := func(when, outcome string) Phase {
		return Phase{When: when, Outcome: outcome, Message: "E: " + when}
	}
	cases := []struct {
		phases []Phase
		want   string
		reason string
	}{
		{[]Phase{ok("setup"), ok("call"), ok("teardown")}, "pass passed  ", "all is well"},
		{[]Phase{ok("setup"), bad("call", "failed"), ok("teardown")}, "fail failed  E: call", "the test failed"},
		{[]Phase{ok("setup"), bad("call", "rerun")}, "fail rerun  E: call", "and is run again"},
		{[]Phase{bad("setup", "failed"), ok("teardown")}, "error failed  E: setup", "a fixture broke, which is the suite's own"},
		{[]Phase{bad("collect", "failed")}, "error failed pre-validation E: collect", "a file did not load"},
		{[]Phase{ok("setup"), ok("call"), bad("teardown", "failed")}, "error failed  E: teardown", "it ran, and cleaning up failed"},
		{[]Phase{ok("setup"), bad("call", "failed"), bad("teardown", "failed")}, "fail failed  E: call", "the first failure says why"},
		{[]Phase{{When: "setup", Outcome: "skipped", Message: "no key"}, ok("teardown")}, "skip skipped  no key", "a skip"},
		{[]Phase{ok("setup"), {When: "call", Outcome: "skipped", XFail: true, Message: "known"}, ok("teardown")}, "skip xfailed  known", "failed as marked: no pass and no failure"},
		{[]Phase{ok("setup"), {When: "call", Outcome: "passed", XFail: true}, ok("teardown")}, "pass xpassed  ", "passed in spite of the mark"},
		{[]Phase{ok("setup"), {When: "call", Outcome: "failed", Message: "Failed: Timeout >1.0s"}}, "fail failed timeout Failed: Timeout >1.0s", "pytest-timeout"},
		{[]Phase{bad("???", "failed")}, "error failed crash E: ???", "a worker of xdist crashed in the test"},
		{[]Phase{ok("setup")}, "error  infrastructure the test was set up and never ran", "the process died"},
		{[]Phase{ok("setup"), {When: "call", Outcome: "what"}}, "error what  failed without a message", "an outcome nobody knows"},
	}
	for _, c := range cases {
		s, got := Phases{}, envelope.Trial{}
		for _, p := range c.phases {
			s.Add(p)
		}
		s.Fill(&got)
		if line := fmt.Sprintf("%s %s %s %s", got.Status, got.RawStatus, got.ErrorClass, got.Message); line != c.want {
			t.Errorf("%s: %q, want %q", c.reason, line, c.want)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range [][3]string{
		{"a/test_x.py::test_a", "a/test_x.py", "test_a"},
		{"test_x.py::TestC::test_a[x::y]", "test_x.py", "TestC::test_a[x::y]"},
		{"test_x.py", "test_x.py", "[file]"},
		{"", "", "[run]"},
	} {
		if file, test := Split(c[0]); file != c[1] || test != c[2] {
			t.Errorf("%q: %q %q", c[0], file, test)
		}
	}
}

func TestRepeat(t *testing.T) {
	cases := []struct{ name, stem, reason string }{
		{"test_a[2-5]", "test_a", "a repeat"},
		{"test_a[x-2-5]", "test_a[x]", "behind a parameter"},
		{"test_a[x-y-2-5]", "test_a[x-y]", "behind two"},
		{"test_a", "", "no parameters"},
		{"test_a[5]", "", "one number"},
		{"test_a[6-5]", "", "more than there are"},
		{"test_a[0-5]", "", "repeats count from 1"},
		{"test_a[1-1]", "", "one repeat is none"},
		{"test_a[02-5]", "", "not written by pytest-repeat"},
		{"test_a[-5]", "", "a negative number"},
		{"test_a-2-5]", "", "no bracket"},
		{"[2-5]", "", "a name must be left"},
		{"test_a[1-99999999999999999999]", "", "no number of repeats"},
	}
	for _, c := range cases {
		if stem, _, _, ok := Repeat(c.name); ok != (c.stem != "") || stem != c.stem {
			t.Errorf("%s: %q gives %q %v", c.reason, c.name, stem, ok)
		}
	}
}

func TestRepeatsAndParameters(t *testing.T) {
	cases := []struct {
		names  []string
		marks  []string
		want   []string
		reason string
	}{
		{[]string{"a[1-2]", "a[2-2]"}, nil, []string{"a #0 pass", "a #1 pass"}, "pytest --count=2"},
		{[]string{"a[1-3]"}, nil, []string{"a #0 pass"}, "stopped early: without parameters of its own there is no doubt"},
		{[]string{"a[x-1-2]", "a[x-2-2]", "a[y-1-2]"}, []string{"parametrize"}, []string{"a[x] #0 pass", "a[x] #1 pass", "a[y-1-2] #0 pass"}, "all repeats are there; where they are not, the names stay"},
		{[]string{"a[1-3]", "a[2-3]"}, []string{"parametrize"}, []string{"a[1-3] #0 pass", "a[2-3] #0 pass"}, "two numbers as parameters"},
		{[]string{"a[x-1-3]"}, []string{"parametrize", "repeat"}, []string{"a[x] #0 pass"}, "the mark of pytest-repeat"},
		{[]string{"a[1-2]", "a[1-3]", "a[2-2]"}, []string{"parametrize"}, []string{"a[1-2] #0 pass", "a[1-3] #0 pass", "a[2-2] #0 pass"}, "numbers that do not agree"},
	}
	for _, c := range cases {
		s := &readtest.Sink{}
		ts := NewTests(s)
		for _, name := range c.names {
			ts.Trial(envelope.Trial{Key: envelope.Key{Test: name}, Status: envelope.Pass}, func(m string) bool { return slices.Contains(c.marks, m) })
		}
		ts.Finish()
		if !slices.Equal(s.Lines(), c.want) {
			t.Errorf("%s: %q, want %q", c.reason, s.Lines(), c.want)
		}
	}
}

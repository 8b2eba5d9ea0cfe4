package standing

import (
	"testing"

	"tribunal/envelope"
)

func TestEvidence(t *testing.T) {
	for _, c := range []struct {
		passed, counted    int
		reason, want, says string
	}{
		{8, 20, "", "8 of 20 trials passed", "no reason"},
		{8, 20, "all must pass", "8 of 20 trials passed: all must pass", "a reason without numbers"},
		{8, 20, "8 of 20 trials passed; one is enough", "8 of 20 trials passed; one is enough", "nothing is said twice"},
		{18, 20, "8 of 20 trials passed before the limit", "18 of 20 trials passed: 8 of 20 trials passed before the limit", "other numbers"},
		{0, 0, "no trial counts: 4 trials excluded", "no trial counts: 4 trials excluded", "no trial, no tally"},
	} {
		test := envelope.Test{Trials: envelope.TrialCounts{Passed: c.passed, Counted: c.counted}, Verdict: &envelope.Verdict{Reason: c.reason}}
		if got := Evidence(&test); got != c.want {
			t.Errorf("%s: %q, want %q", c.says, got, c.want)
		}
	}
}

func TestWhyBroken(t *testing.T) {
	warning := envelope.Problem{Severity: envelope.SeverityWarning, Message: "noise"}
	cut := envelope.Problem{Severity: envelope.SeverityError, Input: "a.json", Line: 3, Column: 7, Message: "the file ends in the middle"}
	for _, c := range []struct {
		reasons  []string
		problems []envelope.Problem
		want     string
		reason   string
	}{
		{[]string{"no trials", "a gate"}, []envelope.Problem{warning, cut}, cut.String(), "an error has its place, and comes before what follows from it"},
		{[]string{"no trials", "a gate"}, []envelope.Problem{warning}, "no trials", "a warning breaks nothing"},
		{nil, nil, "the run is broken", "nobody says why"},
	} {
		if got := WhyBroken(c.reasons, c.problems); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestBroken(t *testing.T) {
	cut := []envelope.Problem{{Severity: envelope.SeverityError, Input: "a.json", Line: 3, Message: "the file ends in the middle"}}
	test := []envelope.Test{{}}
	for _, c := range []struct {
		reason string
		run    envelope.Envelope
		want   string
	}{
		{"nothing is wrong", envelope.Envelope{Tests: test}, ""},
		{"a test in error is no broken run", envelope.Envelope{Tests: test, Gate: envelope.Gate{Status: envelope.Fail}}, ""},
		{"a strict policy takes it for nothing", envelope.Envelope{Tests: test, Gate: envelope.Gate{Status: envelope.Error, Reasons: []string{"NOTHING JUDGED: every test was skipped"}}},
			"NOTHING JUDGED: every test was skipped"},
		{"an error beside a test that was judged", envelope.Envelope{Tests: test, Problems: cut, Gate: envelope.Gate{Status: envelope.Fail, InputErrors: 1}},
			"1 error in the input: a.json:3: error: the file ends in the middle"},
		{"no test was read at all", envelope.Envelope{Problems: cut, Gate: envelope.Gate{Status: envelope.Error, InputErrors: 2}},
			"no test was judged: a.json:3: error: the file ends in the middle"},
	} {
		if got := Broken(&c.run); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestUnheld(t *testing.T) {
	held := envelope.GateResult{Name: "cheap", Status: envelope.Pass, Saw: "summary.cost_usd = 1"}
	unheld := envelope.GateResult{Name: "quick", Status: envelope.Fail, Saw: "summary.duration_ms = 9000"}
	undecided := envelope.GateResult{Name: "run", Status: envelope.Inconclusive, Saw: "80 %"}
	treated := "3 tests are inconclusive" + envelope.TreatedAsFailed
	for _, c := range []struct {
		reason string
		gate   envelope.Gate
		want   string
	}{
		{"no gate", envelope.Gate{}, ""},
		{"what holds, and what is not decided", envelope.Gate{Gates: []envelope.GateResult{held, undecided}}, ""},
		{"tests that failed show it themselves", envelope.Gate{Status: envelope.Fail, Reasons: []string{"2 tests failed", "1 test errored"}}, ""},
		{"an exit code of its own is no failure", envelope.Gate{Status: envelope.Inconclusive, Reasons: []string{"3 tests are inconclusive"}}, ""},
		{"a gate, and what the policy says", envelope.Gate{Gates: []envelope.GateResult{held, unheld}, Reasons: []string{"2 tests failed", treated}},
			"gate quick does not hold: summary.duration_ms = 9000; 3 tests are inconclusive, which this policy treats as failed"},
	} {
		if got := Unheld(&c.gate); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestGroupOf(t *testing.T) {
	for _, c := range []struct {
		test   envelope.Test
		want   Group
		reason string
	}{
		{envelope.Test{Status: envelope.Fail}, Failed, "a failure"},
		{envelope.Test{Status: envelope.Fail, Flaky: true}, Failed, "a failure that passed at times is a failure"},
		{envelope.Test{Status: envelope.Fail, Quarantined: true}, Quarantined, "a failure that is known"},
		{envelope.Test{Status: envelope.Inconclusive, Quarantined: true}, Quarantined, "whatever it is that did not pass"},
		{envelope.Test{Status: envelope.Error}, Errored, "an error"},
		{envelope.Test{Status: "of tomorrow"}, Errored, "a status that is not known"},
		{envelope.Test{Status: envelope.Inconclusive}, Undecided, "undecided"},
		{envelope.Test{Status: envelope.Pass, Flaky: true}, Flaky, "a pass that failed at times"},
		{envelope.Test{Status: envelope.Pass, Flaky: true, Quarantined: true}, Flaky, "quarantine changes no pass"},
		{envelope.Test{Status: envelope.Pass}, Passed, "a plain pass"},
		{envelope.Test{Status: envelope.Skip, Quarantined: true}, Skipped, "not run at all"},
	} {
		if got := GroupOf(&c.test); got != c.want {
			t.Errorf("%s: group %d, want %d", c.reason, got, c.want)
		}
	}
}

func TestUnescaped(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{`{"city":"Z\u00fcrich","\u6771\u4eac":"\uD83D\ude4f"}`, `{"city":"Zürich","東京":"🙏"}`, "letters, names of members, a pair for one letter"},
		{`["a\\u00fc","\"\u00fc\n\t"]`, `["a\\u00fc","\"ü\n\t"]`, "an escaped backslash is no escape of what follows"},
		{`["\u0022","\u005c","\u0041"]`, `["\u0022","\u005c","\u0041"]`, "ASCII stays: quotes and backslashes must"},
		{`["\u0000\u001b[31m\u202e\u200b"]`, `["\u0000\u001b[31m\u202e\u200b"]`, "what cannot be seen stays"},
		{`["\ud83d","\ud83d\u0041","\ude4f\ud83d"]`, `["\ud83d","\ud83d\u0041","\ude4f\ud83d"]`, "halves of pairs stay"},
		{`C:\users\u00fc`, `C:\users\u00fc`, "no JSON"},
		{`{"a":"\u00f"}`, `{"a":"\u00f"}`, "no JSON"},
		{`"\ufffd"`, "\"\ufffd\"", "a replacement character is a letter like others"},
	} {
		if got := Unescaped(c.text); got != c.want {
			t.Errorf("%s: Unescaped(%s) = %s, want %s", c.reason, c.text, got, c.want)
		}
	}
}

// TestOrigin: traces as pytest, Python, Jest, Node, Go, Rust, .NET and Ruby write them.
func TestOrigin(t *testing.T) {
	const python = "Traceback (most recent call last):\n  File \"/builds/me/app/tests/test_a.py\", line 7, in test_a\n    pay()\n  File \"/builds/me/app/tests/test_a.py\", line 3, in pay\n    assert 0\n"
	const jest = "Error: no\n    at Object.<anonymous> (src/pay.test.js:12:9)\n    at run (src/helper.js:40:2)\n    at new Promise (node_modules/jest/x.js:1:1)"
	for _, c := range []struct {
		reason, file, trace, want string
		line, wantLine            int
	}{
		{"pytest names the place last", "", "def test_a():\n>   assert 0\ntests/test_a.py:4: in test_a\n    pay()\nsrc/pay.py:9: AssertionError", "src/pay.py", 0, 9},
		{"the file of the test is known", "tests/test_a.py", "tests/test_a.py:4: in test_a\n    pay()\nsrc/pay.py:9: AssertionError", "tests/test_a.py", 1, 4},
		{"an absolute path of the test's file, the innermost frame of Python", "tests/test_a.py", python, "tests/test_a.py", 1, 3},
		{"an absolute path that nobody knows the root of", "", python, "", 0, 0},
		{"the innermost frame of Jest is the first", "", jest, "src/pay.test.js", 0, 12},
		{"only code of others", "", "at x (node_modules/jest/x.js:1:1)", "", 0, 0},
		{"Go names a file of the package", "pkg/a_test.go", "    a_test.go:31: got 1, want 2", "pkg/a_test.go", 20, 31},
		{"a file without a folder is somewhere", "", "    a_test.go:31: got 1, want 2", "", 0, 0},
		{".NET", "src/T.cs", "at T.Pays() in /home/runner/src/T.cs:line 12", "src/T.cs", 1, 12},
		{"Ruby", "", "# ./spec/a_spec.rb:12:in 'block'", "spec/a_spec.rb", 0, 12},
		{"Rust", "", "thread 't' panicked at crates/a/src/lib.rs:10:5:\nno", "crates/a/src/lib.rs", 0, 10},
		{"above the repository", "", "../other/a.py:3: E", "", 0, 0},
		{"an address is no place", "a.py", "GET http://example.com:80/x failed", "a.py", 5, 5},
	} {
		of := envelope.Test{File: c.file, Line: c.line, Details: []envelope.Detail{
			{Status: envelope.Pass, Output: "src/never.py:1: passed"}, {Status: envelope.Fail, Message: "no", Output: c.trace}}}
		if file, line := Origin(&of); file != c.want || line != c.wantLine {
			t.Errorf("%s: %s:%d, want %s:%d", c.reason, file, line, c.want, c.wantLine)
		}
	}
}

func TestCounts(t *testing.T) {
	cases := []struct {
		summary envelope.Summary
		want    string
		reason  string
	}{
		{envelope.Summary{}, "0 passed, 0 failed", "passed and failed are always told"},
		{envelope.Summary{Counts: envelope.Counts{Tests: 10, Pass: 3, Fail: 1, Error: 1, Skip: 2, Inconclusive: 3}, Flaky: 4},
			"3 passed, 1 failed, 1 error, 2 skipped, 3 inconclusive; 4 flaky", "everything, one error"},
		{envelope.Summary{Counts: envelope.Counts{Error: 2}}, "0 passed, 0 failed, 2 errors", "errors have a plural"},
	}
	for _, c := range cases {
		if got := Counts(&envelope.Envelope{Summary: c.summary}); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestMark(t *testing.T) {
	for status, want := range map[envelope.Status]string{envelope.Pass: "PASS", envelope.Fail: "FAIL", envelope.Inconclusive: "UNDECIDED",
		envelope.Error: "ERROR", envelope.Skip: "SKIP", "of tomorrow": "ERROR"} {
		if got := Mark(status); got != want {
			t.Errorf("%q is %s, want %s", status, got, want)
		}
	}
}

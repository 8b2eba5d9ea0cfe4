package standing

import (
	"testing"

	"tribunal/envelope"
)

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
		{"a strict policy takes it for nothing", envelope.Envelope{Tests: test, Gate: envelope.Gate{Status: envelope.Error, Reasons: []string{"NOTHING JUDGED: the only test was skipped"}}},
			"NOTHING JUDGED: the only test was skipped"},
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

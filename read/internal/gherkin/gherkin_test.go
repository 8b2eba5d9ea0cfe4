package gherkin

import (
	"testing"

	"tribunal/envelope"
)

func TestTheWorstStepDecides(t *testing.T) {
	cases := []struct {
		steps        []string
		status       envelope.Status
		class, raw   string
		message, why string
	}{
		{nil, envelope.Skip, "empty-run", "", "no step says why", "no steps"},
		{[]string{"PASSED", "PASSED"}, envelope.Pass, "", "PASSED", "", "all passed"},
		{[]string{"passed", "failed", "skipped"}, envelope.Fail, "", "failed", "m1", "what is behind a failure is skipped"},
		{[]string{"failed", "failed"}, envelope.Fail, "", "failed", "m0", "the first of them says why"},
		{[]string{"PASSED", "UNDEFINED", "SKIPPED"}, envelope.Error, "pre-validation", "UNDEFINED", "m1", "nobody wrote the step"},
		{[]string{"AMBIGUOUS", "UNDEFINED"}, envelope.Error, "pre-validation", "AMBIGUOUS", "m0", "two wrote it"},
		{[]string{"PENDING", "SKIPPED"}, envelope.Skip, "", "PENDING", "m0", "not ready"},
		{[]string{"PASSED", "SKIPPED"}, envelope.Skip, "", "SKIPPED", "m1", "skipped by itself"},
		{[]string{"passed", "error", "skipped"}, envelope.Error, "", "error", "m1", "behave: an exception that is no assertion"},
		{[]string{"UNKNOWN"}, envelope.Error, "", "UNKNOWN", "m0", "nobody knows"},
		{[]string{"exploded"}, envelope.Error, "", "exploded", "m0", "a word nobody knows"},
		{[]string{"passed", "timedout", "skipped"}, envelope.Error, "", "timedout", "m1", "nor behind a step that passed"},
		{[]string{"PASSED", "UNKNOWN", "PASSED"}, envelope.Error, "", "UNKNOWN", "m1", "TestStepResultStatus of cucumber/messages has it, and no step that passed does"},
		{[]string{"exploded", "failed"}, envelope.Fail, "", "failed", "m1", "a failure says more"},
	}
	for _, c := range cases {
		s, got := Steps{}, envelope.Trial{}
		for i, status := range c.steps {
			s.Add(status, "m"+string(rune('0'+i)), "")
		}
		if s.Fill(&got); got.Status != c.status || got.ErrorClass != c.class || got.RawStatus != c.raw || got.Message != c.message {
			t.Errorf("%s: %q gives %s %q %q %q", c.why, c.steps, got.Status, got.ErrorClass, got.RawStatus, got.Message)
		}
	}
}

func TestAStepWithoutAMessageIsNamed(t *testing.T) {
	s, got := Steps{}, envelope.Trial{}
	s.Add("UNDEFINED", "", "there is no such step")
	if s.Fill(&got); got.Message != "undefined: there is no such step" {
		t.Errorf("%q", got.Message)
	}
}

func TestNames(t *testing.T) {
	n := Names{}
	for _, s := range []struct {
		name string
		line int
	}{{"a", 3}, {"b", 5}, {"b", 6}, {"b", 5}} {
		n.Add(s.name, s.line)
	}
	for _, c := range []struct {
		name string
		line int
		want string
	}{{"a", 3, "a"}, {"b", 5, "b (example 1)"}, {"b", 6, "b (example 2)"}, {"c", 1, "c"}, {"", 4, "(line 4)"}} {
		if got := n.Of(c.name, c.line); got != c.want {
			t.Errorf("%s at %d is %q, want %q", c.name, c.line, got, c.want)
		}
	}
}

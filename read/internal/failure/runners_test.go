package failure

import (
	"testing"

	"tribunal/envelope"
)

func TestTimedOut(t *testing.T) {
	for _, c := range []struct {
		message string
		want    bool
		reason  string
	}{
		{"thrown: \"Exceeded timeout of 5000 ms for a test.\nAdd a timeout value", true, "Jest 29, JSON"},
		{"Error: thrown: \"Exceeded timeout of 30 ms for a hook.", true, "Jest 30.5.2"},
		{"Error: Test timed out in 30ms.\nIf this is a long-running test", true, "Vitest 2.1.9, JSON"},
		{"Hook timed out in 10ms.", true, "Vitest, a hook"},
		{"Timeout of 20ms exceeded. For async tests and hooks, ensure", true, "Mocha 12.0.3"},
		{"Test timeout of 100ms exceeded.", true, "Playwright 1.65.1"},
		{"Error: function timed out, ensure the promise resolves within 5000 milliseconds", true, "cucumber-js 12.9.0"},
		{"test timed out after 20ms", true, "node 20"},
		{"Failed: Timeout (>1.0s) from pytest-timeout.", true, "pytest-timeout"},
		{"expect(log).toContain(\"Test timed out in 30ms\")", false, "words of a test"},
		{"Timeout", false, "a word anybody may write"},
		{"", false, "nothing"},
	} {
		if got := TimedOut(c.message); got != c.want {
			t.Errorf("TimedOut(%q) = %t: %s", c.message, got, c.reason)
		}
	}
}

func TestOfNode(t *testing.T) {
	for _, c := range []struct {
		failureType string
		status      envelope.Status
		class       string
		reason      string
	}{
		{"testTimeoutFailure", envelope.Fail, envelope.ClassTimeout, "it ran too long"},
		{"cancelledByParent", envelope.Error, envelope.ClassInfrastructure, "it did not end"},
		{"hookFailed", envelope.Error, envelope.ClassPreValidation, "it did not start"},
		{"testCodeFailure", envelope.Fail, "own", "the test itself: what was known stays"},
		{"", envelope.Fail, "own", "no word"},
	} {
		got := envelope.Trial{Status: envelope.Fail, ErrorClass: "own"}
		OfNode(&got, c.failureType)
		if got.Status != c.status || got.ErrorClass != c.class {
			t.Errorf("%q: %s %q: %s", c.failureType, got.Status, got.ErrorClass, c.reason)
		}
	}
}

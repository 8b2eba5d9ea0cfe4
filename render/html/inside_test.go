package html

import (
	"testing"

	"tribunal/envelope"
)

// A check that fails is explained by a trial in which it failed: graders give reasons
// for what they like as well.
func TestReasonOfAFailingCheck(t *testing.T) {
	test := envelope.Test{Rows: &envelope.Rows{}}
	var inside envelope.Inside
	for i, given := range []envelope.Outcome{envelope.Passed, envelope.Errored, envelope.Failed} {
		inside.Checks.Set(i, "polite", envelope.Checked{Given: envelope.Given(given)})
	}
	test.Rows.SetInside(inside)
	test.Rows.ClassifyChecks(envelope.CountingRules{})
	test.Details = []envelope.Detail{{Trial: 0, Reasons: map[string]string{"polite": "says please"}}, {Trial: 1, Reasons: map[string]string{}}, {Trial: 2, Reasons: map[string]string{"polite": "shouts"}}}
	if got, want := newCheckLine(&test, "polite", envelope.CheckRate{N: 3, Passed: 1}).Why, "Trial 3: shouts"; got != want {
		t.Errorf("the check fails for %q, want %q", got, want)
	}
}

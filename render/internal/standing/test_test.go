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

package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
)

// TestCheckUsed: a value that no rule in force looks at is refused by name, and
// one that any of them looks at is not.
func TestCheckUsed(t *testing.T) {
	threshold := envelope.Policy{Threshold: envelope.Some(0.9)}
	for _, c := range []struct {
		reason       string
		layer, whole envelope.Policy
		says         string
	}{
		{"no rule is named", threshold, envelope.Policy{}, "threshold has no effect with rule all; use a rule that reads it: "},
		{"a rule that judges counts", threshold, envelope.Policy{Rule: "majority"}, "rule majority"},
		{"a rule that holds it", threshold, envelope.Policy{Rule: "wilson"}, ""},
		{"a rule about scores", threshold, envelope.Policy{Rule: "mean"}, ""},
		{"only the rule for retries holds it", threshold, envelope.Policy{Rule: "all", RetryRule: "wilson"}, ""},
		{"only an override holds it", threshold, envelope.Policy{Rule: "all", Overrides: []envelope.Override{{Match: "a", Policy: envelope.Policy{Rule: "exact"}}}}, ""},
		{"no override holds it", threshold, envelope.Policy{Rule: "all", Overrides: []envelope.Override{{Match: "a", Policy: envelope.Policy{Rule: "any"}}}}, "threshold has no effect"},
		{"a gap without two hypotheses", envelope.Policy{Gap: envelope.Some(0.2)}, envelope.Policy{Rule: "wilson"}, "use a rule that reads it: "},
		{"the sequential rules have them", envelope.Policy{Gap: envelope.Some(0.2)}, envelope.Policy{Rule: "wilson"}, "anytime"},
		{"a least number without three ways", envelope.Policy{MinTrials: envelope.Some(9)}, envelope.Policy{Rule: "all"}, "min_trials has no effect"},
		{"errors of a rule without any", envelope.Policy{Alpha: envelope.Some(0.1), Beta: envelope.Some(0.1)}, envelope.Policy{Rule: "bayes"}, "beta has no effect"},
		{"in an override", envelope.Policy{Overrides: []envelope.Override{{Match: "s/*", Policy: threshold}}}, envelope.Policy{Rule: "all"}, "override 1 (s/*): threshold has no effect"},
		{"in an override with its rule", envelope.Policy{Overrides: []envelope.Override{{Match: "s/*", Policy: envelope.Policy{Rule: "wald", Threshold: envelope.Some(0.5)}}}}, envelope.Policy{Rule: "all"}, ""},
		{"an unknown rule is said elsewhere", threshold, envelope.Policy{Rule: "wilso"}, ""},
		{"what every rule looks at", envelope.Policy{Confidence: envelope.Some(0.9)}, envelope.Policy{Rule: "all"}, ""},
	} {
		err := CheckUsed(c.layer, c.whole)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.says)
		}
	}
}

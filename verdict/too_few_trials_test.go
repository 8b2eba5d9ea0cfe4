package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/policy"
	"tribunal/verdict/rule"
)

// TestTooFewTrials: 35 straight passes are the fewest that Wilson at 95 % puts
// above 0.90, 14 those of the sequential test against 0.80.
func TestTooFewTrials(t *testing.T) {
	wilson := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)}
	sprt := envelope.Policy{Rule: "sprt", Threshold: envelope.Some(0.9)}
	with := func(p, more envelope.Policy) envelope.Policy { return policy.Fill(more, p) }
	for _, c := range []struct {
		reason string
		policy envelope.Policy
		strip  string
		says   string // "" for no warning
	}{
		{"34 passes are one too few", wilson, repeat("P", 34), "35 trials"},
		{"35 can pass", wilson, repeat("P", 35), ""},
		{"35 could have passed", wilson, repeat("F", 35), ""},
		{"a fail under a rule that cannot pass either", wilson, repeat("F", 10), "35 trials"},
		{"left out trials could have counted", wilson, repeat("P", 30) + repeat("x", 5), ""},
		{"the minimum is what is missing", envelope.Policy{Rule: "wald"}, "PPP", "min_trials 5"},
		{"a sequential test may go on", sprt, repeat("P", 13), "14 trials"},
		{"one that failed early stopped for that", sprt, "FFFF", ""},
		{"all passes with one", envelope.Policy{}, "P", ""},
		{"scores have no counts", envelope.Policy{Rule: "t-interval", Threshold: envelope.Some(0.5)}, "PP", ""},
		{"a later minimum of a sequential test", with(sprt, envelope.Policy{MinTrials: envelope.Some(20)}), repeat("P", 15), "20"},
	} {
		env, err := sealAll(map[string]string{"s/t": c.strip}, c.policy)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, p := range env.Problems {
			if p.Code == envelope.CodeTooFew {
				found = append(found, p.Message)
			}
		}
		if c.says == "" && len(found) == 0 || len(found) == 1 && c.says != "" && strings.Contains(found[0], c.says) {
			continue
		}
		t.Errorf("%s: %q, want one warning of %q", c.reason, found, c.says)
	}
}

// TestCountsAgreeWithTheRule: what a rule says of counts is what it says of a
// test that has them.
func TestCountsAgreeWithTheRule(t *testing.T) {
	for _, by := range rule.Table {
		p, err := Resolve(envelope.Policy{Rule: by.Name, Threshold: envelope.Some(0.8)})
		if err != nil {
			t.Fatal(err)
		}
		decide := DecideFor(p)
		if decide == nil {
			continue
		}
		for n := 1; n <= 24; n++ {
			for passed := range n + 1 {
				// Failures last: a sequential rule that has not passed at its
				// last pass sees the rest one by one.
				env, err := sealAll(map[string]string{"s/t": repeat("P", passed) + repeat("F", n-passed)}, p.Policy)
				if err != nil {
					t.Fatal(err)
				}
				got := env.Tests[0]
				if by.Sequential && got.Verdict.StoppedAt.OK && got.Verdict.StoppedAt.V != n {
					continue
				}
				if want := rule.StatusOf(decide(passed, n-passed)); got.Status != want {
					t.Fatalf("%s: %d of %d is %s, counts say %s", by.Name, passed, n, got.Status, want)
				}
			}
		}
	}
}

package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
)

func TestExplainSaysWhatWouldChangeTheVerdict(t *testing.T) {
	for _, c := range []struct {
		reason, strip string
		policy        envelope.Policy
		says          []string
	}{
		{"34 straight passes at 0.90: Wilson needs 35", repeat("P", 34), rule("wilson", 0.9),
			[]string{"t: INCONCLUSIVE", "wilson", "threshold 0.9", "1 more pass in a row and this is PASS"}},
		{"13 straight passes: sprt stops at 14", repeat("P", 13), rule("sprt", 0.9), []string{"1 more pass in a row and this is PASS", "gap 0.1"}},
		{"one failure: anytime rejects at two", "F", rule("anytime", 0.9), []string{"1 more failure in a row and this is FAIL"}},
		{"all passed: one failure ends it", "PPP", envelope.Policy{}, []string{"PASS", "1 more failure in a row and this is FAIL", "no number of further passes"}},
		{"a majority of one", "PPF", rule("majority", 0), []string{"1 more failure in a row and this is FAIL"}},
		{"lost: passes win it back", "FF", rule("majority", 0), []string{"3 more passes in a row and this is PASS"}},
		{"too few trials", "PP", rule("wald", 0.5), []string{"3 more passes in a row and this is PASS"}},
		{"left out", "PxS", envelope.Policy{}, []string{"left out: 1 infrastructure, 1 skip"}},
		{"skipped", "SS", envelope.Policy{}, []string{"run it"}},
	} {
		env, err := sealAll(map[string]string{"t": c.strip}, c.policy)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Explain(env, "t")
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		for _, want := range c.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", c.reason, want, got)
			}
		}
	}
}

func TestExplainFindsTheTest(t *testing.T) {
	env, err := sealAll(map[string]string{"a/x": "P", "b/x": "P", "b/only": "F"}, envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, says string }{{"a/x", "a/x: PASS"}, {"only", "b/only: FAIL"}} {
		if got, err := Explain(env, c.name); err != nil || !strings.HasPrefix(got, c.says) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	for _, c := range []struct{ name, says string }{{"x", "2 tests are called"}, {"b/onyl", "did you mean b/only"}, {"zzzzzzzz", "known are a/x, b/only, b/x"}} {
		if _, err := Explain(env, c.name); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

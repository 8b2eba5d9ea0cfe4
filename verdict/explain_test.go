package verdict

import (
	"fmt"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

func TestExplainSaysWhatWouldChangeTheVerdict(t *testing.T) {
	for _, c := range []struct {
		reason, strip string
		policy        envelope.Policy
		says          []string
	}{
		{"34 straight passes at 0.90: Wilson needs 35", repeat("P", 34), under("wilson", 0.9),
			[]string{"t: UNDECIDED", "wilson", "threshold 0.9", "1 more pass would make it PASS"}},
		{"13 straight passes: sprt stops at 14", repeat("P", 13), under("sprt", 0.9), []string{"1 more pass would make it PASS", "gap 0.1"}},
		{"one failure: anytime rejects at two", "F", under("anytime", 0.9), []string{"1 more failure would make it FAIL"}},
		{"all passed: one failure ends it", "PPP", envelope.Policy{}, []string{"PASS", "1 failure would make it FAIL"}},
		{"a majority of one", "PPF", under("majority", 0), []string{"1 more failure would make it FAIL"}},
		{"lost: passes win it back", "FF", under("majority", 0), []string{"3 passes in a row would make it PASS"}},
		{"too few trials", "PP", under("wald", 0.5), []string{"3 more passes in a row would make it PASS"}},
		{"at the minimum 5 of 20 fail (Wald 0.06 to 0.44) before 28 more pass: the first is said", repeat("F", 15), minimum(under("wald", 0.5), 20),
			[]string{"t: UNDECIDED", "5 passes in a row would make it FAIL", "5 more failures in a row would make it FAIL"}},
		{"beyond the trials tried one by one: 300 of 600 are won back by one", repeat("F", 300), under("majority", 0),
			[]string{"301 passes in a row would make it PASS"}},
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

func minimum(p envelope.Policy, n int) envelope.Policy {
	p.MinTrials = envelope.Some(n)
	return p
}

// Under Bonferroni over 20 tests a p-value must be below 0.025/20 to stand; that
// of 8 of 20 under Wald at 0.65 is not, though the test alone fails.
func TestExplainLooksAtTheTestAloneBeforeAdjusting(t *testing.T) {
	strips := map[string]string{"t": repeat("P", 8) + repeat("F", 12)}
	for _, c := range "abcdefghijklmnopqrs" {
		strips[string(c)] = repeat("P", 20)
	}
	policy := under("wald", 0.65)
	policy.Adjust = "bonferroni"
	env, err := sealAll(strips, policy)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Explain(env, "t")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"t: UNDECIDED", "without the adjustment (bonferroni) this test is FAIL; also without it:", "in a row would make it PASS"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "this is UNDECIDED") {
		t.Errorf("it says that the status becomes what it is:\n%s", got)
	}
}

func TestExplainKnowsThatTheMoneyIsSpent(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	for range 2 {
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass, CostUSD: envelope.Some(1.0)})
	}
	in.Close()
	env := sealBuilt(t, b, envelope.Policy{CostLimitUSD: envelope.Some(1.0)})
	got, err := Explain(env, "t")
	if err != nil || !strings.Contains(got, "the cost limit was reached, so they are not counted") || strings.Contains(got, "in a row") || strings.Contains(got, "no number") {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestExplainBeginsWithTheFirstFailure, and advises a rate only where a trial passed.
func TestExplainBeginsWithTheFirstFailure(t *testing.T) {
	for first, advice := range map[envelope.Status]bool{envelope.Pass: true, envelope.Skip: false} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("s", "native")
		for _, status := range []envelope.Status{first, envelope.Fail, envelope.Fail} {
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: status, File: "t.py", Line: 7, Message: "wrong day", Output: "a\n\nb"})
		}
		in.Close()
		got, err := Explain(sealBuilt(t, b, envelope.Policy{}), "t")
		want := "t: FAIL\n  Failure:  trial 2: wrong day\n            t.py:7\n            a\n            b\n  Why:"
		if err != nil || !strings.HasPrefix(got, want) || strings.Contains(got, "--threshold 0.9") != advice {
			t.Errorf("first %s: %v\n%s", first, err, got)
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
	for _, c := range []struct{ name, says string }{{"x", "2 tests are called"}, {"b/onyl", `did you mean "b/only"`}, {"zzzzzzzz", `tests here: "a/x", "b/only", "b/x"`}} {
		if _, err := Explain(env, c.name); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestExplainKnowsRetries: a retry that passes mends its repeat, and no further repeat does.
func TestExplainKnowsRetries(t *testing.T) {
	const retry, others = "1 more retry that passes would make it PASS", " not retries"
	for _, c := range []struct {
		reason, strip string
		policy        envelope.Policy
		says, not     []string
	}{
		{"failed twice", "Ff", envelope.Policy{}, []string{"FAIL", retry, "no number of further passes that are not retries changes it"}, nil},
		{"the last of two repeats failed", "PFf", envelope.Policy{}, []string{"FAIL", retry}, nil},
		{"the first of two repeats failed for good", "FfP", envelope.Policy{}, []string{"FAIL", others}, []string{retry}},
		{"the last trial is excluded, and would be what is retried", "Ffx", envelope.Policy{}, []string{"FAIL", others}, []string{retry}},
		{"passed when retried", "Fr", envelope.Policy{}, []string{"PASS", "1 more failure that is not a retry would make it FAIL"}, []string{"more retry"}},
		{"a rule that was asked for knows no retries", "Ff", under("any", 0), []string{"1 pass would make it PASS"}, []string{retry, others}},
		{"nothing was retried", "F", envelope.Policy{}, []string{"FAIL"}, []string{retry, others}},
	} {
		env, err := sealAll(map[string]string{"t": c.strip}, c.policy)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Explain(env, "t")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", c.reason, want, got)
			}
		}
		for _, not := range c.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q is in\n%s", c.reason, not, got)
			}
		}
	}
}

// TestFindTest: a name that no test has is answered by those somebody may have meant, and by no more than a screen of them.
func TestFindTest(t *testing.T) {
	e := &envelope.Envelope{Tests: []envelope.Test{
		{Key: envelope.Key{Suite: "forecast", Test: "plans a picnic for the driest day"}},
		{Key: envelope.Key{Suite: "forecast", Test: "compares two cities"}},
		{Key: envelope.Key{Suite: "safety", Test: "keeps the key"}},
	}}
	for _, c := range []struct{ name, want, reason string }{
		{"picnic", `unknown test "picnic": did you mean "forecast/plans a picnic for the driest day"?`, "a word of it"},
		{"PICNIC", `unknown test "PICNIC": did you mean "forecast/plans a picnic for the driest day"?`, "in other letters"},
		{"compare two city", `unknown test "compare two city": did you mean "forecast/compares two cities"?`, "nearly its own name, without the suite"},
		{"zzz", `unknown test "zzz"; tests here: "forecast/plans a picnic for the driest day", "forecast/compares two cities", "safety/keeps the key"`, "nothing like it: all, as they are few"},
		{"", `unknown test ""; tests here: "forecast/plans a picnic for the driest day", "forecast/compares two cities", "safety/keeps the key"`, "no name is part of every one"},
	} {
		if _, err := FindTest(e, c.name); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
	if _, err := FindTest(&envelope.Envelope{}, "30"); err == nil || err.Error() != `unknown test "30": the input has no test` {
		t.Errorf("an input without tests: %v", err)
	}
	for i := range 500 {
		e.Tests = append(e.Tests, envelope.Test{Key: envelope.Key{Test: fmt.Sprintf("case %d", i)}})
	}
	if _, err := FindTest(e, "case"); err == nil || !strings.HasSuffix(err.Error(), `"case 2" and 497 more?`) {
		t.Errorf("many of them: %v", err)
	}
}

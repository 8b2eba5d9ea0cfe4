package verdict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/verdict/rule"
	"tribunal/policy"
)

// TestUnevenByChance: numbers that outcomes did not choose, whatever the rates of the tests,
// are called uneven at 0.05 about that often: 45 of 500 and more has probability 0.0001.
func TestUnevenByChance(t *testing.T) {
	draw, found := rand.New(rand.NewPCG(43, 4)), 0
	for range 500 {
		strips := map[string]string{}
		for i := range 20 {
			rate, strip := []float64{0.2, 0.9, 1}[draw.IntN(3)], ""
			for range 2 + draw.IntN(20) {
				strip += map[bool]string{true: "P", false: "F"}[draw.Float64() < rate]
			}
			strips[fmt.Sprint(i)] = strip
		}
		env, err := sealAll(strips, envelope.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		if uneven(env.Tests, 0.05) <= 0.05 {
			found++
		}
	}
	if found >= 45 {
		t.Error(found)
	}
}

// TestStarted: a run that started its trials says of which tests more than a fifth of them was excluded, 1 of 4 being
// more and 1 of 5 not, with both rates; and that outcomes decided how many there are.
func TestStarted(t *testing.T) {
	for _, c := range []struct {
		reason, outcomes string
		how              envelope.How
		code, says       string // "" for none
	}{
		{"1 of 4 excluded, 1 of 3 and 1 of 4 passed", "PFFX", envelope.EndedFull, envelope.CodeExcluded, "in 1 test more than a fifth of the trials is excluded; in \"t\", 33 % of the counted trials passed, 25 % of all"},
		{"1 of 5 is no more than a fifth", "PPFFX", envelope.EndedFull, "", ""},
		{"what was skipped was not tried", "PPFFXSSS", envelope.EndedFull, "", ""},
		{"nothing counts: no rate to be in doubt", "XX", envelope.EndedInfrastructure, "", ""},
		{"stopped", "PPF", envelope.EndedEarly, envelope.CodeByOutcome, "how many trials 1 test has, so"},
		{"at the verdict of a sequential rule", "FF", envelope.EndedDecided, envelope.CodeByOutcome, "pass rates are biased"},
		{"a limit is no outcome", "PPF", envelope.EndedCost, "", ""},
	} {
		env := journaled(t, envelope.Policy{Rule: "all"}, c.outcomes, int64(len(c.outcomes)), c.how)
		var found []envelope.Problem
		for _, p := range env.Problems {
			if p.Code == envelope.CodeExcluded || p.Code == envelope.CodeByOutcome {
				found = append(found, p)
			}
		}
		switch {
		case c.code == "" && len(found) == 0:
		case c.code == "" || len(found) != 1 || found[0].Code != c.code || !strings.Contains(found[0].Message, c.says):
			t.Errorf("%s: %v, want %s: %s", c.reason, found, c.code, c.says)
		case (found[0].Severity == envelope.SeverityInfo) != (c.code == envelope.CodeByOutcome):
			t.Errorf("%s: %s", c.reason, found[0].Severity)
		}
	}
	report := trialsOf("", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	for i := range report[1:] {
		report[1+i].Status, report[1+i].ErrorClass = envelope.Error, envelope.ClassInfrastructure
	}
	env := sealRun(t, envelope.Policy{}, report...)
	if env.Tests[0].Status != envelope.Pass || !slices.ContainsFunc(env.Problems, func(p envelope.Problem) bool {
		return p.Code == envelope.CodeExcluded && strings.Contains(p.Message, "100 % of the counted trials passed, 10 % of all")
	}) {
		t.Errorf("a report of 9 excluded trials and one that passed: %s, %v", env.Tests[0].Status, env.Problems)
	}
	if p := priced(t, envelope.Policy{}, map[string][]float64{"t": {1, 1}}).Problems; slices.ContainsFunc(p, func(p envelope.Problem) bool { return p.Code == envelope.CodeByOutcome }) {
		t.Errorf("no run that starts its trials: %v", p)
	}
}

// TestCheckUsed: a value that no rule in force looks at is refused by name, and one that any of them looks at is not.
func TestCheckUsed(t *testing.T) {
	threshold := envelope.Policy{Threshold: envelope.Some(0.9)}
	for _, c := range []struct {
		reason       string
		layer, whole envelope.Policy
		says         string
	}{
		{"no rule is named", threshold, envelope.Policy{RetryRule: "any"}, "threshold has no effect with rule all, the default beside retry rule any; use a rule that reads it: "},
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
		{"in an override", envelope.Policy{Overrides: []envelope.Override{{Match: "s/*", Policy: threshold}}}, envelope.Policy{Rule: "all"}, "tests[0].threshold has no effect"},
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

// TestSaved: the trials that were planned, without those that count and those that
// were skipped, of tests that stopped at their verdict; and after all trials those
// behind the one from which on the verdict was certain (worked out by hand for each rule).
func TestSaved(t *testing.T) {
	at := func(rule string, threshold float64) envelope.Policy {
		return envelope.Policy{Rule: rule, Threshold: envelope.Some(threshold)}
	}
	all, wilson := envelope.Policy{Rule: "all"}, at("wilson", 0.9)
	adjusted := at("wilson", 0.9)
	adjusted.Adjust = "holm"
	wald := at("wald", 0.9)
	wald.MinTrials = envelope.Some(5)
	p, f := func(n int) string { return strings.Repeat("P", n) }, func(n int) string { return strings.Repeat("F", n) }
	for _, c := range []struct {
		reason      string
		policy      envelope.Policy
		outcomes    string
		trials      int64
		how         envelope.How
		saved, late int64
	}{
		{"a sequential rule after 12 of 100", at("anytime", 0.9), p(12), 100, envelope.EndedDecided, 88, 0},
		{"a fail of all after 3 of 10", all, "PPF", 10, envelope.EndedEarly, 7, 0},
		{"a skipped trial is not started again", all, "PSF", 10, envelope.EndedEarly, 7, 0},
		{"an excluded one is", all, "PXF", 10, envelope.EndedEarly, 8, 0},
		{"a limit saves nothing", all, "PPF", 10, envelope.EndedCost, 0, 0},
		{"nobody knows how it ended", all, "PPF", 10, "", 0, 0},
		{"all 10 where 3 were enough", all, "PPFPPPPPPP", 10, envelope.EndedFull, 0, 7},
		{"any: 3 of 10", envelope.Policy{Rule: "any"}, "FFP" + f(7), 10, envelope.EndedFull, 0, 7},
		{"majority: 6 passes of 10", envelope.Policy{Rule: "majority"}, p(10), 10, envelope.EndedFull, 0, 4},
		{"majority: 5 failures of 10", envelope.Policy{Rule: "majority"}, f(10), 10, envelope.EndedFull, 0, 5},
		{"one skipped: 5 of 9 pass it", envelope.Policy{Rule: "majority"}, "S" + p(9), 10, envelope.EndedFull, 0, 4},
		{"wilson needs all 35 passes", wilson, p(35), 35, envelope.EndedFull, 0, 0},
		{"wilson: a fail after 7", wilson, f(35), 35, envelope.EndedFull, 0, 28},
		{"wilson: inconclusive after 30", wilson, "F" + p(34), 35, envelope.EndedFull, 0, 5},
		{"wald says nothing below 5 trials, sure as it is", wald, f(10), 10, envelope.EndedFull, 0, 5},
		{"the p-value of all trials is asked for", adjusted, f(35), 35, envelope.EndedFull, 0, 0},
		{"scores can change", at("mean", 0.5), f(10), 10, envelope.EndedFull, 0, 0},
		{"no trial too many", all, "PPPPPPPPPF", 10, envelope.EndedFull, 0, 0},
	} {
		s := journaled(t, c.policy, c.outcomes, c.trials, c.how).Summary
		for _, got := range []struct {
			*envelope.Savings
			want int64
		}{{s.Saved, c.saved}, {s.EarlySaves, c.late}} {
			if (got.Savings == nil) != (got.want == 0) || got.Savings != nil && (got.Trials != got.want || got.Of != c.trials || got.CostUSD.OK) {
				t.Errorf("%s: %+v, want %d of %d", c.reason, got.Savings, got.want, c.trials)
			}
		}
	}
}

// runsOf are the journals of runs with one test each, or the same test.
func runsOf(t *testing.T, runs ...func(envelope.Journal)) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	for _, run := range runs {
		run(b.Input("journal.ndjson", "native"))
	}
	return sealBuilt(t, b, envelope.Policy{Rule: "all"})
}

// failing is a run whose test was to have so many trials and stopped after trials at
// these costs, the last of which failed; a negative cost is unknown.
func failing(id, test string, planned int64, costs ...float64) func(envelope.Journal) {
	return func(in envelope.Journal) {
		key := envelope.Key{Test: test}
		in.Header(envelope.Header{ID: id}, nil)
		in.Listed(key, nil, envelope.Some(planned), false)
		for i, cost := range costs {
			trial := &envelope.Trial{Key: key, Run: id, Attempt: envelope.Some(int32(i)), Status: envelope.Pass}
			if i == len(costs)-1 {
				trial.Status = envelope.Fail
			}
			if cost >= 0 {
				trial.CostUSD = envelope.Some(cost)
			}
			in.Trial(trial)
		}
		in.Ended(key, envelope.EndedEarly)
	}
}

// TestSavedMoney: the trials that a test saved at the mean of its own that say their
// cost. Two runs of a test saved what each of them did.
func TestSavedMoney(t *testing.T) {
	for _, c := range []struct {
		reason     string
		runs       []func(envelope.Journal)
		trials, of int64
		cost       envelope.Opt[float64]
	}{
		{"7 at $2, and 1 at $5", []func(envelope.Journal){failing("r", "a", 10, 1, 3, -1), failing("r", "b", 2, 5)}, 8, 12, envelope.Some(19.0)},
		{"nobody knows a cost", []func(envelope.Journal){failing("r", "a", 10, -1)}, 9, 10, envelope.Opt[float64]{}},
		{"two runs of a test: 9 and 8 at $2", []func(envelope.Journal){failing("r", "a", 10, 1), failing("s", "a", 10, 2, 3)}, 17, 20, envelope.Some(34.0)},
	} {
		got := runsOf(t, c.runs...).Summary.Saved
		if got == nil || *got != (envelope.Savings{Trials: c.trials, Of: c.of, CostUSD: c.cost}) {
			t.Errorf("%s: %+v, want %d of %d, %v", c.reason, got, c.trials, c.of, c.cost)
		}
	}
	if got := runsOf(t, failing("r", "a", 1<<62, 1), failing("r", "b", 1<<62, 1), failing("r", "c", 1<<62, 1)).Summary.Saved; got != nil {
		t.Errorf("more than can be counted: %+v", got)
	}
}

// TestTooFewTrials: 35 straight passes are the fewest that Wilson at 95 % puts above 0.90, 14 those of the sequential test against 0.80.
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
		{"34 passes are one too few", wilson, repeat("P", 34), "at least 35"},
		{"35 can pass", wilson, repeat("P", 35), ""},
		{"35 could have passed", wilson, repeat("F", 35), ""},
		{"a fail under a rule that cannot pass either", wilson, repeat("F", 10), "at least 35"},
		{"left out trials could have counted", wilson, repeat("P", 30) + repeat("x", 5), ""},
		{"the minimum is what is missing", envelope.Policy{Rule: "wald"}, "PPP", "min_trials 5"},
		{"a sequential test may go on", sprt, repeat("P", 13), "at least 14"},
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

// TestCountsAgreeWithTheRule: what a rule says of counts is what it says of a test that has them.
func TestCountsAgreeWithTheRule(t *testing.T) {
	for _, by := range rule.Table {
		p := resolved(t, envelope.Policy{Rule: by.Name, Threshold: envelope.Some(0.8)})
		decide := DecideFor(p)
		if decide == nil {
			continue
		}
		for n := 1; n <= 24; n++ {
			for passed := range n + 1 {
				// Failures last: a sequential rule that has not passed at its last pass sees the rest one by one.
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

package verdict

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

func TestDifferencesSeeMetricsAndSuites(t *testing.T) {
	seal := func() *envelope.Envelope {
		env, err := sealAll(map[string]string{"s/a": "PF", "r/b": "PP"}, envelope.Policy{Rule: "sprt", Threshold: envelope.Some(0.9)})
		if err != nil {
			t.Fatal(err)
		}
		return env
	}
	for _, c := range []struct {
		reason string
		change func(*envelope.Envelope)
		says   string
	}{
		{"nothing", func(*envelope.Envelope) {}, ""},
		{"numbers of parameters are read back as floats", func(e *envelope.Envelope) {
			for i := range e.Metrics {
				if k, ok := e.Metrics[i].Params["k"].(int); ok {
					e.Metrics[i].Params["k"] = float64(k)
				}
			}
		}, ""},
		{"a better average", func(e *envelope.Envelope) { e.Metrics[0].Value.V = 1 }, "metrics: the trials contradict the recorded avg;"},
		{"of another depth", func(e *envelope.Envelope) { e.Metrics[3].Params = map[string]any{"k": 7} }, "metrics: the trials contradict the recorded pass_at_k;"},
		{"last digits of another processor", func(e *envelope.Envelope) {
			e.Metrics[0].Value.V *= 1 + 4e-16
			e.Tests[0].Rate.PerProtocol.Lo += 3e-16
			e.Tests[0].Verdict.Evidence[0].Path[0] += 2e-16
		}, ""},
		{"a digit that counts", func(e *envelope.Envelope) { e.Tests[0].Rate.PerProtocol.Lo += 1e-6 }, "test r/b: the trials contradict the recorded rate;"},
		{"a point of a path", func(e *envelope.Envelope) { e.Tests[0].Verdict.Evidence[0].Path[1] += 1e-6 }, "test r/b: the trials contradict the recorded verdict;"},
		{"a path cut short", func(e *envelope.Envelope) {
			e.Tests[0].Verdict.Evidence[0].Path = e.Tests[0].Verdict.Evidence[0].Path[:1]
		}, "test r/b: the trials contradict the recorded verdict;"},
		{"a metric left out", func(e *envelope.Envelope) { e.Metrics = e.Metrics[1:] }, "metrics: the trials contradict the recorded number;"},
		{"a suite with a failure", func(e *envelope.Envelope) { e.Suites = slices.Clone(e.Suites); e.Suites[1].Fail = 1 }, "suite s: the trials contradict the recorded counts;"},
		{"lists in another order, as versions before this one wrote test 10 before test 2", func(e *envelope.Envelope) {
			e.Suites, e.Tests = slices.Clone(e.Suites), slices.Clone(e.Tests)
			slices.Reverse(e.Suites)
			slices.Reverse(e.Tests)
		}, ""},
		{"a suite left out", func(e *envelope.Envelope) { e.Suites = e.Suites[1:] }, "suites: the trials contradict the recorded number;"},
	} {
		recorded := seal()
		c.change(recorded)
		found := Differences("in", recorded, seal())
		if c.says == "" && len(found) > 0 || c.says != "" && (len(found) == 0 || !strings.HasPrefix(found[0].Message, c.says)) {
			t.Errorf("%s: %v, want %q", c.reason, found, c.says)
		}
	}
}

// TestDifferencesOfManyTests: an envelope of an earlier version, which took percentiles of
// all trials, says so once and not for each of its tests.
func TestDifferencesOfManyTests(t *testing.T) {
	seal := func() *envelope.Envelope {
		var trials []envelope.Trial
		for _, name := range []string{"a", "b", "c", "d"} {
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: name}, Status: envelope.Pass, DurationMS: envelope.Some(100.0)})
		}
		return sealRun(t, envelope.Policy{}, trials...)
	}
	recorded := seal()
	for i := range 3 {
		recorded.Tests[i].DurationMS.P95 = envelope.Some(50.0)
	}
	recorded.Tests[3].Trials.Passed = 0
	var says []string
	for _, p := range Differences("in", recorded, seal()) {
		says = append(says, p.Message)
	}
	want := []string{"test a and 2 others: the trials contradict the recorded duration_ms; the report uses the trials",
		"test d: the trials contradict the recorded trials; the report uses the trials"}
	if !slices.Equal(says, want) {
		t.Errorf("%q, want %q", says, want)
	}
}

func passes(n int, status envelope.Status) envelope.Change {
	return envelope.Change{Outcome: envelope.Pass, Trials: n, Status: status}
}

func failures(n int, status envelope.Status) envelope.Change {
	return envelope.Change{Outcome: envelope.Fail, Trials: n, Status: status}
}

func covering(p envelope.Policy, least float64) envelope.Policy {
	p.MinCoverage = envelope.Some(least)
	return p
}

func TestChangesOfWhatDidNotPass(t *testing.T) {
	for _, c := range []struct {
		reason, strip string
		policy        envelope.Policy
		want          []envelope.Change
	}{
		// z = 1.96: n straight passes have the Wilson lower bound n/(n+3.8415), above 0.9 from 34.6 on;
		// the upper bound of 30 of 37 is 0.905, that of 30 of 38 0.889.
		{"Wilson at 0.9 needs 35 straight passes", repeat("P", 30), under("wilson", 0.9), []envelope.Change{passes(5, envelope.Pass), failures(8, envelope.Fail)}},
		// log(0.9/0.8) = 0.1178 a pass, bound log(0.95/0.2) = 1.558: 14. log(0.1/0.2) = -0.693 a failure, bound log(0.05/0.8) = -2.773.
		{"13 passes are 1.531: one is missing; (1.531+2.773)/0.693 = 6.2 failures", repeat("P", 13), under("sprt", 0.9),
			[]envelope.Change{passes(1, envelope.Pass), failures(7, envelope.Fail)}},
		{"a sequential rule that stopped stays", "FFFFF", under("sprt", 0.9), nil},
		{"below its minimum a sequential rule says nothing, and it looks at its order then", "FFFFP", minimum(under("sprt", 0.9), 6),
			[]envelope.Change{passes(1, envelope.Fail), failures(1, envelope.Fail)}},
		{"nothing mends a failure of all", "PF", envelope.Policy{}, nil},
		{"what passed needs no more trials", "PPP", envelope.Policy{}, nil},
		{"what was skipped was not tried", "SS", envelope.Policy{}, nil},
		{"a majority is won back", "FF", under("majority", 0), []envelope.Change{passes(3, envelope.Pass)}},
		{"and is said to be out of reach beyond 1,000", repeat("F", 1000), under("majority", 0), nil},
		{"nothing counted yet", "xx", under("majority", 0), []envelope.Change{passes(1, envelope.Pass), failures(1, envelope.Fail)}},
		// 2 + n of 5 + n count, and 12 of 15 are 0.8. By then anytime, which fails after 2 passes and 3 failures
		// and passes after 12 passes, has decided.
		{"nothing is decided before enough trials count", "xxxPP", covering(under("anytime", 0.9), 0.8), []envelope.Change{passes(10, envelope.Pass), failures(10, envelope.Fail)}},
		{"what was decided before then is said then", "xxxFFPP", covering(under("anytime", 0.9), 0.8), []envelope.Change{passes(8, envelope.Fail), failures(8, envelope.Fail)}},
		{"enough count already: sprt as ever", "x" + repeat("P", 13), covering(under("sprt", 0.9), 0.8), []envelope.Change{passes(1, envelope.Pass), failures(7, envelope.Fail)}},
		{"it takes more than 1,000 trials to count enough", repeat("x", 300) + "P", covering(under("sprt", 0.9), 0.8), nil},
		// 900 of 1000 are 0.9, of which 899 or 9 passed.
		{"so of a rule that looks once", repeat("x", 100) + "F" + repeat("P", 9), covering(under("wilson", 0.5), 0.9), []envelope.Change{passes(890, envelope.Pass), failures(890, envelope.Fail)}},
	} {
		env, err := sealAll(map[string]string{"t": c.strip}, c.policy)
		if err != nil {
			t.Fatal(err)
		}
		if got := env.Tests[0].Verdict.Changes; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %s (%s) gives %v, want %v", c.reason, c.strip, env.Tests[0].Status, got, c.want)
		}
	}
}

// TestChangesAfterAStop: further trials may take a pass back, or give it again. Two
// failures after 14 passes of sprt and then k passes: P(X <= k of k+2 | 0.9) is
// 0.028 for 1 and 0.0523 for 2. A fail is for ever.
func TestChangesAfterAStop(t *testing.T) {
	for _, c := range []struct {
		reason, strip, rule, want string
	}{
		{"sprt: a contradicted pass stands again after two passes", repeat("P", 14) + "FF", "sprt", "[{pass 2 pass}]"},
		{"sprt: a fail", "PFFPFFF", "sprt", "[]"},
		{"anytime: a fail", repeat("P", 12) + repeat("F", 7), "anytime", "[]"},
	} {
		got := seal(t, c.strip, under(c.rule, 0.9))
		if says := fmt.Sprint(got.Verdict.Changes); says != c.want {
			t.Errorf("%s: %s, want %s", c.reason, says, c.want)
		}
	}
	// A test that passed has no changes; --explain tells them all the same.
	for strip, says := range map[string]string{
		repeat("P", 12): "7 failures in a row would make it FAIL",
		repeat("P", 14) + "FFP" + repeat("P", 40): " more failures in a row would make it FAIL",
	} {
		env := sealRun(t, under("anytime", 0.9), tried(strip)...)
		if got, err := Explain(env, "t"); err != nil || !strings.Contains(got, says) {
			t.Errorf("%s: %v\n%s\nwant %q", strip, err, got, says)
		}
	}
	env := sealRun(t, under("sprt", 0.9), tried(repeat("P", 14))...)
	if got, err := Explain(env, "t"); err != nil || !strings.Contains(got, "2 failures in a row would make it UNDECIDED") {
		t.Errorf("sprt after 14 passes: %v\n%s", err, got)
	}
}

// tried are trials of t, P passed and anything else failed.
func tried(strip string) []envelope.Trial {
	var out []envelope.Trial
	for i, o := range strip {
		status := envelope.Fail
		if o == 'P' {
			status = envelope.Pass
		}
		out = append(out, envelope.Trial{Key: envelope.Key{Test: "t"}, Attempt: envelope.Some(int32(i)), Status: status})
	}
	return out
}

// Tests in the same situation share one look ahead: those that only look alike must not.
func TestChangesAreThoseOfTheTestAlone(t *testing.T) {
	strips := map[string]string{"a": "PPPF", "b": "PPFP", "c": "FFFFP", "d": "PFFFF", "e": "PPPFx", "f": "PPPxxxx", "g": "PPPP", "h": "FFPPPPxxxx", "i": "PPPPFFxxxx",
		"j": "FrF", "k": "rFF", "l": "FFP", "m": "FFFr", "n": "FrFF", "o": "PFr", "p": "FfP", "q": "FPf", "r": "FFP", "s": "fFP"}
	for _, p := range []envelope.Policy{under("wilson", 0.5), under("sprt", 0.9), under("anytime", 0.9), {}, minimum(under("sprt", 0.9), 6), under("t-interval", 0.5), {MinCoverage: envelope.Some(0.9)}, covering(under("sprt", 0.9), 0.9), covering(under("anytime", 0.9), 0.9)} {
		together, err := sealAll(strips, p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range together.Tests {
			name := together.Tests[i].Test
			alone, err := sealAll(map[string]string{name: strips[name]}, p)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := together.Tests[i].Verdict.Changes, alone.Tests[0].Verdict.Changes; !reflect.DeepEqual(got, want) {
				t.Errorf("rule %s, %s: %v among others, %v alone", p.Rule, strips[name], got, want)
			}
		}
	}
}

// TestChangesByScoresOfRetries: scores that the rule for retries judges are not those of another test with the same
// outcomes. One pass lifts 0.5 and 0.5 to a mean of 2/3, three lift 0 and 0 to 0.6.
func TestChangesByScoresOfRetries(t *testing.T) {
	var trials []envelope.Trial
	for name, score := range map[string]float64{"low": 0, "middling": 0.5} {
		for _, retry := range []bool{false, true} {
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: name}, Status: envelope.Fail, Score: envelope.Some(score), Retry: retry})
		}
	}
	env := sealRun(t, envelope.Policy{RetryRule: "mean", Threshold: envelope.Some(0.6)}, trials...)
	low, middling := env.Tests[0].Verdict.Changes, env.Tests[1].Verdict.Changes
	if !reflect.DeepEqual(low, []envelope.Change{passes(3, envelope.Pass)}) || !reflect.DeepEqual(middling, []envelope.Change{passes(1, envelope.Pass)}) {
		t.Errorf("low %v, middling %v", low, middling)
	}
}

// scoredTrials are trials with these scores, without one where it is NaN.
func scoredTrials(scores ...float64) []envelope.Trial {
	var out []envelope.Trial
	for _, score := range scores {
		tr := envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass}
		if !math.IsNaN(score) {
			tr.Score = envelope.Some(score)
		}
		out = append(out, tr)
	}
	return out
}

// TestNoChangesAreToldOfScoresOnAnotherScale: that a pass scores 1 would say that passes fail a test whose scores are 65 and more.
func TestNoChangesAreToldOfScoresOnAnotherScale(t *testing.T) {
	for _, c := range []struct {
		reason string
		policy envelope.Policy
		scores []float64
		told   bool
	}{
		{"scores of 0 to 100", under("t-interval", 70), []float64{65, 72, 68, 70, 66, 71}, false},
		{"and their mean", under("mean", 70), []float64{65, 72, 68}, false},
		{"one below 0", under("t-interval", 0.5), []float64{0.4, 0.6, -0.1, 0.5, 0.6}, false},
		{"scores of 0 to 1", under("t-interval", 0.5), []float64{0.4, 0.6, 0.1, 0.5, 0.6}, true},
		{"scores do not decide", under("wilson", 0.9), []float64{65, 72, 68, 70, 66, 71}, true},
	} {
		env := sealRun(t, c.policy, scoredTrials(c.scores...)...)
		says, err := Explain(env, "t")
		if err != nil {
			t.Fatal(err)
		}
		if told := len(env.Tests[0].Verdict.Changes) > 0; told != c.told || strings.Contains(says, "outside 0 to 1") == c.told || strings.Contains(says, "in a row") != c.told {
			t.Errorf("%s: changes %v, and\n%s", c.reason, env.Tests[0].Verdict.Changes, says)
		}
	}
}

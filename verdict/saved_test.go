package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

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
	policy, err := Resolve(envelope.Policy{Rule: "all"})
	if err != nil {
		t.Fatal(err)
	}
	env, err := Seal(b.Run(policy.OnConflict, 5), policy)
	if err != nil {
		t.Fatal(err)
	}
	return env
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

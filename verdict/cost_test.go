package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// priced seals tests whose trials all pass but those marked F, each trial with the given cost; a negative cost is an unknown one.
func priced(t *testing.T, p envelope.Policy, tests map[string][]float64) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	for name, costs := range tests {
		for i, cost := range costs {
			tr := envelope.Trial{Key: envelope.Key{Test: name}, Attempt: envelope.Some(int32(i)), Status: envelope.Pass, SetupCostUSD: envelope.Some(100.0)}
			if cost >= 0 {
				tr.CostUSD = envelope.Some(cost)
			}
			in.Trial(&tr)
		}
	}
	in.Close()
	return sealBuilt(t, b, p)
}

func TestCostLimits(t *testing.T) {
	perTest := envelope.Policy{CostLimitUSD: envelope.Some(1.0)}
	perNothing := envelope.Policy{CostLimitUSD: envelope.Some(0.0)}
	perRun := envelope.Policy{RunCostLimitUSD: envelope.Some(1.0)}
	for _, c := range []struct {
		reason  string
		policy  envelope.Policy
		costs   []float64
		counted int
		limited bool
		warning string
	}{
		{"below the limit", perTest, []float64{0.3, 0.3, 0.3}, 3, false, ""},
		{"the trial that reaches the limit counts, later ones do not", perTest, []float64{0.5, 0.5, 0.5, 0.5}, 2, true, ""},
		{"reached by the last trial: nothing is cut", perTest, []float64{0.5, 0.5}, 2, false, ""},
		{"no trial has a cost: no limit, one warning", perTest, []float64{-1, -1, -1}, 3, false, "it has no effect"},
		{"some have: the limit applies to those", perTest, []float64{1, -1, 1}, 1, true, "count as free: 1 of 3 trials"},
		{"setup costs 100 dollars and is not in it", perTest, []float64{0.1, 0.1}, 2, false, ""},
		{"a limit of 0 where nothing has a cost is no limit", envelope.Policy{CostLimitUSD: envelope.Some(0.0), RunCostLimitUSD: envelope.Some(0.0)}, []float64{-1, -1}, 2, false, "it has no effect"},
		{"a limit of 0 where there are costs pays for nothing", perNothing, []float64{1, 1}, 0, true, ""},
		{"the run's limit", perRun, []float64{0.6, 0.6, 0.6}, 2, true, ""},
	} {
		env := priced(t, c.policy, map[string][]float64{"t": c.costs})
		got := env.Tests[0]
		if got.Trials.Counted != c.counted || got.CostLimited != c.limited {
			t.Errorf("%s: %d counted, limited %v, want %d, %v", c.reason, got.Trials.Counted, got.CostLimited, c.counted, c.limited)
		}
		if cut := len(c.costs) - c.counted; got.Trials.Excluded[envelope.ClassCostLimit] != cut {
			t.Errorf("%s: excluded %v, want %d", c.reason, got.Trials.Excluded, cut)
		}
		checkWarning(t, c.reason, env, c.warning)
	}
}

func checkWarning(t *testing.T, reason string, env *envelope.Envelope, want string) {
	t.Helper()
	n := 0
	for _, p := range env.Problems {
		if p.Code == envelope.CodeCostUnknown {
			n++
			if want == "" || !strings.Contains(p.Message, want) {
				t.Errorf("%s: %s", reason, p.Message)
			}
		}
	}
	if (n == 1) != (want != "") {
		t.Errorf("%s: %d warnings, want %q", reason, n, want)
	}
}

func TestTheRunsLimitGoesOverTestsInOrder(t *testing.T) {
	env := priced(t, envelope.Policy{RunCostLimitUSD: envelope.Some(1.0)}, map[string][]float64{"b": {0.5, 0.5}, "a": {0.5, 0.5, 0.5}})
	if a, b := env.Tests[0], env.Tests[1]; a.Trials.Counted != 2 || b.Trials.Counted != 0 || b.Status != envelope.Error {
		t.Errorf("a counts %d, b counts %d and is %s; want 2, 0 and error", a.Trials.Counted, b.Trials.Counted, b.Status)
	}
}

func TestCostPerSuccessAndToAVerdict(t *testing.T) {
	costs := make([]float64, 20)
	for i := range costs {
		costs[i] = 0.25
	}
	got := priced(t, under("sprt", 0.9), map[string][]float64{"t": costs}).Tests[0]
	if got.CostPerSuccess.V != 0.25 || got.CostToVerdict.V != 14*0.25 || got.SetupCost.V != 2000 {
		t.Errorf("per success %v, to the verdict %v, setup %v; want 0.25, 14 trials = 3.5, 2000", got.CostPerSuccess, got.CostToVerdict, got.SetupCost)
	}
	free := priced(t, envelope.Policy{}, map[string][]float64{"t": {-1}}).Tests[0]
	if free.CostPerSuccess.OK || free.CostToVerdict.OK {
		t.Error("an unknown cost became known")
	}
}

func TestCostPerPassedTrial(t *testing.T) {
	limited := envelope.Policy{CostLimitUSD: envelope.Some(3.0)}
	for _, c := range []struct {
		reason             string
		policy             envelope.Policy
		tests              map[string][]float64
		perPass, toVerdict float64 // of the run
	}{
		{"5 passes at $2, and 15 that do not say", envelope.Policy{}, map[string][]float64{"a": {2, 2, 2, 2, 2}, "b": {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}}, 2, 10},
		{"some of a test do not say", envelope.Policy{}, map[string][]float64{"a": {1, -1, -1, -1}}, 1, 1},
		{"the other way round", envelope.Policy{}, map[string][]float64{"a": {-1, -1, -1, 1}}, 1, 1},
		{"$1 each, and $3 to spend on 10", limited, map[string][]float64{"a": {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, 1, 3},
	} {
		env := priced(t, c.policy, c.tests)
		if got := env.Summary; got.CostPerSuccess.V != c.perPass || got.CostToVerdict.V != c.toVerdict {
			t.Errorf("%s: $%v per passed trial, $%v to the verdict; want %v, %v", c.reason, got.CostPerSuccess, got.CostToVerdict, c.perPass, c.toVerdict)
		}
		if got := env.Tests[0].CostPerSuccess.V; got != c.perPass {
			t.Errorf("%s: $%v per passed trial of the test, want %v", c.reason, got, c.perPass)
		}
	}
	dear := []envelope.Trial{{Status: envelope.Fail}, {Status: envelope.Error, ErrorClass: envelope.ClassInfrastructure}, {Status: envelope.Pass}, {Status: envelope.Skip}, {Status: envelope.Pass}}
	for i := range dear {
		dear[i].Test, dear[i].CostUSD = "t", envelope.Some(float64(int(1)<<i))
	}
	limited.CostLimitUSD = envelope.Some(7.0)
	if got := sealTrials(t, limited, dear...); got.CostPerSuccess.V != 1+2+4+8 || got.Trials.Passed != 1 {
		t.Errorf("failures, exclusions and skips are paid for, the pass at $16 came after the limit: $%v per passed trial, want 15", got.CostPerSuccess)
	}
	if got := sealTrials(t, envelope.Policy{}, dear[:2]...); got.CostPerSuccess.OK {
		t.Errorf("nothing passed: $%v per passed trial", got.CostPerSuccess)
	}
}

func TestASkippedTrialStaysSkippedAfterTheLimit(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	in.Trial(&envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Pass, CostUSD: envelope.Some(2.0)})
	in.Trial(&envelope.Trial{Key: envelope.Key{Test: "b"}, Status: envelope.Skip})
	in.Close()
	env := sealBuilt(t, b, envelope.Policy{RunCostLimitUSD: envelope.Some(1.0)})
	if got := env.Tests[1]; got.Status != envelope.Skip || got.CostLimited || got.Trials.Excluded["skip"] != 1 {
		t.Errorf("%s, cost limited %v, excluded %v; want a skip", got.Status, got.CostLimited, got.Trials.Excluded)
	}
}

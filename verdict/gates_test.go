package verdict

import (
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

func TestGates(t *testing.T) {
	strips := map[string]string{"good": "PPPP", "weak": "PPPF", "left out": "S"}
	for _, c := range []struct {
		reason, expr string
		want         envelope.Status
		saw          string
	}{
		{"the run holds", "summary.pass == 2", "pass", "summary.pass = 2"},
		{"the run does not hold", "summary.fail > 0", "fail", "summary.fail = 0"},
		{"nested numbers", "summary.trials.passed / summary.trials.counted > 0.8", "pass", "summary.trials.passed = 7"},
		{"a class nobody met counts 0", "summary.trials.excluded.infrastructure == 0", "pass", "= 0"},
		{"each test that has the value", "reliability.runs == 4", "pass", "all 2 tests"},
		{"one test does not hold", "reliability.passhat_k >= 80", "fail", "1 of 2 tests: weak (reliability.passhat_k = 31)"},
		{"words compare too", `status in ["pass", "skip"]`, "pass", "all 3 tests"},
		{"what no test has cannot be shown to hold", "score.mean > 0.5", "fail", "no test has score.mean"},
		{"a metric that is not there cannot be shown to hold", "metrics.pass_at_k[99] > 0.5", "fail", "not known"},
		{"optional fields resolve", "rate.per_protocol.value >= 0.75", "pass", "all 2 tests"},
	} {
		env, err := sealAll(strips, envelope.Policy{Rule: "any", Gates: []envelope.GateExpr{Gate("", c.expr)}})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		g := env.Gate.Gates[0]
		if g.Status != c.want || !strings.Contains(g.Saw, c.saw) {
			t.Errorf("%s: %s saw %q, want %s and %q", c.reason, g.Status, g.Saw, c.want, c.saw)
		}
		if failed := env.Gate.ExitCode == ExitFailed; failed != (c.want == "fail") {
			t.Errorf("%s: exit %d", c.reason, env.Gate.ExitCode)
		}
	}
}

func TestGatesRefuse(t *testing.T) {
	for _, c := range []struct{ reason, expr, says string }{
		{"an unknown path names the near one", "reliability.pashat_k > 1", "did you mean reliability.passhat_k"},
		{"a path into nowhere", "summary.nothing == 1", `unknown path "summary.nothing"`},
		{"run and test mixed", "summary.fail == 0 and reliability.runs > 3", "not both"},
		{"no path at all", "1 == 1", "looks at nothing"},
		{"not a condition", "summary.fail +", "unexpected token"},
		{"a number is no answer", "1 + 2 + summary.fail", "true or false"},
		{"functions of the outside", `summary.fail == 0 and env("HOME") == ""`, "unknown"},
		{"too long", "summary.fail == 0" + strings.Repeat(" and summary.fail == 0", 60), "at most"},
		{"the trials themselves", `rows.outcome == "P"`, "unknown path"},
	} {
		_, err := Resolve(envelope.Policy{Gates: []envelope.GateExpr{Gate("", c.expr)}})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.says)
		}
	}
}

func TestTargetsOfDesign(t *testing.T) {
	env, err := sealAll(map[string]string{"t": "PPPF"}, envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	all := Targets()
	for path, want := range map[string]int{"reliability.runs": 4, "reliability.pass_at_k": 100, "reliability.passhat_k": 31,
		"reliability.all_passed": 0, "reliability.variance_amplification": 87, "reliability.graceful_degradation": 60} {
		if got, ok := Target(&env.Tests[0], path); !ok || got != want || !slices.Contains(all, path) {
			t.Errorf("%s = %v, %v, want %d", path, got, ok, want)
		}
	}
	if _, ok := Target(&env.Tests[0], "reliability.nothing"); ok {
		t.Error("an unknown path resolved")
	}
}

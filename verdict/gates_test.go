package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/verdict/gate"
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
		{"classes with a dash", `summary.trials.excluded["idle-timeout"] == 0`, "pass", `summary.trials.excluded["idle-timeout"] = 0`},
		{"each class there is", `summary.trials.excluded.skip == 1 and summary.trials.excluded["cost-limit"] == 0`, "pass", "skip = 1"},
		{"a metric as --metric spells it", "metrics.pass_at_k(k=4) == 1 and metrics.pass_at_k_ci(k = 4).lo <= metrics.pass_at_k_ci_hi(k=4)", "pass", "metrics.pass_at_k[4] = 1"},
		{"the bounds of more trials than there are", "metrics.pass_at_k_ci(k=99).lo > 0.5", "fail", "metrics.pass_at_k_lo[99] is not known"},
		{"metrics with k and bounds", "metrics.pass_at_k[4] == 1 and metrics.pass_at_k_lo[4] <= metrics.pass_at_k_hi[4]", "pass", "metrics.pass_at_k[4] = 1"},
		{"metrics without k", "metrics.avg == 0.875 and metrics.avg_lo < metrics.avg_hi", "pass", "metrics.avg = 0.875"},
		{"all that gates have", `not (summary.fail > 0) ? max(abs(-1), len([1, 2])) * 2 ** 2 == 8 : false`, "pass", "summary.fail = 0"},
		{"optional fields resolve", "rate.per_protocol.value >= 0.75", "pass", "all 2 tests"},
	} {
		env, err := sealAll(strips, envelope.Policy{Rule: "any", Gates: []envelope.GateExpr{gate.Named("", c.expr)}})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		g := env.Gate.Gates[0]
		if g.Status != c.want || !strings.Contains(g.Saw, c.saw) {
			t.Errorf("%s: %s saw %q, want %s and %q", c.reason, g.Status, g.Saw, c.want, c.saw)
		}
		if failed := env.Gate.ExitCode == gate.ExitFailed; failed != (c.want == "fail") {
			t.Errorf("%s: exit %d", c.reason, env.Gate.ExitCode)
		}
	}
}

// TestGatesOnDecimals: what is a short decimal by hand is that to a gate, though the sum
// of the floats beside it is another: (9 + 8 + 7)/30 = 0.8, of floats
// 0.7999999999999999, and three times $0.10 is $0.30, of floats 0.30000000000000004.
func TestGatesOnDecimals(t *testing.T) {
	asked := func(expr string) envelope.Policy {
		return envelope.Policy{Rule: "any", Gates: []envelope.GateExpr{gate.Named("", expr)}}
	}
	rated := map[string]string{"a": "PPPPPPPPPF", "b": "PPPPPPPPFF", "c": "PPPPPPPFFF"}
	for _, expr := range []string{"metrics.avg >= 0.8", "metrics.pass_at_k[1] >= 0.8", "metrics.pass_hat_k[1] == 0.8"} {
		env, err := sealAll(rated, asked(expr))
		if err != nil {
			t.Fatal(err)
		}
		if g := env.Gate.Gates[0]; g.Status != envelope.Pass {
			t.Errorf("%s: %s, saw %s", expr, g.Status, g.Saw)
		}
	}
	for _, expr := range []string{"summary.cost_usd <= 0.3", "summary.cost_per_success_usd <= 0.1"} {
		env := priced(t, asked(expr), map[string][]float64{"a": {0.1}, "b": {0.1}, "c": {0.1}})
		if g := env.Gate.Gates[0]; g.Status != envelope.Pass {
			t.Errorf("%s: %s, saw %s", expr, g.Status, g.Saw)
		}
	}
}

// Names of labels are the user's: a dot in one is no step of a path and a digit
// is not a number.
func TestGatesOnLabels(t *testing.T) {
	policy, err := Resolve(envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		expr string
		want envelope.Status
		saw  string
	}{
		{`run.labels["ci.job"] == "x"`, "pass", `run.labels["ci.job"] = x`},
		{`run.labels["5"] == "five"`, "pass", `run.labels["5"] = five`},
		{`int(run.labels["n"]) >= 12 and run.labels?.n == "12"`, "pass", "run.labels.n = 12"},
		{`run.labels["ci"] == "x"`, "fail", "not known"},
		{`run.labels["a\"b"] != "y"`, "fail", `run.labels["a\"b"] = y`},
		{`labels["a.b"] == "z" and labels["7"] == "seven"`, "pass", "1 test"},
		{`labels["a.b"] startsWith "y"`, "fail", `labels["a.b"] = z`},
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("s", "native")
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass,
			Labels: []envelope.Label{{Name: "a.b", Value: "z"}, {Name: "7", Value: "seven"}}})
		in.Close()
		run := b.Run(policy.OnConflict, 5)
		run.Header.Labels = map[string]string{"ci.job": "x", "5": "five", "n": "12", `a"b`: "y"}
		policy.Gates = []envelope.GateExpr{gate.Named("", c.expr)}
		env, err := Seal(run, policy)
		if err != nil {
			t.Fatal(err)
		}
		if g := env.Gate.Gates[0]; g.Status != c.want || !strings.Contains(g.Saw, c.saw) {
			t.Errorf("%s: %s saw %q, want %s and %q", c.expr, g.Status, g.Saw, c.want, c.saw)
		}
	}
}

func TestGatesRefuse(t *testing.T) {
	for _, c := range []struct{ reason, expr, says string }{
		{"an unknown path names the near one", "reliability.pashat_k > 1", "did you mean reliability.passhat_k"},
		{"a path into nowhere", "summary.nothing == 1", `unknown path "summary.nothing": docs/gates.md lists all paths`},
		{"a path that ends as some do", "stats.p95 < 1", `unknown path "stats.p95": did you mean duration_ms.p95? docs/gates.md lists all paths`},
		{"of those that end so the first", "rate.passed > 1", `did you mean summary.trials.passed or verdict.passed or verdict.contradicted_after_stop.passed? docs`},
		{"run and test mixed", "summary.fail == 0 and reliability.runs > 3", "not both"},
		{"no path at all", "1 == 1", "looks at nothing"},
		{"not a condition", "summary.fail +", "unexpected token"},
		{"one equals sign", "summary.fail = 0", "use == to compare"},
		{"a number is no answer", "1 + 2 + summary.fail", "true or false"},
		{"functions of the outside", `summary.fail == 0 and env("HOME") == ""`, "unknown"},
		{"too long", "summary.fail == 0" + strings.Repeat(" and summary.fail == 0", 60), "at most"},
		{"the trials themselves", `rows.outcome == "P"`, "unknown path"},
		{"a misspelt class would count 0 for ever", "summary.trials.excluded.infrastucture <= 5", "did you mean infrastructure"},
		{"the same of each test", "trials.excluded.skp == 0", "did you mean skip"},
		{"a dash is a minus outside brackets", "summary.trials.excluded.idle-timeout == 0", `did you mean idle-timeout? (a name with a dash is written summary.trials.excluded["idle-timeout"])`},
		{"a path glued together", `summary["trials.passed"] == 1`, "unknown path"},
		{"a misspelt metric", "metrics.pas_at_k[5] > 0.1", "did you mean pass_at_k"},
		{"a misspelt bound", "metrics.avg_low > 0.1", "did you mean avg_lo"},
		{"a metric of k without k", "metrics.pass_at_k > 0.1", "write for instance metrics.pass_at_k[4]"},
		{"without k beside one with", "metrics.pass_at_k > 0.1 and metrics.pass_at_k[5] > 0.1", "write for instance metrics.pass_at_k[4]"},
		{"k as a text", `metrics.pass_at_k_lo["5"] > 0.1`, "write for instance metrics.pass_at_k_lo[4]"},
		{"k below 1", "metrics.pass_at_k[0] > 0.1", "whole number from 1"},
		{"k where there is none", "metrics.avg[4] > 0.1", "write metrics.avg alone"},
		{"a label's dots without quotes", `run.labels.ci.job == "x"`, `written run.labels["ci.job"]`},
		{"a label by number", `labels[5] == "x"`, `written labels["5"]`},
		{"a name that is computed", "run.labels[run.name] == \"x\"", "write the name in [ ] out"},
		{"loops over ranges", "all(1..999, all(1..900, verdict.n >= 0))", "all is not allowed"},
		{"a range alone", "verdict.n in 1..999", ".. is not allowed"},
		{"a pipe into a loop", "[1, 2] | map(verdict.n) | sum() > 1", "sum is not allowed"},
		{"text that grows", `repeat(run.name, 1000000) == ""`, "repeat is not allowed"},
		{"a variable", "let x = verdict.n; x > 1", "is not allowed"},
		{"several statements", "verdict.n; verdict.n > 1", "is not allowed"},
		{"a pattern from the input", "labels.a matches labels.b", "in quotes"},
		{"the whole environment", `$env["summary"]["fail"] == 0`, "unknown path"},
	} {
		_, err := Resolve(envelope.Policy{Gates: []envelope.GateExpr{gate.Named("", c.expr)}})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.says)
		}
	}
}

// TestReliabilityInGates: every number of docs/statistics/one-test.md, of 3 passes and a
// failure by hand.
func TestReliabilityInGates(t *testing.T) {
	var gates []envelope.GateExpr
	for _, expr := range []string{"reliability.runs == 4", "reliability.pass_at_k == 100", "reliability.passhat_k == 31",
		"reliability.all_passed == 0", "reliability.variance_amplification == 87", "reliability.graceful_degradation == 60"} {
		gates = append(gates, gate.Named("", expr))
	}
	env, err := sealAll(map[string]string{"t": "PPPF"}, envelope.Policy{Gates: gates})
	if err != nil {
		t.Fatal(err)
	}
	if len(env.Gate.Gates) != len(gates) {
		t.Errorf("%d gates, want %d", len(env.Gate.Gates), len(gates))
	}
	for _, g := range env.Gate.Gates {
		if g.Status != envelope.Pass {
			t.Errorf("%s saw %s", g.Expr, g.Saw)
		}
	}
}

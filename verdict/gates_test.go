package verdict

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/verdict/gate"
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
		{"each test that has the value", "reliability.runs == 4", "pass", "true in all 2 tests"},
		{"one test does not hold", "reliability.passhat_k >= 80", "fail", "false in 1 of 2 tests: weak (reliability.passhat_k = 31)"},
		{"percentages of percentages", "31% == reliability.passhat_k or reliability.all_passed == 100%", "pass", "all 2 tests"},
		{"percentages of fractions, and a remainder", "metrics.avg == 87.5% and summary.pass == 7%5", "pass", "metrics.avg = 0.875"},
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

// Names of labels are the user's: a dot in one is no step of a path and a digit is not a number.
func TestGatesOnLabels(t *testing.T) {
	policy := resolved(t, envelope.Policy{})
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
		{"a path into nowhere", "summary.zzzzzzz == 1", `unknown path "summary.zzzzzzz": tribunal schema envelope describes summary, metrics, run and tests`},
		{"a path that ends as some do", "stats.p95 < 1", `unknown path "stats.p95": did you mean duration_ms.p95? tribunal schema envelope describes`},
		{"the beginning of paths", "summary.cost < 1", `unknown path "summary.cost": did you mean summary.cost_usd or`},
		{"a text without quotes", "verdict.status == fail", `did you mean summary.fail or the text "fail"?`},
		{"a dash outside of quotes", "checks.my-check.n > 1", `quote a name with a dash, as in checks["my-check"]`},
		{"no bounds in the list of metrics", "metrics.zzzz > 1", "use one of avg, bayes, pass_at_k,"},
		{"of those that end so the first", "rate.passed > 1", `did you mean summary.trials.passed or verdict.passed or verdict.contradicted_after_stop.passed? tribunal`},
		{"run and test mixed", "summary.fail == 0 and reliability.runs > 3", "give two gates"},
		{"no path at all", "1 == 1", "looks at nothing"},
		{"not a condition", "summary.fail +", "column 14: it ends too early: a value, a ) or a ] is missing; a condition"},
		{"a count is no text", `summary.fail != "0"`, "column 14: compare numbers with numbers"},
		{"a count is no condition", "summary.fail == 0 or summary.flaky", "a number alone is not a condition"},
		{"a number with k is no text", `metrics.pass_at_k[2] not in ["1"]`, "compare numbers with numbers"},
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
		{"a metric of k without k", "metrics.pass_at_k > 0.1", "write, for example, metrics.pass_at_k[4]"},
		{"without k beside one with", "metrics.pass_at_k > 0.1 and metrics.pass_at_k[5] > 0.1", "write, for example, metrics.pass_at_k[4]"},
		{"k as a text", `metrics.pass_at_k_lo["5"] > 0.1`, "write, for example, metrics.pass_at_k_lo[4]"},
		{"k below 1", "metrics.pass_at_k[0] > 0.1", "needs a k of 1 or more"},
		{"k where there is none", "metrics.avg[4] > 0.1", "write metrics.avg alone"},
		{"a label's dots without quotes", `run.labels.ci.job == "x"`, `did you mean run.labels["ci.job"]`},
		{"a label by number", `labels[5] == "x"`, `did you mean labels["5"]`},
		{"a name that is computed", "run.labels[run.name] == \"x\"", "write out the name in [ ]"},
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

// TestReliabilityInGates: every number of docs/statistics/one-test.md, of 3 passes and a failure by hand.
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

// TestRunThreshold: the run is judged three-way by the interval of its rate, of these
// tests or of tests like these; its tests count beside it where a rule is named.
// Wilson's interval of 18 of 20 at 95 % is 0.699 to 0.972, of 10 of 20 0.299 to 0.701.
func TestRunThreshold(t *testing.T) {
	even := map[string]string{"a": "PPPPPPPPPF", "b": "FPPPPPPPPP"}   // 18 of 20, and no test differs
	differ := map[string]string{"a": "PPPPPPPPPP", "b": "FFFFFFFFFF"} // 10 of 20, each test always alike
	at := func(threshold float64, scope string, p envelope.Policy) envelope.Policy {
		p.RunThreshold, p.RunScope = envelope.Some(threshold), scope
		return p
	}
	rules := func(match string, p envelope.Policy) envelope.Policy {
		return envelope.Policy{Overrides: []envelope.Override{{Match: match, Policy: p}}}
	}
	for _, c := range []struct {
		reason string
		strips map[string]string
		policy envelope.Policy
		want   envelope.Status
		exit   int
	}{
		{"wholly above, and its tests do not count", even, at(0.65, "", envelope.Policy{}), envelope.Pass, gate.ExitOK},
		{"wholly below", even, at(0.98, "these", envelope.Policy{}), envelope.Fail, gate.ExitFailed},
		{"undecided is neutral", even, at(0.9, "these", envelope.Policy{}), envelope.Inconclusive, gate.ExitOK},
		{"undecided is treated as asked", even, at(0.9, "these", envelope.Policy{TreatAs: "exit3"}), envelope.Inconclusive, gate.ExitInconclusive},
		{"undecided is treated as failed", even, at(0.9, "these", envelope.Policy{TreatAs: "fail"}), envelope.Inconclusive, gate.ExitFailed},
		{"with a rule that is named its tests count as well", even, at(0.65, "", envelope.Policy{Rule: "all"}), envelope.Pass, gate.ExitFailed},
		{"also with the two that hold where nobody names one", even, at(0.65, "", envelope.Policy{Rule: "all", RetryRule: "any"}), envelope.Pass, gate.ExitFailed},
		{"or one of them", even, at(0.65, "", envelope.Policy{RetryRule: "any"}), envelope.Pass, gate.ExitFailed},
		{"and with one that is named for some, these do", even, at(0.65, "", rules("a", envelope.Policy{Rule: "all"})), envelope.Pass, gate.ExitFailed},
		{"or one for their retries", even, at(0.65, "", rules("a", envelope.Policy{RetryRule: "all"})), envelope.Pass, gate.ExitFailed},
		{"the others do not", even, at(0.65, "", rules("a", envelope.Policy{Rule: "majority"})), envelope.Pass, gate.ExitOK},
		{"nor by what is no rule", even, at(0.65, "", rules("a", envelope.Policy{MinCoverage: envelope.Some(0.5)})), envelope.Pass, gate.ExitOK},
		{"of trials that all broke nothing is judged but that they did", map[string]string{"a": "xxx", "b": "x"}, at(0.65, "", envelope.Policy{}), envelope.Inconclusive, gate.ExitFailed},
		{"a test of which no trial counts is not in the rate: 10 of 10 are 0.722 to 1", map[string]string{"a": "PPPPPPPPPP", "b": "xxx"}, at(0.65, "", envelope.Policy{}), envelope.Pass, gate.ExitFailed},
		{"tests that differ say of these what they say", differ, at(0.75, "these", envelope.Policy{}), envelope.Fail, gate.ExitFailed},
		{"and nearly nothing of tests like them", differ, at(0.75, "like", envelope.Policy{}), envelope.Inconclusive, gate.ExitOK},
		{"one test says nothing of others", map[string]string{"a": "PPPPPPPPPP"}, at(0.5, "like", envelope.Policy{}), envelope.Inconclusive, gate.ExitOK},
	} {
		env, err := sealAll(c.strips, c.policy)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if got := env.Gate.Gates[0]; got.Name != "run" || got.Status != c.want || env.Gate.ExitCode != c.exit {
			t.Errorf("%s: %+v, exit %d, want %s and %d", c.reason, got, env.Gate.ExitCode, c.want, c.exit)
		}
		if said := strings.Contains(env.Gate.Headline(), "RUN INCONCLUSIVE"); said != (c.want == envelope.Inconclusive) {
			t.Errorf("%s: the gate line says %q", c.reason, env.Gate.Headline())
		}
	}
}

// TestRunWithoutARate: why the run cannot be judged, in words that are true of its scope.
func TestRunWithoutARate(t *testing.T) {
	for _, c := range []struct {
		strips map[string]string
		scope  string
		saw    string
	}{
		{map[string]string{"a": "xxx", "b": "x"}, "these", "no rate: no trial counts"},
		{map[string]string{"a": "PPPPPPPPPP"}, "like", "no rate: fewer than two tests have trials that count"},
	} {
		env, err := sealAll(c.strips, envelope.Policy{RunThreshold: envelope.Some(0.5), RunScope: c.scope})
		if err != nil {
			t.Fatal(err)
		}
		if saw := env.Gate.Gates[0].Saw; saw != c.saw {
			t.Errorf("%s: %q, want %q", c.scope, saw, c.saw)
		}
	}
}

// TestLikeThese: tests are a sample, each once, or with cluster_by the means of clusters.
// The intervals are those of a program of its own in Python for Gaffke's bound.
func TestLikeThese(t *testing.T) {
	all, but := map[string]string{}, map[string]string{}
	for i := range 20 {
		all[fmt.Sprint(i)], but[fmt.Sprint(i)] = "PPPPPPPPPP", "PPPPPPPPPP"
	}
	but["0"] = "FPPPPPPPPP"
	suites := map[string]string{"a/1": "PPPPP", "a/2": "PPPPPPPPPPPPPPPPFPPP", "b/1": "PF"} // rates 1, 0.95; 0.5
	for _, c := range []struct {
		reason  string
		strips  map[string]string
		by      string
		count   int
		mean    float64
		lo, hi  float64
		present bool
	}{
		{"200 of 200", all, "", 20, 1, 0.831567, 1, true},
		{"199 of 200 is no better", but, "", 20, 0.995, 0.827197, 0.999873, true},
		{"uneven numbers of trials", suites, "", 3, 0.816667, 0.228145, 0.984680, true},
		{"by suite", suites, "suite", 2, 0.737500, 0.110397, 0.982322, true},
		{"by what no test has", suites, "team", 0, 0, 0, 0, false},
		{"one test", map[string]string{"a": "PF"}, "", 0, 0, 0, 0, false},
	} {
		env, err := sealAll(c.strips, envelope.Policy{ClusterBy: c.by})
		if err != nil {
			t.Fatal(err)
		}
		like := env.Summary.Like
		if (like != nil) != c.present {
			t.Errorf("%s: %+v", c.reason, like)
		} else if like != nil && (like.Count != c.count || math.Abs(like.Rate.Value-c.mean)+math.Abs(like.Rate.Lo-c.lo)+math.Abs(like.Rate.Hi-c.hi) > 2e-6) {
			t.Errorf("%s: %+v of %d, want %v [%v, %v] of %d", c.reason, *like.Rate, like.Count, c.mean, c.lo, c.hi, c.count)
		}
	}
}

// TestWhatNeedsAllTrials: what cannot be told of a test that stopped early, by the contract of runs: adjusted p-values,
// clusters, gates on metrics, rates, scores or reliability, and the rules that judge scores.
func TestWhatNeedsAllTrials(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*envelope.Policy)
		says   string
	}{
		{"a verdict alone", func(*envelope.Policy) {}, ""},
		{"gates on statuses are verdicts", func(p *envelope.Policy) { p.Gates = []envelope.GateExpr{gate.Named("", "summary.fail == 0")} }, ""},
		{"no adjustment is asked for", func(p *envelope.Policy) { p.Adjust = "none" }, ""},
		{"p-values", func(p *envelope.Policy) { p.Adjust = "holm" }, "adjust holm needs the p-value of all trials"},
		{"clusters", func(p *envelope.Policy) { p.ClusterBy = "suite" }, "cluster_by suite"},
		{"metrics", func(p *envelope.Policy) { p.Gates = []envelope.GateExpr{gate.Named("", "metrics.pass_at_k[2] > 0.5")} }, "looks at metrics.pass_at_k[2]"},
		{"reliability", func(p *envelope.Policy) { p.Gates = []envelope.GateExpr{gate.Named("", "reliability.passhat_k >= 80")} }, "looks at reliability.passhat_k"},
		{"rates of a test", func(p *envelope.Policy) {
			p.Gates = []envelope.GateExpr{gate.Named("", "rate.per_protocol.value > 0.5")}
		}, "looks at rate"},
		{"rates of the run", func(p *envelope.Policy) {
			p.Gates = []envelope.GateExpr{gate.Named("", "summary.rate.per_protocol.value > 0.5")}
		}, "looks at summary.rate"},
		{"rates of tests like these", func(p *envelope.Policy) {
			p.Gates = []envelope.GateExpr{gate.Named("", "summary.like.rate.lo > 0.5")}
		}, "looks at summary.like"},
		{"a threshold of the run", func(p *envelope.Policy) { p.RunThreshold = envelope.Some(0.8) }, "run_threshold needs all trials of each test"},
		{"scores", func(p *envelope.Policy) { p.Gates = []envelope.GateExpr{gate.Named("", "score.mean > 0.5")} }, "looks at score.mean"},
		{"rules of scores", func(p *envelope.Policy) { *p = under("mean", 0.8) }, "rule mean judges scores"},
		{"rules of scores for some tests", func(p *envelope.Policy) {
			p.Overrides = []envelope.Override{{Match: "a*", Policy: under("t-interval", 0.8)}}
		}, "rule t-interval judges scores"},
	} {
		policy := under("wilson", 0.9)
		c.change(&policy)
		resolved, err := Resolve(policy)
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		switch err := CheckEarly(resolved); {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", c.reason, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %q", c.reason, err, c.says)
		}
	}
}

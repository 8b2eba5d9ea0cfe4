package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/verdict/gate"
)

// TestWhatNeedsAllTrials: what cannot be told of a test that stopped early, by
// the contract of runs: adjusted p-values, clusters, gates on metrics, rates,
// scores or reliability, and the rules that judge scores.
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
		{"a threshold of the run", func(p *envelope.Policy) { p.RunThreshold = envelope.Some(0.8) }, "run_threshold needs all trials, and failing tests would have fewer"},
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

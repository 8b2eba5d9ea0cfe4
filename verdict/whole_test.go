package verdict

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/verdict/gate"
)

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

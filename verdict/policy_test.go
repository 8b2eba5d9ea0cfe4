package verdict

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/verdict/rule"
	"tribunal/policy"
)

// TestValuesThatAreNoNumbers: whether or not the rule looks at them.
func TestValuesThatAreNoNumbers(t *testing.T) {
	fields := map[string]func(*envelope.Policy) *envelope.Opt[float64]{
		"threshold":          func(p *envelope.Policy) *envelope.Opt[float64] { return &p.Threshold },
		"score_threshold":    func(p *envelope.Policy) *envelope.Opt[float64] { return &p.ScoreThreshold },
		"confidence":         func(p *envelope.Policy) *envelope.Opt[float64] { return &p.Confidence },
		"alpha":              func(p *envelope.Policy) *envelope.Opt[float64] { return &p.Alpha },
		"beta":               func(p *envelope.Policy) *envelope.Opt[float64] { return &p.Beta },
		"gap":                func(p *envelope.Policy) *envelope.Opt[float64] { return &p.Gap },
		"min_coverage":       func(p *envelope.Policy) *envelope.Opt[float64] { return &p.MinCoverage },
		"cost_limit_usd":     func(p *envelope.Policy) *envelope.Opt[float64] { return &p.CostLimitUSD },
		"run_cost_limit_usd": func(p *envelope.Policy) *envelope.Opt[float64] { return &p.RunCostLimitUSD },
		"prior_alpha":        func(p *envelope.Policy) *envelope.Opt[float64] { return &p.PriorAlpha },
		"prior_beta":         func(p *envelope.Policy) *envelope.Opt[float64] { return &p.PriorBeta },
		"tau":                func(p *envelope.Policy) *envelope.Opt[float64] { return &p.Tau },
		"lambda":             func(p *envelope.Policy) *envelope.Opt[float64] { return &p.Lambda },
	}
	refused := func(name string, p envelope.Policy) {
		if err := CheckValues(p); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s in %+v: error %v", name, p, err)
		}
	}
	for name, field := range fields {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			var p envelope.Policy
			*field(&p) = envelope.Some(v)
			refused(name, p)
		}
	}
	for name, field := range fields {
		if name == "alpha" || name == "beta" || name == "gap" {
			for _, v := range []float64{0, 1, -0.1, 1.5} {
				var p envelope.Policy
				*field(&p) = envelope.Some(v)
				refused(name, p)
			}
		}
	}
	refused("category 1", envelope.Policy{CategoryWeights: []float64{0, math.NaN()}})
	refused("category 0", envelope.Policy{CategoryWeights: []float64{math.Inf(-1), 1}})
}

// TestErrorsComeInOneOrder: two mistakes in one policy are always told alike.
func TestErrorsComeInOneOrder(t *testing.T) {
	p := envelope.Policy{PriorAlpha: envelope.Some(0.0), PriorBeta: envelope.Some(0.0)}
	for range 50 {
		err := fmt.Sprint(CheckValues(p))
		if a, b := strings.Index(err, "prior_alpha"), strings.Index(err, "prior_beta"); a < 0 || b < a {
			t.Fatal(err)
		}
	}
}

// TestJudgingAgainIsJudgingUnderAllLayers: a layer on top of the policy of an
// envelope gives what it gives on top of the layer the envelope was made with.
func TestJudgingAgainIsJudgingUnderAllLayers(t *testing.T) {
	some := envelope.Some[float64]
	for _, c := range []struct {
		reason       string
		first, layer envelope.Policy
	}{
		{"alpha follows the confidence", under("sprt", 0.9), envelope.Policy{Confidence: some(0.99)}},
		{"but not when it was chosen", envelope.Policy{Rule: "sprt", Threshold: some(0.9), Alpha: some(0.01)}, envelope.Policy{Confidence: some(0.9)}},
		{"nor when the layer says it", under("sprt", 0.9), envelope.Policy{Confidence: some(0.99), Alpha: some(0.05)}},
		{"the mean's threshold follows that of scores", under("mean", 0), envelope.Policy{ScoreThreshold: some(0.9)}},
		{"a chosen one does not", under("mean", 0.7), envelope.Policy{ScoreThreshold: some(0.9)}},
		{"another rule has no use for the error rates", under("sprt", 0.9), under("wilson", 0)},
		{"another sequential rule derives the same", under("sprt", 0.9), under("anytime", 0)},
		{"from the mean to wald", envelope.Policy{Rule: "mean", ScoreThreshold: some(0.9)}, under("wald", 0)},
		{"nothing said", under("sprt", 0.9), envelope.Policy{}},
		{"the rule of the default is nobody's choice", envelope.Policy{}, envelope.Policy{Rule: rule.UnlessNamed}},
		{"a chosen rule stays", under("all", 0), envelope.Policy{Rule: rule.UnlessNamed}},
		{"so does a sequential one", under("sprt", 0.9), envelope.Policy{Rule: rule.UnlessNamed}},
	} {
		recorded := resolved(t, c.first)
		again, err := Resolve(Layer(Unresolve(recorded), c.layer))
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		at, err := Resolve(Layer(c.first, c.layer))
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		if !reflect.DeepEqual(again, at) {
			t.Errorf("%s:\nagain %+v\n   at %+v", c.reason, again, at)
		}
	}
	if p, _ := Resolve(Layer(under("", 0), envelope.Policy{Rule: rule.UnlessNamed})); p.Rule != "wald" || p.Threshold.V != 0.5 {
		t.Errorf("no rule named: %+v", p)
	}
	if p, _ := Resolve(Layer(under("wilson", 0.9), envelope.Policy{Rule: rule.UnlessNamed})); p.Rule != "wilson" {
		t.Errorf("a rule of the file is overridden by %s", p.Rule)
	}
}

// TestALayerMaySayEverything: one that says all that an effective policy does is
// still a layer, and the rule it names is somebody's choice.
func TestALayerMaySayEverything(t *testing.T) {
	everything := resolved(t, envelope.Policy{})
	asked := everything.Policy
	if p := Layer(asked, envelope.Policy{Rule: rule.UnlessNamed}); p.Rule != "all" || p.RetryRule != "any" {
		t.Errorf("asked for all and any, got %s and %s", p.Rule, p.RetryRule)
	}
	if p := Layer(Asked(envelope.Carried{Held: &everything}), envelope.Policy{Rule: rule.UnlessNamed}); p.Rule != rule.UnlessNamed {
		t.Errorf("nobody chose a rule, got %s", p.Rule)
	}
	if p := Layer(Asked(envelope.Carried{Asked: &asked}), envelope.Policy{Rule: rule.UnlessNamed}); p.Rule != "all" {
		t.Errorf("a runner asked for all, got %s", p.Rule)
	}
}

// TestAnOverrideSaysWhatItSays: an error rate that one chose is not derived anew
// under a later one, although it is what the rule would derive.
func TestAnOverrideSaysWhatItSays(t *testing.T) {
	some := envelope.Some[float64]
	p := under("sprt", 0.9)
	p.Overrides = []envelope.Override{
		{Match: "*", Policy: envelope.Policy{Alpha: some(0.05)}},
		{Match: "a", Policy: envelope.Policy{Confidence: some(0.9)}},
	}
	env, err := sealAll(map[string]string{"a": "P", "b": "P"}, p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range env.Tests {
		if h := env.Tests[i].Verdict.Hypotheses; h == nil || h.Alpha != 0.05 {
			t.Errorf("%s: %+v, want alpha 0.05", env.Tests[i].Key, h)
		}
	}
}

func TestTheThresholdOfWaldIsNotInherited(t *testing.T) {
	base := resolved(t, envelope.Policy{Rule: InconclusiveRule})
	if _, err := Resolve(Layer(Unresolve(base), under("wilson", 0))); err == nil || !strings.Contains(err.Error(), "needs a threshold") {
		t.Errorf("wilson on top: %v", err)
	}
	overridden := envelope.Policy{Rule: InconclusiveRule, Overrides: []envelope.Override{{Match: "a", Policy: under("wilson", 0)}}}
	if _, err := Resolve(overridden); err == nil || !strings.Contains(err.Error(), "needs a threshold") {
		t.Errorf("wilson in an override: %v", err)
	}
}

// TestEveryAdjustmentIsAWordOfItsKey: the table of policy keys names them, the table of adjustments computes them.
func TestEveryAdjustmentIsAWordOfItsKey(t *testing.T) {
	var computed []string
	for _, a := range adjustmentTable {
		computed = append(computed, a.name)
	}
	if words := policy.ByName("adjust").Words; !slices.Equal(computed, words) {
		t.Errorf("computed are %v, the key is one of %v", computed, words)
	}
}

// TestTheRuleForRetriesIsHeldToo: what it looks at is asked for, held against its range and filled in as for the rule of
// the policy. At a threshold that nobody gave, one pass of six was a pass.
func TestTheRuleForRetriesIsHeldToo(t *testing.T) {
	for _, c := range []struct {
		retry     string
		threshold envelope.Opt[float64]
		says      string
	}{
		{"wilson", envelope.Opt[float64]{}, "retry_rule wilson needs a threshold"},
		{"exact", envelope.Some(1.0), "threshold 1 is out of range for rule exact"},
		{"sprt", envelope.Some(0.01), "threshold 0.01 is out of range for rule sprt: give 0.02 to 0.999"},
		{"t-interval", envelope.Opt[float64]{}, "retry_rule t-interval needs a threshold"},
	} {
		_, err := Resolve(envelope.Policy{RetryRule: c.retry, Threshold: c.threshold})
		if err == nil || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%s at %v: error %v, want %s", c.retry, c.threshold, err, c.says)
		}
	}
	held, err := Resolve(envelope.Policy{RetryRule: "anytime", Threshold: envelope.Some(90.0)})
	if err != nil || held.Threshold != envelope.Some(0.9) || held.Alpha != envelope.Some(0.05) || held.Beta != envelope.Some(0.2) || held.Gap != envelope.Some(0.1) || held.MinTrials != envelope.Some(1) {
		t.Errorf("rule anytime for retries is held under %+v, %v", held.Policy, err)
	}
	if p := Unresolve(held); p.Alpha.OK || p.Beta.OK || p.Gap.OK || p.Threshold != envelope.Some(0.9) {
		t.Errorf("what was derived for retries is asked for: %+v", p)
	}
	held, err = Resolve(envelope.Policy{RetryRule: "mean", Threshold: envelope.Some(60.0)})
	if err != nil || held.Threshold != envelope.Some(60.0) {
		t.Errorf("a mean score of 60 is held as %v, %v", held.Threshold, err)
	}
}

// TestARuleByAnotherName: what was said of a rule holds when a layer names it again, by whichever of its names, and not for another rule.
func TestARuleByAnotherName(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          envelope.Opt[int]
	}{
		{"confidence_interval", "t-interval", envelope.Some(20)},
		{"t-interval", "confidence_interval", envelope.Some(20)},
		{"wald", rule.UnlessNamed, envelope.Some(20)},
		{"wilson", "exact", envelope.Opt[int]{}},
	} {
		got := Layer(envelope.Policy{Rule: c.before, MinTrials: envelope.Some(20)}, envelope.Policy{Rule: c.after}).MinTrials
		if got != c.want {
			t.Errorf("%s, then %s: a minimum of %v trials, want %v", c.before, c.after, got, c.want)
		}
	}
}

// TestSeveralPoliciesThatCame: where a rule is asked for, what all of them say holds beneath it, and what they differ in is named.
func TestSeveralPoliciesThatCame(t *testing.T) {
	floor, ceiling := gate.Named("", "summary.fail == 0"), gate.Named("", "summary.tests < 9")
	came := func(threshold float64, coverage float64, gates ...envelope.GateExpr) *envelope.Carried {
		p := under("wilson", threshold)
		p.Gates, p.MinCoverage, p.TreatAs = gates, envelope.Some(coverage), "fail"
		return &envelope.Carried{Asked: &p}
	}
	for _, c := range []struct {
		reason        string
		first, second *envelope.Carried
		asked         envelope.Policy
		gates         int
		says          string
	}{
		{"all but the threshold is alike", came(0.8, 0.5, floor), came(0.9, 0.5, floor), under("exact", 0.7), 1, ""},
		{"the gates are not", came(0.8, 0.5, floor), came(0.8, 0.5, floor, ceiling), under("exact", 0.7), 0, "keys that differ are ignored: gates"},
		{"nor is the coverage", came(0.8, 0.5), came(0.8, 0.6, floor), under("exact", 0.7), 0, "keys that differ are ignored: min_coverage, gates"},
		{"gates are asked for", came(0.8, 0.5, floor), came(0.8, 0.5), envelope.Policy{Rule: "all", Gates: []envelope.GateExpr{ceiling, floor}}, 2, ""},
	} {
		b := count.NewBuilder(5, 0.5)
		for i, policy := range []*envelope.Carried{c.first, c.second} {
			in := b.Input(fmt.Sprint(i), "native")
			in.Header(envelope.Header{}, policy)
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass})
			in.Close()
		}
		env, err := Judge(b, c.asked)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if p := env.Policy; p.Rule != c.asked.Rule || p.TreatAs != "fail" || len(p.Gates) != c.gates {
			t.Errorf("%s: judged under %+v", c.reason, p.Policy)
		}
		said := ""
		if p := problemOf(env, envelope.CodePolicies); p != nil {
			said = p.Message
		}
		if said == "" != (c.says == "") || !strings.Contains(said, c.says) {
			t.Errorf("%s: it says %q, want %q", c.reason, said, c.says)
		}
	}
}

// TestRulesThatWereNamed: that the rules of no name were named is told of a run that is
// judged as a whole, and comes back with its policy.
func TestRulesThatWereNamed(t *testing.T) {
	some := envelope.Some(0.9)
	for _, c := range []struct {
		asked envelope.Policy
		named bool
	}{
		{envelope.Policy{RunThreshold: some}, false},
		{envelope.Policy{RunThreshold: some, Rule: "all", RetryRule: "any"}, true},
		{envelope.Policy{RunThreshold: some, Rule: "pass_all", RetryRule: "pass_any"}, true},
		{envelope.Policy{RunThreshold: some, RetryRule: "any"}, true},
		{envelope.Policy{RunThreshold: some, Rule: "all"}, false}, // retries are under all as well, which tells
		{envelope.Policy{Rule: "all", RetryRule: "any"}, false},   // nothing depends on it
	} {
		held, err := Resolve(c.asked)
		if err != nil || held.RuleNamed.V != c.named {
			t.Errorf("%+v: named %v, %v", c.asked, held.RuleNamed, err)
		}
		if again, err := Resolve(Unresolve(held)); err != nil || !reflect.DeepEqual(again, held) {
			t.Errorf("%+v: judged again under %+v, %v", c.asked, again.Policy, err)
		}
	}
}

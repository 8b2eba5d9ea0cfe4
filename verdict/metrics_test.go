package verdict

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/policy"
)

func metricNamed(ms []envelope.Metric, name string, k int) *envelope.Metric {
	for i := range ms {
		if ms[i].Name == name && ms[i].Variant == "" && (k == 0 || ms[i].Params["k"] == k) {
			return &ms[i]
		}
	}
	return nil
}

// TestDefaultMetrics by hand: rows 2 of 4 and 4 of 4. pass@2 = (1 - 1/6 + 1)/2, pass^2 = (1/6 + 1)/2.
func TestDefaultMetrics(t *testing.T) {
	env, err := sealAll(map[string]string{"a": "PPFF", "b": "PPPP"}, envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		k    int
		want float64
	}{
		{"avg", 0, 0.75}, {"pass_at_k", 1, 0.75}, {"pass_at_k", 2, 11.0 / 12}, {"pass_at_k", 4, 1},
		{"pass_hat_k", 1, 0.75}, {"pass_hat_k", 2, 7.0 / 12}, {"pass_hat_k", 4, 0.5},
	} {
		m := metricNamed(env.Metrics, c.name, c.k)
		if m == nil || math.Abs(m.Value.V-c.want) > 1e-12 || m.TestsUsed != 2 || m.TestsTotal != 2 {
			t.Errorf("%s k=%d: %+v, want %v over 2 of 2 tests", c.name, c.k, m, c.want)
		}
		if m != nil && !(m.Lo.V <= m.Hi.V && m.Lo.OK) {
			t.Errorf("%s k=%d has no interval: %+v", c.name, c.k, m)
		}
	}
	if m := metricNamed(env.Metrics, "pass_at_k", 8); m != nil {
		t.Errorf("pass@8 of 4 trials: %+v", m)
	}
}

func TestIntervalsStayAmongTheRewards(t *testing.T) {
	env, err := sealAll(map[string]string{"a": "PPPF"}, envelope.Policy{Metrics: policy.MetricsAll})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range env.Metrics {
		if m.Lo.OK && (m.Lo.V < 0 || m.Hi.V > 1) {
			t.Errorf("%s %v: %v to %v", m.Name, m.Params, m.Lo.V, m.Hi.V)
		}
	}
}

func TestMetricsOnRaggedRowsAndAskedDepths(t *testing.T) {
	env, err := sealAll(map[string]string{"a": "PF", "b": "PPPPPP"}, envelope.Policy{K: []int{1, 5, 50}})
	if err != nil {
		t.Fatal(err)
	}
	if m := metricNamed(env.Metrics, "pass_hat_k", 5); m == nil || m.TestsUsed != 1 || m.TestsTotal != 2 || m.Value.V != 1 {
		t.Errorf("pass^5 uses the one test with five trials: %+v", m)
	}
	if m := metricNamed(env.Metrics, "pass_at_k", 50); m == nil || m.Value.OK || !strings.Contains(m.Note, "no test has 50") {
		t.Errorf("pass@50 is absent and says why: %+v", m)
	}
}

func TestEveryMetricOnRequest(t *testing.T) {
	few, err := sealAll(map[string]string{"a": "PPFF"}, envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := sealAll(map[string]string{"a": "PPFF"}, envelope.Policy{Metrics: policy.MetricsAll, Tau: envelope.Some(0.75)})
	if err != nil {
		t.Fatal(err)
	}
	none, err := sealAll(map[string]string{"a": "PPFF"}, envelope.Policy{Metrics: policy.MetricsNone})
	if err != nil {
		t.Fatal(err)
	}
	if len(none.Metrics) != 0 || len(all.Metrics) <= len(few.Metrics) {
		t.Errorf("%d, %d and %d metrics", len(none.Metrics), len(few.Metrics), len(all.Metrics))
	}
	if m := metricNamed(all.Metrics, "g_pass_at_k_tau", 4); m == nil || m.Params["tau"] != 0.75 || m.Value.V != 0 {
		t.Errorf("three of four must pass and two do: %+v", m)
	}
}

func TestMetricsPerVariant(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	for _, c := range []struct {
		variant string
		status  envelope.Status
	}{{"m1", "pass"}, {"m2", "fail"}} {
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t", Variant: c.variant}, Status: c.status})
	}
	env := sealBuilt(t, b, envelope.Policy{})
	got := ""
	for _, m := range env.Metrics {
		if m.Name == "avg" {
			got += fmt.Sprintf("%s=%v ", m.Variant, m.Value.V)
		}
	}
	if got != "=0.5 m1=1 m2=0 " {
		t.Errorf("averages %s", got)
	}
}

func TestCategoryWeights(t *testing.T) {
	policy := envelope.Policy{CategoryWeights: []float64{0, 0.5, 1}}
	seal := func(category int32) (*envelope.Envelope, error) {
		p, err := Resolve(policy)
		if err != nil {
			return nil, err
		}
		b := count.NewBuilder(5, 0.5)
		in := b.Input("s", "native")
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Category: envelope.Some(category)})
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Category: envelope.Some(int32(2))})
		return Seal(b.Run(p.OnConflict, 5), p)
	}
	env, err := seal(1)
	if err != nil {
		t.Fatal(err)
	}
	if m := metricNamed(env.Metrics, "avg", 0); m == nil || m.Value.V != 0.75 {
		t.Errorf("mean of 0.5 and 1: %+v", m)
	}
	if env, err = seal(3); err != nil {
		t.Fatalf("a category without a weight keeps the whole report away: %v", err)
	}
	if m := metricNamed(env.Metrics, "avg", 0); m == nil || m.Value.OK || m.TestsTotal != 1 || !strings.Contains(m.Note, "category 3") {
		t.Errorf("a category without a weight: %+v, want no value and a note", m)
	}
	if m := metricNamed(env.Metrics, "pass_at_k", 1); m == nil || m.Value.V != 1 {
		t.Errorf("pass@1 needs no weights: %+v", m)
	}
}

// TestClusters: two suites, one always passing and one always failing, are two observations and not twenty.
func TestClusters(t *testing.T) {
	strips := map[string]string{}
	for i := range 5 {
		strips[fmt.Sprintf("good/%d", i)] = "PP"
		strips[fmt.Sprintf("bad/%d", i)] = "FF"
	}
	env, err := sealAll(strips, envelope.Policy{ClusterBy: "suite"})
	if err != nil {
		t.Fatal(err)
	}
	c := env.Summary.Clusters
	if c == nil || c.Count != 2 || c.ICC.V != 1 || math.Abs(c.EffectiveN.V-2) > 1e-9 || math.Abs(c.DesignEffect.V-10) > 1e-9 {
		t.Errorf("%+v, want 2 clusters, correlation 1, design effect 10, effective n 2", c)
	}
	warned := false
	for _, p := range env.Problems {
		warned = warned || p.Code == envelope.CodeClusters
	}
	if !warned {
		t.Error("no warning that the binomial interval is not credible")
	}
	if none, err := sealAll(strips, envelope.Policy{}); err != nil || none.Summary.Clusters != nil {
		t.Errorf("clusters without being asked: %+v, %v", none.Summary.Clusters, err)
	}
}

// TestDepthsOfManyTrials: 16,384 trials are more than the 10,000 a metric may be computed for.
func TestDepthsOfManyTrials(t *testing.T) {
	env, err := sealAll(map[string]string{"a": repeat("PPPF", 1<<12)}, envelope.Policy{Metrics: policy.MetricsAll})
	if err != nil {
		t.Fatal(err)
	}
	if m := metricNamed(env.Metrics, "pass_hat_k", 8192); m == nil || !m.Value.OK {
		t.Errorf("the largest power of two up to 10,000: %+v", m)
	}
	if m := metricNamed(env.Metrics, "mg_pass_at_k", 1024); m == nil || !m.Value.OK {
		t.Errorf("the deepest that costs no minutes: %+v", m)
	}
	if m := metricNamed(env.Metrics, "mg_pass_at_k", 2048); m != nil {
		t.Errorf("a depth that takes long comes unasked: %+v", m)
	}
	if m := metricNamed(env.Metrics, "pass_at_k", 16384); m != nil {
		t.Errorf("nobody asked for 16384: %+v", m)
	}
	asked, err := sealAll(map[string]string{"a": repeat("P", 3)}, envelope.Policy{Metrics: policy.MetricsAll, K: []int{20_000}})
	if err != nil {
		t.Fatal(err)
	}
	if m := metricNamed(asked.Metrics, "mg_pass_at_k", 20_000); m == nil || m.Value.OK || !strings.Contains(m.Note, "1..10000") {
		t.Errorf("an impossible depth: %+v, want no value and a note", m)
	}
}

func TestDepthsAreSortedOnceEach(t *testing.T) {
	given := []int{4, 1, 4, 2}
	p, err := Resolve(envelope.Policy{K: given})
	if err != nil || fmt.Sprint(p.K, given) != "[1 2 4] [4 1 4 2]" {
		t.Errorf("%v of %v, %v", p.K, given, err)
	}
	many := make([]int, 101)
	for i := range many {
		many[i] = i + 1
	}
	if _, err := Resolve(envelope.Policy{K: many}); err == nil || !strings.Contains(err.Error(), "at most 100") {
		t.Errorf("101 depths: %v", err)
	}
}

func TestVariantsWithMetricsAreBounded(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	for i := range 60 {
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t", Variant: fmt.Sprintf("v%02d", i)}, Status: "pass"})
	}
	env := sealBuilt(t, b, envelope.Policy{})
	seen := map[string]bool{}
	for _, m := range env.Metrics {
		seen[m.Variant] = true
	}
	if len(seen) != 51 || !seen["v49"] || seen["v50"] {
		t.Errorf("%d variants, want the run and v00 to v49", len(seen))
	}
	if p := problemOf(env, codeVariants); p == nil || !strings.Contains(p.Message, "60 variants") {
		t.Errorf("nobody says so: %+v", env.Problems)
	}
}

func problemOf(env *envelope.Envelope, code string) *envelope.Problem {
	for i := range env.Problems {
		if env.Problems[i].Code == code {
			return &env.Problems[i]
		}
	}
	return nil
}

func TestClusterByALabel(t *testing.T) {
	for _, c := range []struct {
		reason, by, note string
	}{
		{"the same for all trials of a test", "tier", ""},
		{"another for every trial", "seed", "varies from trial to trial in 4 tests"},
		{"a label nobody has", "teir", `no test has the label "teir"`},
		{"no label is needed", "test", ""},
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("s", "native")
		for i := range 16 {
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: fmt.Sprint(i % 4)}, Attempt: envelope.Some(int32(i)), Status: []envelope.Status{"pass", "fail", "pass"}[i%3],
				Labels: []envelope.Label{{Name: "tier", Value: fmt.Sprint(i % 2)}, {Name: "seed", Value: fmt.Sprint(i)}}})
		}
		in.Close()
		env := sealBuilt(t, b, envelope.Policy{ClusterBy: c.by})
		got, warned := env.Summary.Clusters, problemOf(env, codeClusterBy)
		if measured := got.Count > 0 && got.Rate != nil && got.ICC.OK; measured != (c.note == "") || !strings.Contains(got.Note, c.note) {
			t.Errorf("%s: %+v, want a note with %q", c.reason, got, c.note)
		}
		if (warned != nil) != (c.note != "") || warned != nil && (warned.Severity != envelope.SeverityWarning || !strings.Contains(warned.Message, "suite")) {
			t.Errorf("%s: warning %+v", c.reason, warned)
		}
	}
}

// TestAThirdCategoryWithoutWeightsIsSaid: metrics of two outcomes hide it.
func TestAThirdCategoryWithoutWeightsIsSaid(t *testing.T) {
	for category, asked := range map[int32][2]bool{0: {}, 1: {}, 2: {true, false}} {
		for i, p := range []envelope.Policy{{}, {CategoryWeights: []float64{0, 0.5, 1}}} {
			b := count.NewBuilder(5, 0.5)
			in := b.Input("s", "native")
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: "a"}, Status: "pass", Category: envelope.Some(category)})
			in.Close()
			env, err := Judge(b, p)
			if err != nil {
				t.Fatal(err)
			}
			if said := strings.Contains(fmt.Sprint(env.Problems), "1 counted trial has a category above 1"); said != asked[i] {
				t.Errorf("category %d, weights %v: %v", category, p.CategoryWeights, env.Problems)
			}
		}
	}
}

package verdict

import (
	"fmt"
	"maps"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/parallel"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/reliability"
)

const (
	deepest      = 1 << 13 // largest depth that nobody has to ask for
	deepestOther = 1 << 10 // the same for metrics off the default set: a depth costs them its square
	maxVariants  = 50      // variants that get metrics of their own
	codeVariants = "unmeasured-variants"
)

// defaultMetrics are computed when nothing is asked for.
var defaultMetrics = []string{"avg", "bayes", "pass_at_k", "pass_hat_k"}

// computeMetrics computes the metrics of the run, and those of each variant when there are several.
func computeMetrics(env *envelope.Envelope) error {
	if env.Policy.Metrics == policy.MetricsNone && len(env.Policy.Metric) == 0 || len(env.Tests) == 0 {
		return nil
	}
	all := group{policy: env.Policy, tests: make([]*envelope.Test, len(env.Tests)), places: make([]int, len(env.Tests))}
	for i := range env.Tests {
		all.tests[i], all.places[i] = &env.Tests[i], i
	}
	all.whole = len(all.tests)
	var err error
	if env.Metrics, err = all.metrics(); err != nil {
		return err
	}
	if n := all.beyondTwo(); n > 0 {
		env.Problems = append(env.Problems, envelope.Problem{Severity: envelope.SeverityInfo, Code: "unweighted-categories",
			Stage: envelope.StageJudge,
			Message: words.Plural(n, "counted trial has", "counted trials have") +
				" a category above 1, counted as a pass or a failure; weight each category from 0 up, as in " +
				"--metric 'bayes(weights=[0, 0.5, 1])' or category_weights"})
	}
	groups := all.variants()
	for _, g := range groups[:min(len(groups), maxVariants)] {
		more, err := g.metrics()
		if err != nil {
			return err
		}
		env.Metrics = append(env.Metrics, more...)
	}
	if len(groups) > maxVariants {
		env.Problems = append(env.Problems, envelope.Problem{Severity: envelope.SeverityInfo, Code: codeVariants, Stage: envelope.StageJudge,
			Message: fmt.Sprintf("there are %d variants: only the first %d by name have their own metrics", len(groups), maxVariants)})
	}
	return nil
}

// beyondTwo counts trials of a third category, where no weights say what it is worth.
func (g group) beyondTwo() (n int) {
	weighed := func(call envelope.MetricCall) bool { return call.Params["weights"] != nil || call.Params["w"] != nil }
	if len(g.policy.CategoryWeights) > 0 || slices.ContainsFunc(g.policy.Metric, weighed) {
		return 0
	}
	for _, t := range g.tests {
		for i, outcome := range t.Rows.Outcome {
			if category, ok := t.Rows.Category().At(i); ok && category > 1 && outcome.Counted() {
				n++
			}
		}
	}
	return n
}

// group are tests to compute metrics of: those of the run, or of a variant.
type group struct {
	policy  envelope.Effective
	variant string
	tests   []*envelope.Test
	places  []int // of each in the run
	whole   int   // tests of the run
}

// variants are the groups of named variants, when there are at least two.
func (g group) variants() []group {
	if !slices.ContainsFunc(g.tests, func(t *envelope.Test) bool { return t.Variant != g.tests[0].Variant }) {
		return nil
	}
	sizes, groups := map[string]int{}, map[string]*group{}
	for _, t := range g.tests {
		sizes[t.Variant]++
	}
	for i, t := range g.tests {
		of := groups[t.Variant]
		if of == nil {
			n := sizes[t.Variant]
			of = &group{policy: g.policy, variant: t.Variant, whole: g.whole, tests: make([]*envelope.Test, 0, n), places: make([]int, 0, n)}
			groups[t.Variant] = of
		}
		of.tests, of.places = append(of.tests, t), append(of.places, i)
	}
	var named []group
	for _, variant := range slices.SortedFunc(maps.Keys(groups), envelope.CompareNames) {
		if variant != "" {
			named = append(named, *groups[variant])
		}
	}
	return named
}

// metrics computes the metrics of the group. One that cannot be computed is there without a value and says why.
func (g group) metrics() ([]envelope.Metric, error) {
	plain, err := reliability.NewSample(each.Of(g.tests, func(t *envelope.Test) reliability.Counts {
		return reliability.Counts{Passed: t.Trials.Passed, N: t.Trials.Counted}
	}))
	if err != nil || plain.MinTrials() == 0 {
		return nil, err
	}
	weighted := withCategories(plain, g.tests, g.policy.CategoryWeights)
	table := reliability.Metrics()
	return slices.Concat(parallel.All(len(table), func(i int) (out []envelope.Metric) {
		m, called := table[i], false
		for _, call := range g.policy.Metric {
			if call.Name == m.Name {
				out, called = append(out, g.evaluateCall(m, call, plain)...), true
			}
		}
		if called || !wanted(m.Name, g.policy.Metrics) {
			return out
		}
		for _, k := range depths(m, g.policy, plain) {
			out = append(out, g.evaluate(m, weighted.of(m, plain), metricParams(g.policy, k)))
		}
		return out
	})...), nil
}

// evaluateCall computes a metric with parameters of its own, which lie over those of the policy.
func (g group) evaluateCall(m reliability.Metric, call envelope.MetricCall, plain *reliability.Sample) (out []envelope.Metric) {
	base := metricParams(g.policy, 1)
	given, err := setGiven(m, call, &base)
	if err != nil {
		return []envelope.Metric{{Name: m.Name, TestsTotal: len(g.tests), Variant: g.variant, Note: err.Error()}}
	}
	if _, bounded := given["bounds"]; !bounded {
		base.Bounds = rewardBounds(base.W)
	}
	ks := depths(m, g.policy, plain)
	if k, depth := given["k"].(float64); depth {
		ks = []int{int(k)}
	} else if len(base.Weights) > 0 {
		ks = []int{len(base.Weights)}
	}
	sample, rows := withCategories(plain, g.tests, base.W).of(m, plain), len(base.Prior)
	if rows == g.whole {
		base.Prior = each.Of(g.places, func(place int) reliability.Categories { return base.Prior[place] })
	}
	for _, k := range ks {
		p := base
		p.K = k
		entry := envelope.Metric{Name: m.Name, TestsTotal: len(g.tests), Variant: g.variant, Params: said(m.Values(p)),
			Note: fmt.Sprintf("R0 has %s for %s: give one for each test, in the order of -f csv",
				words.Plural(rows, "row", "rows"), words.Plural(g.whole, "test", "tests"))}
		if rows == 0 || rows == g.whole {
			entry = g.evaluate(m, sample, p)
		}
		entry.Params = withGiven(entry.Params, given, rows)
		out = append(out, entry)
	}
	return out
}

// withGiven adds what only the interval reads. Of earlier outcomes it says how many tests have some: they stand in the policy.
func withGiven(params, given map[string]any, rows int) map[string]any {
	for name, value := range given {
		if name == "prior" {
			name, value = "R0", words.Plural(rows, "row", "rows")
		}
		if _, there := params[name]; there {
			continue
		}
		each.Put(&params, name, value)
	}
	return params
}

func wanted(name, set string) bool {
	return set == policy.MetricsAll || set != policy.MetricsNone && slices.Contains(defaultMetrics, name)
}

// depths are the values of k to compute a metric for: those asked for, or the
// powers of two that every test has trials for, up to the deepest.
func depths(m reliability.Metric, p envelope.Effective, s *reliability.Sample) []int {
	if !slices.Contains(m.Params, "k") {
		return []int{1}
	}
	if len(p.K) > 0 {
		return p.K
	}
	limit := deepestOther
	if slices.Contains(defaultMetrics, m.Name) {
		limit = deepest
	}
	var ks []int
	for k := 1; k <= min(s.MinTrials(), limit); k *= 2 {
		ks = append(ks, k)
	}
	return ks
}

func metricParams(p envelope.Effective, k int) reliability.Params {
	params := reliability.DefaultParams()
	params.K, params.Confidence = k, p.Confidence.V
	params.Tau = p.Tau.Or(params.Tau)
	params.Lambda = p.Lambda.Or(params.Lambda)
	params.Alpha0 = p.PriorAlpha.Or(params.Alpha0)
	params.Beta0 = p.PriorBeta.Or(params.Beta0)
	params.W = p.CategoryWeights
	params.Bounds = rewardBounds(params.W)
	return params
}

// rewardBounds are those of a mean of rewards, which lies among them.
func rewardBounds(w []float64) *[2]float64 {
	if len(w) == 0 {
		return &[2]float64{0, 1}
	}
	return &[2]float64{slices.Min(w), slices.Max(w)}
}

func (g group) evaluate(m reliability.Metric, s counted, params reliability.Params) envelope.Metric {
	out := envelope.Metric{Name: m.Name, Params: said(m.Values(params)), TestsTotal: len(g.tests), Variant: g.variant}
	if s.against != nil {
		out.Note = s.against.Error()
		return out
	}
	e, err := m.Evaluate(s.sample, params)
	if err != nil {
		out.Note = err.Error()
		return out
	}
	out.Value, out.Mu, out.Sigma = envelope.Finite(e.Value), envelope.Finite(e.Mean), envelope.Finite(e.Sigma)
	out.Lo, out.Hi, out.TestsUsed, out.Note = envelope.Finite(e.Lo), envelope.Finite(e.Hi), e.TestsUsed, e.Note
	return out
}

// said leaves out the parameters that stand for a metric's own default.
func said(params map[string]any) map[string]any {
	for name, v := range params {
		switch v := v.(type) {
		case []float64:
			if v == nil {
				delete(params, name)
			}
		case []reliability.Categories:
			delete(params, name)
		}
	}
	if len(params) == 0 {
		return nil
	}
	return params
}

// counted is a sample, or what speaks against having one.
type counted struct {
	sample  *reliability.Sample
	against error
}

// of is the sample that a metric takes: this one where it weighs categories.
func (c counted) of(m reliability.Metric, plain *reliability.Sample) counted {
	if slices.Contains(m.Params, "w") {
		return c
	}
	return counted{sample: plain}
}

func withCategories(plain *reliability.Sample, tests []*envelope.Test, weights []float64) counted {
	if len(weights) == 0 {
		return counted{sample: plain}
	}
	categories := make([]reliability.Categories, len(tests))
	for i, t := range tests {
		var err error
		if categories[i], err = categoriesOf(t, len(weights)); err != nil {
			return counted{against: err}
		}
	}
	sample, err := plain.WithCategories(categories)
	return counted{sample, err}
}

// categoriesOf counts the counted trials by category. A trial without one is in category 1 when it passed and 0 when not.
func categoriesOf(t *envelope.Test, n int) (reliability.Categories, error) {
	counts := make(reliability.Categories, n)
	for i, outcome := range t.Rows.Outcome {
		if !outcome.Counted() {
			continue
		}
		category := t.Rows.JudgedCategory(i)
		if category < 0 || int(category) >= n {
			return nil, fmt.Errorf("test %s has a trial of category %d, but weights go to %d only: give more weights", t.Key, category, n-1)
		}
		counts[category]++
	}
	return counts, nil
}

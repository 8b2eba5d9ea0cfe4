package verdict

import (
	"fmt"
	"maps"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/parallel"
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

// measure computes the metrics of the run, and those of each variant when there
// are several.
func measure(env *envelope.Envelope) error {
	if env.Policy.Metrics == policy.MetricsNone || len(env.Tests) == 0 {
		return nil
	}
	all := make([]*envelope.Test, len(env.Tests))
	for i := range env.Tests {
		all[i] = &env.Tests[i]
	}
	var err error
	if env.Metrics, err = metricsOf(all, env.Policy, ""); err != nil {
		return err
	}
	names, groups := variants(all)
	for _, variant := range names[:min(len(names), maxVariants)] {
		more, err := metricsOf(groups[variant], env.Policy, variant)
		if err != nil {
			return err
		}
		env.Metrics = append(env.Metrics, more...)
	}
	if len(names) > maxVariants {
		env.Problems = append(env.Problems, envelope.Problem{Severity: envelope.SeverityInfo, Code: codeVariants, Stage: envelope.StageJudge,
			Message: fmt.Sprintf("there are %d variants: metrics of their own are given for the first %d by name", len(names), maxVariants)})
	}
	return nil
}

// variants lists the named variants, with the tests of each, when there are at
// least two.
func variants(tests []*envelope.Test) ([]string, map[string][]*envelope.Test) {
	groups := map[string][]*envelope.Test{}
	for _, t := range tests {
		groups[t.Variant] = append(groups[t.Variant], t)
	}
	if len(groups) < 2 {
		return nil, nil
	}
	names := slices.Sorted(maps.Keys(groups))
	return slices.DeleteFunc(names, func(v string) bool { return v == "" }), groups
}

// metricsOf computes the metrics of some tests. One that cannot be computed is
// there without a value and says why.
func metricsOf(tests []*envelope.Test, p envelope.Effective, variant string) ([]envelope.Metric, error) {
	plain, err := sampleOf(tests)
	if err != nil || plain.MinTrials() == 0 {
		return nil, err
	}
	weighted, unweighted := withCategories(plain, tests, p)
	table := reliability.Metrics()
	return slices.Concat(parallel.All(len(table), func(i int) (out []envelope.Metric) {
		m := table[i]
		if !wanted(m.Name, p.Metrics) {
			return nil
		}
		sample, why := plain, error(nil)
		if slices.Contains(m.Params, "w") {
			sample, why = weighted, unweighted
		}
		for _, k := range depths(m, p, plain) {
			entry := evaluateMetric(m, sample, metricParams(p, k), why)
			entry.Variant, entry.TestsTotal = variant, len(tests)
			out = append(out, entry)
		}
		return out
	})...), nil
}

func wanted(name, set string) bool {
	return set == policy.MetricsAll || slices.Contains(defaultMetrics, name)
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
	params.Bounds = &[2]float64{0, 1} // a mean of rewards lies among them
	if len(params.W) > 0 {
		params.Bounds = &[2]float64{slices.Min(params.W), slices.Max(params.W)}
	}
	return params
}

// evaluateMetric computes one metric unless something speaks against it.
func evaluateMetric(m reliability.Metric, s *reliability.Sample, params reliability.Params, against error) envelope.Metric {
	out := envelope.Metric{Name: m.Name, Params: said(m.Values(params))}
	if against != nil {
		out.Note = against.Error()
		return out
	}
	e, err := m.Evaluate(s, params)
	if err != nil {
		out.Note = err.Error()
		return out
	}
	return envelope.Metric{
		Name: out.Name, Params: out.Params, Value: envelope.Finite(e.Value), Mu: envelope.Finite(e.Mean), Sigma: envelope.Finite(e.Sigma), Lo: envelope.Finite(e.Lo), Hi: envelope.Finite(e.Hi),
		TestsUsed: e.TestsUsed, TestsTotal: e.TestsTotal, Note: e.Note,
	}
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

// sampleOf are the sufficient statistics of the tests.
func sampleOf(tests []*envelope.Test) (*reliability.Sample, error) {
	rows := make([]reliability.Counts, len(tests))
	for i, t := range tests {
		rows[i] = reliability.Counts{Passed: t.Trials.Passed, N: t.Trials.Counted}
	}
	return reliability.NewSample(rows)
}

// withCategories adds the counts per category when these have weights.
func withCategories(sample *reliability.Sample, tests []*envelope.Test, p envelope.Effective) (*reliability.Sample, error) {
	if len(p.CategoryWeights) == 0 {
		return sample, nil
	}
	categories := make([]reliability.Categories, len(tests))
	for i, t := range tests {
		var err error
		if categories[i], err = categoriesOf(t, len(p.CategoryWeights)); err != nil {
			return nil, err
		}
	}
	return sample.WithCategories(categories)
}

// categoriesOf counts the counted trials by category. A trial without one is in
// category 1 when it passed and 0 when not.
func categoriesOf(t *envelope.Test, n int) (reliability.Categories, error) {
	counts := make(reliability.Categories, n)
	for i, outcome := range t.Rows.Outcome {
		if !outcome.Counted() {
			continue
		}
		category := int32(0)
		if outcome == envelope.Passed {
			category = 1
		}
		if given, ok := t.Rows.Category.At(i); ok {
			category = given
		}
		if category < 0 || int(category) >= n {
			return nil, fmt.Errorf("test %s has a trial of category %d: category_weights gives weights for 0 to %d only", t.Key, category, n-1)
		}
		counts[category]++
	}
	return counts, nil
}

// ascending is the depths in order, each once.
func ascending(ks []int) []int {
	if len(ks) == 0 {
		return nil
	}
	ks = slices.Clone(ks)
	slices.Sort(ks)
	return slices.Compact(ks)
}

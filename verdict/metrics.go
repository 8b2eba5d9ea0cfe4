package verdict

import (
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/reliability"
	"tribunal/suggest"
)

// The sets of metrics beside a list of names.
const (
	MetricsDefault = "default"
	MetricsAll     = "all"
	MetricsNone    = "none"
)

// defaultMetrics are computed when nothing is asked for.
var defaultMetrics = []string{"avg", "bayes", "pass_at_k", "pass_hat_k"}

// measure computes the metrics of the run, and those of each variant when there
// are several.
func measure(env *envelope.Envelope) error {
	if env.Policy.Metrics == MetricsNone || len(env.Tests) == 0 {
		return nil
	}
	var err error
	if env.Metrics, err = metricsOf(env.Tests, env.Policy, ""); err != nil {
		return err
	}
	for _, variant := range variants(env.Tests) {
		var tests []envelope.Test
		for i := range env.Tests {
			if env.Tests[i].Variant == variant {
				tests = append(tests, env.Tests[i])
			}
		}
		more, err := metricsOf(tests, env.Policy, variant)
		if err != nil {
			return err
		}
		env.Metrics = append(env.Metrics, more...)
	}
	return nil
}

// variants lists the named variants when there are at least two.
func variants(tests []envelope.Test) []string {
	seen := map[string]bool{}
	for i := range tests {
		seen[tests[i].Variant] = true
	}
	if len(seen) < 2 {
		return nil
	}
	var out []string
	for v := range seen {
		if v != "" {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

func metricsOf(tests []envelope.Test, p envelope.Policy, variant string) ([]envelope.Metric, error) {
	sample, err := sampleOf(tests, p)
	if err != nil || sample.MinTrials() == 0 {
		return nil, err
	}
	var out []envelope.Metric
	for _, m := range reliability.Metrics() {
		if !wanted(m.Name, p.Metrics) {
			continue
		}
		for _, k := range depths(m, p, sample) {
			entry, err := evaluateMetric(m, sample, metricParams(p, k))
			if err != nil {
				return nil, fmt.Errorf("metric %s: %w", m.Name, err)
			}
			entry.Variant = variant
			out = append(out, entry)
		}
	}
	return out, nil
}

func wanted(name, set string) bool {
	return set == MetricsAll || slices.Contains(defaultMetrics, name)
}

// depths are the values of k to compute a metric for: those asked for, or the
// powers of two that every test has trials for.
func depths(m reliability.Metric, p envelope.Policy, s *reliability.Sample) []int {
	if !slices.Contains(m.Params, "k") {
		return []int{1}
	}
	if len(p.K) > 0 {
		return p.K
	}
	var ks []int
	for k := 1; k <= s.MinTrials(); k *= 2 {
		ks = append(ks, k)
	}
	return ks
}

func metricParams(p envelope.Policy, k int) reliability.Params {
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

func evaluateMetric(m reliability.Metric, s *reliability.Sample, params reliability.Params) (envelope.Metric, error) {
	e, err := m.Evaluate(s, params)
	if err != nil {
		return envelope.Metric{}, err
	}
	return envelope.Metric{
		Name: m.Name, Params: said(m.Values(params)), Value: finite(e.Value), Mu: finite(e.Mean), Sigma: finite(e.Sigma), Lo: finite(e.Lo), Hi: finite(e.Hi),
		TestsUsed: e.TestsUsed, TestsTotal: e.TestsTotal, Note: e.Note,
	}, nil
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

func finite(v float64) envelope.Opt[float64] {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return envelope.Opt[float64]{}
	}
	return envelope.Some(v)
}

// sampleOf are the sufficient statistics of the tests; with weights for
// categories, also the counts per category.
func sampleOf(tests []envelope.Test, p envelope.Policy) (*reliability.Sample, error) {
	rows := make([]reliability.Counts, len(tests))
	for i := range tests {
		rows[i] = reliability.Counts{Passed: tests[i].Trials.Passed, N: tests[i].Trials.Counted}
	}
	sample, err := reliability.NewSample(rows)
	if err != nil || len(p.CategoryWeights) == 0 {
		return sample, err
	}
	categories := make([]reliability.Categories, len(tests))
	for i := range tests {
		if categories[i], err = categoriesOf(&tests[i], len(p.CategoryWeights)); err != nil {
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
		if int(category) >= n {
			return nil, fmt.Errorf("test %s has a trial of category %d: category_weights gives weights for 0 to %d only", t.Key, category, n-1)
		}
		counts[category]++
	}
	return counts, nil
}

// checkMetrics checks what a policy says of metrics.
func checkMetrics(p envelope.Policy) error {
	if p.Metrics != "" && !slices.Contains([]string{MetricsDefault, MetricsAll, MetricsNone}, p.Metrics) {
		return suggest.Unknown("set of metrics", p.Metrics, []string{MetricsDefault, MetricsAll, MetricsNone})
	}
	for _, k := range p.K {
		if k < 1 {
			return fmt.Errorf("k is %d: give 1 or more", k)
		}
	}
	if n := len(p.CategoryWeights); n == 1 {
		return fmt.Errorf("category_weights has 1 weight: give one for every category, 0 first")
	}
	for name, v := range map[string]envelope.Opt[float64]{"prior_alpha": p.PriorAlpha, "prior_beta": p.PriorBeta} {
		if v.OK && !(v.V > 0) {
			return fmt.Errorf("%s %s is out of range: give a number above 0", name, number(v.V))
		}
	}
	if err := within("tau", p.Tau, 0, 1, "0 to 1"); err != nil {
		return err
	}
	return within("lambda", p.Lambda, 0, 1, "0 to 1")
}

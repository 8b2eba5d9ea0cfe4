package verdict

import (
	"cmp"
	"fmt"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/stats"
)

// overdispersed is the design effect from which a binomial interval is called
// not credible: it claims half as many trials again as there are to speak of.
const overdispersed = 1.5

const codeClusterBy = "unusable-cluster-label"

// addClusters sets how strongly trials of one cluster pass and fail together, and the rate of
// similar tests. The policy says what a cluster is: test (the default), suite, variant or a label.
func addClusters(env *envelope.Envelope) {
	out := &envelope.Clusters{By: cmp.Or(env.Policy.ClusterBy, "test")}
	if out.Note = unusableLabel(env.Tests, out.By); out.Note != "" {
		env.Problems = append(env.Problems, envelope.Problem{Severity: envelope.SeverityWarning, Code: codeClusterBy, Stage: envelope.StageJudge,
			Message: "cluster_by has no effect: " + out.Note})
	} else if err := measureClusters(out, env); err != nil {
		out.Note = err.Error()
	} else {
		env.Summary.Like = out
	}
	if env.Policy.ClusterBy != "" {
		env.Summary.Clusters = out
	}
}

// measureClusters fills in what the clusters of a run say.
func measureClusters(out *envelope.Clusters, env *envelope.Envelope) error {
	groups, rates := clustersOf(env, out.By)
	found, err := stats.Clustering(groups)
	if err != nil {
		return err
	}
	out.Count = found.Clusters
	out.ICC, out.DesignEffect, out.EffectiveN = envelope.Finite(found.ICC), envelope.Finite(found.DesignEffect),
		envelope.Finite(found.EffectiveN)
	confidence := env.Policy.Confidence.V
	mean, _ := stats.MeanDeviation(rates)
	lo, hi := stats.BoundedMean(rates, confidence)
	out.Rate = &envelope.Rate{Value: mean, Lo: lo, Hi: hi, Method: "bounded-mean", Confidence: confidence}
	return nil
}

// unusableLabel says why a name does not part the tests into clusters: the
// trials of a test are counted together, so it must be one value for all.
func unusableLabel(tests []envelope.Test, by string) string {
	varying, having := 0, 0
	for i := range tests {
		if _, ok := clusterName(&tests[i], by); ok {
			having++
		}
		if slices.Contains(tests[i].Varies, by) {
			varying++
		}
	}
	const works = "give test, suite, variant or a label with one value for all trials of a test"
	switch {
	case by == "test" || by == "suite" || by == "variant" || len(tests) == 0:
		return ""
	case varying > 0:
		return fmt.Sprintf("the label %q varies from trial to trial in %s; %s", by, words.Plural(varying, "test", "tests"), works)
	case having == 0:
		return fmt.Sprintf("no test has the label %q; %s", by, works)
	}
	return ""
}

// clustersOf sums the trials of each cluster, and gives the mean rate of the tests of each,
// every test once. A test without the label is a cluster of its own.
func clustersOf(env *envelope.Envelope, by string) (out []stats.Cluster, rates []float64) {
	out, rates = make([]stats.Cluster, 0, len(env.Tests)), make([]float64, 0, len(env.Tests))
	place, tests := map[string]int{}, make([]float64, 0, len(env.Tests)) // of each cluster
	for i := range env.Tests {
		t := &env.Tests[i]
		if t.Trials.Counted == 0 {
			continue
		}
		name, ok := clusterName(t, by)
		at, seen := place[name]
		if !ok || !seen {
			at = len(out)
			out, rates, tests = append(out, stats.Cluster{}), append(rates, 0), append(tests, 0)
		}
		if ok {
			place[name] = at
		}
		out[at].Passed += t.Trials.Passed
		out[at].N += t.Trials.Counted
		tests[at]++
		rates[at] += float64(t.Trials.Passed) / float64(t.Trials.Counted)
	}
	for at := range rates {
		rates[at] /= tests[at]
	}
	return out, rates
}

func clusterName(t *envelope.Test, by string) (string, bool) {
	switch by {
	case "test":
		return "", false
	case "suite":
		return t.Suite, true
	case "variant":
		return t.Variant, true
	}
	name, ok := t.Labels[by]
	return name, ok
}

// notCredible warns in words when trials are far from independent.
func notCredible(env *envelope.Envelope) []envelope.Problem {
	c := env.Summary.Clusters
	if c == nil || !c.DesignEffect.OK || c.DesignEffect.V < overdispersed || c.Rate == nil {
		return nil
	}
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeClusters, Stage: envelope.StageJudge,
		Message: fmt.Sprintf("trials of one %s pass and fail together (correlation %.2f): %d trials count like %.0f, "+
			"so the interval of the run is too narrow; on similar tests the rate is %s to %s %%",
			c.By, c.ICC.V, env.Summary.Trials.Counted, c.EffectiveN.V, words.Percent(c.Rate.Lo), words.Percent(c.Rate.Hi))}}
}

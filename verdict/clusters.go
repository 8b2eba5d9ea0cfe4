package verdict

import (
	"fmt"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/stats"
)

// overdispersed is the design effect from which a binomial interval is called
// not credible: it claims half as many trials again as there are to speak of.
const overdispersed = 1.5

// codeClusterBy is the code of a cluster_by that names no usable label.
const codeClusterBy = "unusable-cluster-label"

// cluster measures how far trials of one cluster pass and fail together, when
// the policy names what a cluster is: test, suite, variant or a label.
func cluster(env *envelope.Envelope) {
	by := env.Policy.ClusterBy
	if by == "" {
		return
	}
	out := &envelope.Clusters{By: by}
	env.Summary.Clusters = out
	if out.Note = unusableLabel(env.Tests, by); out.Note != "" {
		env.Problems = append(env.Problems, envelope.Problem{Severity: envelope.SeverityWarning, Code: codeClusterBy, Stage: envelope.StageJudge,
			Message: "cluster_by measures nothing: " + out.Note})
		return
	}
	if err := measureClusters(out, env); err != nil {
		out.Note = err.Error()
	}
}

// likeThese is what the run says of tests like its own: its tests are the clusters. It
// is nil where too few have trials.
func likeThese(env *envelope.Envelope) *envelope.Clusters {
	out := &envelope.Clusters{By: "test"}
	if err := measureClusters(out, env); err != nil {
		return nil
	}
	return out
}

// measureClusters fills in what the clusters of a run say.
func measureClusters(out *envelope.Clusters, env *envelope.Envelope) error {
	groups := clustersOf(env, out.By)
	found, err := stats.Clustering(groups)
	if err != nil {
		return err
	}
	out.Count = found.Clusters
	out.ICC, out.DesignEffect, out.EffectiveN = envelope.Finite(found.ICC), envelope.Finite(found.DesignEffect), envelope.Finite(found.EffectiveN)
	rate, lo, hi, err := stats.ClusterInterval(groups, env.Policy.Confidence.V)
	if err == nil {
		out.Rate = &envelope.Rate{Value: rate, Lo: max(lo, 0), Hi: min(hi, 1), Method: "beta-binomial and cluster-robust score", Confidence: env.Policy.Confidence.V}
	}
	return err
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
		return fmt.Sprintf("the label %s varies from trial to trial in %s: %s", by, words.Plural(varying, "test", "tests"), works)
	case having == 0:
		return fmt.Sprintf("no test has the label %s: %s", by, works)
	}
	return ""
}

// clustersOf sums the tests of each cluster in the order they come. A test
// without the label is a cluster of its own.
func clustersOf(env *envelope.Envelope, by string) []stats.Cluster {
	out := make([]stats.Cluster, 0, len(env.Tests))
	place := map[string]int{}
	for i := range env.Tests {
		t := &env.Tests[i]
		name, ok := clusterName(t, by)
		at, seen := place[name]
		if !ok || !seen {
			at = len(out)
			out = append(out, stats.Cluster{})
		}
		if ok {
			place[name] = at
		}
		out[at].Passed += t.Trials.Passed
		out[at].N += t.Trials.Counted
	}
	return out
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
		Message: fmt.Sprintf("trials of one %s pass and fail together (intraclass correlation %.2f): %d trials say as much as %.0f independent ones, so the binomial interval of the run is too narrow; the cluster-robust one is %.3f to %.3f",
			c.By, c.ICC.V, env.Summary.Trials.Counted, c.EffectiveN.V, c.Rate.Lo, c.Rate.Hi)}}
}

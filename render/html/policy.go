package html

import (
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
)

// policyWords is the policy as a sentence or two. It names what the policy
// says and explains no rule: the reason of each verdict does that.
func policyWords(p *envelope.Policy) string {
	words := "Judged by the rule " + name(p.Rule, "of the default policy")
	words += withWords(" at threshold ", optional(p.Threshold, number))
	words += withWords(", confidence ", optional(p.Confidence, percent))
	words += withWords(", at least ", optional(p.MinTrials, func(n int) string { return plural(int64(n), "trial") }))
	if p.RetryRule != "" && p.RetryRule != p.Rule {
		words += "; tests that were retried by the rule " + name(p.RetryRule, "")
	}
	words += "."
	if adjust := name(p.Adjust, "none"); adjust != "none" {
		words += " Adjusted for many tests by " + adjust + withWords(" (family: ", name(p.Family, ""), ")") + "."
	}
	words += withWords(" Inconclusive is treated as ", name(p.TreatAs, ""), ".")
	if n := len(p.Overrides); n > 0 {
		words += " " + plural(int64(n), "override") + " for some tests."
	}
	return words
}

// withWords is value between words, or nothing when the value is not known.
func withWords(before, value string, after ...string) string {
	if value == "" {
		return ""
	}
	return before + value + strings.Join(after, "")
}

// policyFacts are all settings of the policy that are set.
func policyFacts(p *envelope.Policy) facts {
	return slices.Concat(ruleFacts(p), countingFacts(p), metricFacts(p))
}

func ruleFacts(p *envelope.Policy) facts {
	var f facts
	f.add("rule", name(p.Rule, ""))
	f.add("rule after retries", name(p.RetryRule, ""))
	f.add("threshold", optional(p.Threshold, number))
	f.add("confidence", optional(p.Confidence, percent))
	f.add("minimum trials", optional(p.MinTrials, func(n int) string { return count(int64(n)) }))
	f.add("minimum coverage", optional(p.MinCoverage, percent))
	f.add("inconclusive is treated as", name(p.TreatAs, ""))
	f.add("alpha", optional(p.Alpha, number))
	f.add("beta", optional(p.Beta, number))
	f.add("gap", optional(p.Gap, number))
	f.add("adjusted by", name(p.Adjust, ""))
	f.add("family", name(p.Family, ""))
	f.add("quarantine", listWords(p.Quarantine, func(q envelope.Quarantine) string { return quarantineWords(&q) }))
	f.add("most tests in quarantine", optional(p.QuarantineCap, func(n int) string { return count(int64(n)) }))
	f.add("gates", listWords(p.Gates, func(g envelope.GateExpr) string { return name(g.Name, "gate") + ": " + name(g.Expr, "") }))
	return f
}

// quarantineWords is an entry of the quarantine.
func quarantineWords(q *envelope.Quarantine) string {
	words := name(q.Match, "no test") + withWords(" from ", name(q.Since, "")) + " until " + name(q.Expires, "no date")
	return words + withWords(", owner ", name(q.Owner, "")) + withWords(", ticket ", name(q.Ticket, "")) + withWords(", at least ", optional(q.AtLeast, number)) + withWords(": ", line(q.Reason))
}

func countingFacts(p *envelope.Policy) facts {
	var f facts
	f.add("score threshold", optional(p.ScoreThreshold, number))
	f.add("detect empty runs", optional(p.DetectEmptyRuns, yesNo))
	f.add("cost limit per test", optional(p.CostLimitUSD, dollars))
	f.add("cost limit of the run", optional(p.RunCostLimitUSD, dollars))
	f.add("conflicting trials", name(p.OnConflict, ""))
	f.add("details kept per test", name(p.KeepDetails, ""))
	f.add("lenient", optional(p.Lenient, yesNo))
	f.add("strict", optional(p.Strict, yesNo))
	f.add("allow empty", optional(p.AllowEmpty, yesNo))
	f.add("trials expected", optional(p.ExpectTrials, count))
	f.add("tests expected", optional(p.ExpectTests, count))
	f.add("secrets redacted", optional(p.Redact, yesNo))
	f.add("patterns redacted", listWords(p.RedactPatterns, func(r envelope.RedactPattern) string {
		return name(r.Kind, "pattern") + ": " + name(r.Pattern, "not shown")
	}))
	f.add("fields redacted", listWords(p.RedactFields, func(field string) string { return name(field, "?") }))
	return f
}

func metricFacts(p *envelope.Policy) facts {
	var f facts
	f.add("metrics", name(p.Metrics, ""))
	f.add("k", listWords(p.K, func(k int) string { return count(int64(k)) }))
	f.add("tau", optional(p.Tau, number))
	f.add("lambda", optional(p.Lambda, number))
	f.add("category weights", listWords(p.CategoryWeights, number))
	f.add("prior alpha", optional(p.PriorAlpha, number))
	f.add("prior beta", optional(p.PriorBeta, number))
	f.add("clusters by", name(p.ClusterBy, ""))
	return f
}

func listWords[T any](list []T, format func(T) string) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = format(v)
	}
	return strings.Join(words, ", ")
}

// overrideTable lists the policies that hold for some tests only.
func overrideTable(overrides []envelope.Override) *table {
	t := newTable("Overrides", "Overrides; later ones win", "tests", "labels", "policy")
	for i := range overrides {
		o := &overrides[i]
		t.row(name(o.Match, "all"), labelWords(o.Labels), factWords(policyFacts(&o.Policy)))
	}
	return t
}

func labelWords(labels map[string]string) string {
	var words []string
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, name(label, "")+"="+name(labels[label], ""))
	}
	return strings.Join(words, ", ")
}

func factWords(fs facts) string {
	return listWords(fs, func(f fact) string { return f.Name + " " + f.Value })
}

package html

import (
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/policy"
)

// policyWords is the policy as a sentence or two. It names what the policy
// says and explains no rule: the reason of each verdict does that.
func policyWords(p *envelope.Effective) string {
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

// policyFacts are all settings of the policy that are set. Overrides have a table
// of their own.
func policyFacts(p *envelope.Policy) facts {
	var f facts
	for i := range policy.Keys {
		if k := &policy.Keys[i]; k.Said(p) {
			f.add(k.Title, settingWords(k, p))
		}
	}
	return f
}

// settingWords is the value of a key, as the type of its field is shown.
func settingWords(k *policy.Key, p *envelope.Policy) string {
	switch v := k.In(p).(type) {
	case *string:
		return name(*v, "")
	case *envelope.Opt[bool]:
		return yesNo(v.V)
	case *envelope.Opt[float64]:
		return map[policy.Unit]func(float64) string{policy.Plain: number, policy.Share: percent, policy.Dollars: dollars}[k.Unit](v.V)
	case *envelope.Opt[int]:
		return count(int64(v.V))
	case *envelope.Opt[int64]:
		return count(v.V)
	case *[]int:
		return listWords(*v, func(n int) string { return count(int64(n)) })
	case *[]float64:
		return listWords(*v, number)
	case *[]string:
		return listWords(*v, func(word string) string { return name(word, "?") })
	case *[]envelope.Quarantine:
		return listWords(*v, func(q envelope.Quarantine) string { return quarantineWords(&q) })
	case *[]envelope.GateExpr:
		return listWords(*v, func(g envelope.GateExpr) string { return name(g.Name, "gate") + ": " + name(g.Expr, "") })
	case *[]envelope.MetricCall:
		return listWords(*v, func(m envelope.MetricCall) string {
			return name(m.Name, "metric") + "(" + paramWords(m.Params) + ")"
		})
	case *[]envelope.RedactPattern:
		return listWords(*v, func(r envelope.RedactPattern) string {
			return name(r.Kind, "pattern") + ": " + name(r.Pattern, "not shown")
		})
	}
	return ""
}

// quarantineWords is an entry of the quarantine.
func quarantineWords(q *envelope.Quarantine) string {
	words := name(q.Match, "no test") + withWords(" from ", name(q.Since, "")) + " until " + name(q.Expires, "no date")
	return words + withWords(", owner ", name(q.Owner, "")) + withWords(", ticket ", name(q.Ticket, "")) + withWords(", at least ", optional(q.AtLeast, number)) + withWords(": ", line(q.Reason))
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

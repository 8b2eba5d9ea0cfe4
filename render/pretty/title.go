package pretty

import (
	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
	"tribunal/verdict/rule"
)

// title says what was run and how it was judged.
func (r *report) title() {
	name := r.field(r.e.Run.Name)
	if name == "" {
		name = r.field(r.e.Run.ID)
	}
	if name == "" {
		name = "Trials"
	}
	s := r.ink.strong.Render(name)
	for _, part := range []struct{ word, text string }{
		{"suite ", r.printed}, {"variant ", r.field(r.variant)}, {"commit ", words.Commit(r.field(r.e.Run.Commit))}} {
		if part.text != "" {
			s += r.sign.dot + part.word + part.text
		}
	}
	r.text("", "  ", s, 4)
	if p := r.policy(); p != "" {
		r.text("", "  ", r.ink.faint.Render(p), 6)
	}
}

// policy is the policy in words.
func (r *report) policy() string {
	p := &r.e.Policy
	s := r.rule(p.Rule, p)
	if p.RetryRule != "" && p.RetryRule != p.Rule {
		s += "; retried tests: " + r.field(p.RetryRule)
	}
	s += extras(p)
	if file := standing.PolicyFile(r.e); file != "" {
		s += "; " + file
	}
	return r.field(s)
}

// rule is a rule with the parameters it uses, or the name of one that this version
// does not know.
func (r *report) rule(name string, p *envelope.Effective) string {
	by, err := rule.ByName(name)
	if err != nil {
		return r.field(name)
	}
	return by.Asks(*p)
}

// extras are the parts of a policy that are off by default.
func extras(p *envelope.Effective) string {
	s := ""
	if p.Adjust != "" && p.Adjust != "none" {
		s += "; adjusted for many tests: " + p.Adjust + " per " + p.Family
	}
	if p.MinCoverage.V > 0 {
		s += "; at least " + words.Percent(p.MinCoverage.V) + " % of the trials counted"
	}
	switch p.TreatAs {
	case "fail":
		s += "; inconclusive counts as failed"
	case "exit3":
		s += "; inconclusive exits with 3"
	}
	if n := len(p.Overrides); n > 0 {
		s += "; " + words.Plural(n, "override", "overrides")
	}
	return s
}

// number writes a value behind its word, and nothing when it is absent.
func number(word string, v envelope.Opt[float64], form func(float64) string) string {
	if !v.OK {
		return ""
	}
	return word + form(v.V)
}

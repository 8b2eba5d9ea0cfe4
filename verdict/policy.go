package verdict

import (
	"errors"
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/policy"
	"tribunal/verdict/gate"
	"tribunal/verdict/rule"
)

// InconclusiveRule is what `inconclusive: {on: true}` alone selects.
const InconclusiveRule = "wald"

// Layer puts policies on top of each other: what a later one says replaces what
// an earlier one said. A layer that changes the rule drops the retry rule and
// the minimum of trials that came with the earlier rule. What Resolve derived
// for an earlier one is left to be derived anew, so that judging again gives
// what judging the trials under all layers gives.
func Layer(layers ...envelope.Policy) envelope.Policy {
	var out envelope.Policy
	for _, layer := range layers {
		if layer.Rule == rule.UnlessNamed && namesRule(out) {
			layer.Rule = ""
		}
		if isResolved(out) {
			takeBack(&out)
		}
		if layer.Rule != "" && layer.Rule != out.Rule {
			out.RetryRule, out.MinTrials = "", envelope.Opt[int]{}
		} else if layer.Rule != "" {
			out.RetryRule = ""
		}
		out = policy.Fill(layer, out)
	}
	return out
}

// namesRule reports whether somebody chose the rule: the default one that
// Resolve filled in comes with a retry rule.
func namesRule(p envelope.Policy) bool {
	return p.Rule != "" && !(isResolved(p) && p.Rule == "all" && p.RetryRule == "any")
}

// isResolved reports a policy that went through Resolve: what a layer says for
// itself is never all of this.
func isResolved(p envelope.Policy) bool {
	return p.Confidence.OK && p.ScoreThreshold.OK && p.MinCoverage.OK && p.Adjust != "" && p.Family != "" && p.OnConflict != ""
}

// takeBack drops the parameters that are what their rule derives anyway.
func takeBack(p *envelope.Policy) {
	rule, err := rule.ByName(p.Rule)
	if err != nil || rule.Fill == nil {
		return
	}
	parameters := func(p *envelope.Policy) []*envelope.Opt[float64] {
		return []*envelope.Opt[float64]{&p.Threshold, &p.Alpha, &p.Beta, &p.Gap}
	}
	derived := *p
	for _, v := range parameters(&derived) {
		*v = envelope.Opt[float64]{}
	}
	rule.Fill(&derived)
	for i, v := range parameters(p) {
		if *v == *parameters(&derived)[i] {
			*v = envelope.Opt[float64]{}
		}
	}
}

// Resolve makes a layered policy effective: it fills in the defaults of its
// rule and checks every value. The error lists everything that is wrong, with
// the valid ranges.
func Resolve(p envelope.Policy) (envelope.Policy, error) {
	p, rule, err := resolveAlone(p)
	if rule.Name == "" {
		return p, err
	}
	return p, errors.Join(err, checkAdjust(p, rule), checkOverrides(p))
}

// resolveAlone is Resolve without a look at the overrides and at the tests they
// leave for the policy. The rule has no name when it, or the retry rule, is
// unknown.
func resolveAlone(p envelope.Policy) (envelope.Policy, rule.Rule, error) {
	if p.Rule == "" {
		p.Rule = "all"
		if p.RetryRule == "" {
			p.RetryRule = "any"
		}
	}
	by, err := rule.ByName(p.Rule)
	if err != nil {
		return p, by, err
	}
	p.Rule = by.Name
	if p.RetryRule != "" {
		retry, err := rule.ByName(p.RetryRule)
		if err != nil {
			return p, rule.Rule{}, fmt.Errorf("retry_rule: %w", err)
		}
		p.RetryRule = retry.Name
	}
	p.K = ascending(p.K)
	fill(&p, by)
	return p, by, errors.Join(CheckValues(p), by.Check(p))
}

// CheckValues checks each value that a layer says on its own: known words and
// ranges that hold for every rule.
func CheckValues(p envelope.Policy) error {
	return errors.Join(checkRules(p), policy.Check(p), gate.Check(p), checkRedact(p), checkQuarantine(p))
}

func checkRules(p envelope.Policy) error {
	var errs []error
	for _, name := range []string{p.Rule, p.RetryRule} {
		if name != "" {
			_, err := rule.ByName(name)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func fill(p *envelope.Policy, rule rule.Rule) {
	*p = policy.Fill(*p, policy.Defaults())
	if rule.Fill != nil {
		rule.Fill(p)
	}
	if rule.ThreeWay && !p.MinTrials.OK {
		p.MinTrials = envelope.Some(rule.MinTrials())
	}
}

// checkAdjust asks for a rule whose failures can be adjusted. Tests under other
// rules stay outside the family, but some must be in it.
func checkAdjust(p envelope.Policy, by rule.Rule) error {
	if p.Adjust == "none" || by.PValue != nil {
		return nil
	}
	for _, o := range p.Overrides {
		if over, err := rule.ByName(o.Policy.Rule); err == nil && over.PValue != nil {
			return nil
		}
	}
	if by.Sequential {
		return fmt.Errorf("adjust %s does not go with rule %s: a sequential test stops each test at a different number of trials, so its decisions have no p-values that could be adjusted; use anytime, whose e-values can", p.Adjust, by.Name)
	}
	return fmt.Errorf("adjust %s does not go with rule %s, which makes no statement with an error rate: use one of %s", p.Adjust, by.Name, strings.Join(rule.Adjustable(), ", "))
}

func checkOverrides(p envelope.Policy) error {
	var errs []error
	for i, o := range p.Overrides {
		if o.Match == "" && len(o.Labels) == 0 {
			errs = append(errs, fmt.Errorf("override %d matches no test: give it a match or labels", i+1))
		}
		if _, _, err := resolveAlone(override(p, o)); err != nil {
			errs = append(errs, fmt.Errorf("override %d (%s): %w", i+1, describe(o), err))
		}
	}
	return errors.Join(errs...)
}

func describe(o envelope.Override) string {
	if o.Match != "" {
		return o.Match
	}
	return fmt.Sprint(o.Labels)
}

// override is the policy with one override on top.
func override(p envelope.Policy, o envelope.Override) envelope.Policy {
	p.Overrides, p.Gates, p.RedactPatterns, p.RedactFields = nil, nil, nil, nil
	p.Quarantine, p.QuarantineCap = nil, envelope.Opt[int]{}
	return Layer(p, o.Policy)
}

package verdict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/policy"
)

// InconclusiveRule is what `inconclusive: {on: true}` alone selects.
const InconclusiveRule = "wald"

// The rules of a test when nobody names one: a retry that passes is enough.
const unnamedRule, unnamedRetry = "all", "any"

// Layer puts policies on top of each other: what a later one says replaces what an earlier one said. A layer that changes the rule drops
// the retry rule and the minimum of trials that came with the earlier rule.
func Layer(layers ...envelope.Policy) envelope.Policy {
	var out envelope.Policy
	for _, layer := range layers {
		if layer.Rule == rule.UnlessNamed && out.Rule != "" {
			layer.Rule = ""
		}
		if layer.Rule != "" && ruleName(layer.Rule) != ruleName(out.Rule) {
			out.RetryRule, out.MinTrials = "", envelope.Opt[int]{}
		} else if layer.Rule != "" {
			out.RetryRule = ""
		}
		out = policy.Fill(layer, out)
	}
	return out
}

// ruleName is the first of the names of a rule, or the name of one that is unknown.
func ruleName(name string) string {
	if by, err := rule.ByName(name); err == nil {
		return by.Name
	}
	return name
}

// Resolve makes what all layers ask for together the policy that holds: it fills in the defaults of
// its rule and checks every value. The error lists everything that is wrong, with the valid ranges.
func Resolve(asked envelope.Policy) (envelope.Effective, error) {
	held, by, err := resolveAlone(asked)
	if by.Name != "" {
		err = errors.Join(err, checkAdjust(held, by), checkOverrides(held))
	}
	if err != nil {
		return envelope.Effective{}, err
	}
	return held, nil
}

// Unresolve is what was asked for where a policy holds, for layers to come on top. What Resolve would derive is left out, to be derived
// anew: judging again gives what judging the trials under all layers gives.
func Unresolve(held envelope.Effective) envelope.Policy {
	p := held.Policy
	if unnamed(p) && !p.RuleNamed.V {
		p.Rule, p.RetryRule = "", ""
	}
	p.RuleNamed = envelope.Opt[bool]{}
	dropDerived(&p)
	return p
}

// unnamed reports the rules of a policy that names none, which may have been named all the same.
func unnamed(p envelope.Policy) bool { return p.Rule == unnamedRule && p.RetryRule == unnamedRetry }

// Asked is what the policy that came with an input asks for.
func Asked(c envelope.Carried) envelope.Policy {
	if c.Held != nil {
		return Unresolve(*c.Held)
	}
	return *c.Asked
}

// dropDerived drops the parameters that are what their rules derive anyway.
func dropDerived(p *envelope.Policy) {
	parameters := func(p *envelope.Policy) []*envelope.Opt[float64] {
		return []*envelope.Opt[float64]{&p.Threshold, &p.Alpha, &p.Beta, &p.Gap}
	}
	derived := *p
	for _, v := range parameters(&derived) {
		*v = envelope.Opt[float64]{}
	}
	for _, name := range []string{p.Rule, p.RetryRule} {
		if by, err := rule.ByName(name); err == nil && by.Fill != nil {
			by.Fill(&derived)
		}
	}
	for i, v := range parameters(p) {
		if *v == *parameters(&derived)[i] {
			*v = envelope.Opt[float64]{}
		}
	}
}

// resolveAlone is Resolve without a look at the overrides and at the tests they leave for the
// policy. The rule has no name when it, or the retry rule, is unknown.
func resolveAlone(p envelope.Policy) (envelope.Effective, rule.Rule, error) {
	named := p.Rule != "" || p.RetryRule != ""
	p = withRule(p)
	by, err := rule.ByName(p.Rule)
	if err != nil {
		return envelope.Effective{}, by, err
	}
	p.Rule = by.Name
	rules := []rule.Rule{by}
	if p.RetryRule != "" {
		retry, err := rule.ByName(p.RetryRule)
		if err != nil {
			return envelope.Effective{}, rule.Rule{}, fmt.Errorf("retry_rule: %w", err)
		}
		if p.RetryRule = retry.Name; retry.Name != by.Name {
			rules = append(rules, retry)
		}
	}
	if p.RuleNamed = (envelope.Opt[bool]{}); named && p.RunThreshold.OK && unnamed(p) {
		p.RuleNamed = envelope.Some(true)
	}
	p.K = slices.Compact(slices.Sorted(slices.Values(p.K)))
	if !slices.ContainsFunc(rules, func(r rule.Rule) bool { return r.Scored }) {
		p.Threshold.V = policy.Rate(p.Threshold.V)
	}
	for _, r := range rules { // what one does not look at may be of the other
		fill(&p, r)
	}
	return envelope.Effective{Policy: p}, by, errors.Join(CheckValues(p), checkParameters(p, rules))
}

// checkParameters holds what rules look at against their ranges, each as the rule of the policy.
func checkParameters(p envelope.Policy, rules []rule.Rule) error {
	var errs []error
	for i, r := range rules {
		p.Rule = r.Name
		err := r.Check(p)
		if e := new(policy.KeyError); i > 0 && errors.As(err, &e) && e.Key == "rule" {
			e.Key = "retry_rule"
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// withRule names the rules where nobody did: a threshold is that of a pass rate, held however many trials there are, whoever starts them.
func withRule(p envelope.Policy) envelope.Policy {
	if p.Rule == "" && p.RetryRule == "" && p.Threshold.OK {
		p.Rule = rule.OfThreshold
	} else if p.Rule == "" {
		p.Rule, p.RetryRule = unnamedRule, cmp.Or(p.RetryRule, unnamedRetry)
	}
	return p
}

// CheckValues checks each value that a layer says on its own: known words and ranges that hold for every rule.
func CheckValues(p envelope.Policy) error {
	return errors.Join(checkRules(p), policy.Check(p), gate.Check(p), errors.Join(each.Of(p.Metric, checkMetric)...), checkRedact(p),
		checkQuarantine(p))
}

// CheckLayer is CheckValues for what somebody says now, where numbers in a wrong unit are mistakes.
func CheckLayer(p envelope.Policy) error {
	return errors.Join(CheckValues(p), gate.CheckUnits(p.Gates))
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

// checkAdjust asks for a rule whose failures can be adjusted. Tests under other rules stay outside the family, but some must be in it.
func checkAdjust(p envelope.Effective, by rule.Rule) error {
	if p.Adjust == "none" || by.PValue != nil {
		return nil
	}
	for _, o := range p.Overrides {
		if over, err := rule.ByName(o.Policy.Rule); err == nil && over.PValue != nil {
			return nil
		}
	}
	if by.Sequential {
		return &policy.KeyError{Key: "adjust", Value: p.Adjust, Text: "does not work with rule " + by.Name +
			": its decisions have no p-values that could be adjusted; use rule anytime"}
	}
	return &policy.KeyError{Key: "adjust", Value: p.Adjust, Text: "does not work with rule " + by.Name +
		", which makes no statement with an error rate: use one of " + strings.Join(rule.Adjustable(), ", ")}
}

func checkOverrides(p envelope.Effective) error {
	var errs []error
	for i, o := range p.Overrides {
		if o.Match == "" && len(o.Labels) == 0 {
			errs = append(errs, fmt.Errorf("tests[%d] has no match and no labels: give one of them", i))
		}
		if _, _, err := resolveAlone(someTests(Unresolve(p), o)); err != nil {
			errs = append(errs, inOverride(i, o, err))
		}
	}
	return errors.Join(errs...)
}

// inOverride says in which override an error is, and of which tests. A key is named as tribunal.yaml has it.
func inOverride(i int, o envelope.Override, err error) error {
	if several, are := err.(interface{ Unwrap() []error }); are {
		return errors.Join(each.Of(several.Unwrap(), func(err error) error { return inOverride(i, o, err) })...)
	}
	if e := new(policy.KeyError); errors.As(err, &e) {
		return &policy.KeyError{Key: fmt.Sprintf("tests[%d].%s", i, e.Key), Value: e.Value,
			Text: strings.Replace(e.Text, "--threshold ", "threshold: ", 1)}
	}
	return fmt.Errorf("tests[%d] (%s): %w", i, describe(o), err)
}

func describe(o envelope.Override) string {
	return cmp.Or(o.Match, words.ByName(o.Labels, func(name, value string) string { return name + "=" + value }))
}

// someTests is what is asked for tests that overrides are for: these on top of the whole policy, without what is said of the run alone.
func someTests(whole envelope.Policy, overrides ...envelope.Override) envelope.Policy {
	whole.Overrides, whole.Gates, whole.RedactPatterns, whole.RedactFields = nil, nil, nil, nil
	whole.Quarantine, whole.QuarantineCap = nil, envelope.Opt[int]{}
	layers := each.Of(overrides, func(o envelope.Override) envelope.Policy { return o.Policy })
	return Layer(append([]envelope.Policy{whole}, layers...)...)
}

// looksAt says of each set of rules which rules are in it.
var looksAt = map[policy.LookedAt]func(rule.Rule) bool{
	policy.ByAllRules:        func(rule.Rule) bool { return true },
	policy.ByThresholdRules:  func(r rule.Rule) bool { return r.ThreeWay || r.Scored },
	policy.ByThreeWayRules:   func(r rule.Rule) bool { return r.ThreeWay },
	policy.ByRangedRules:     func(r rule.Rule) bool { return r.Ranged },
	policy.BySequentialRules: func(r rule.Rule) bool { return r.Sequential },
}

// CheckUsed holds what a layer says against the rules in force, which are those that all layers together ask for. A threshold that no
// rule looks at was meant for another rule: without this, it is a pass rate that nobody asks for.
func CheckUsed(layer, whole envelope.Policy) error {
	errs := []error{unusedValues(layer, whole)}
	for i, o := range layer.Overrides {
		of := someTests(whole, o)
		if o.Policy.Rule == "" { // another override may name it, for some of the same tests
			of.Overrides = layer.Overrides
		}
		if err := unusedValues(o.Policy, of); err != nil {
			errs = append(errs, inOverride(i, o, err))
		}
	}
	return errors.Join(errs...)
}

func unusedValues(said, whole envelope.Policy) error {
	var errs []error
	rules := rulesOf(whole)
	unnamed := words.If(whole.Rule == "", ", the default"+words.Around(" beside retry rule ", whole.RetryRule))
	for i := range policy.Keys {
		k := &policy.Keys[i]
		used := looksAt[k.LookedAt]
		if !k.IsSet(&said) || len(rules) == 0 || slices.ContainsFunc(rules, used) {
			continue
		}
		errs = append(errs, &policy.KeyError{Key: k.Name, Text: "has no effect with rule " + rules[0].Name + unnamed +
			"; use a rule that reads it: " + strings.Join(rule.That(used), ", ")})
	}
	return errors.Join(errs...)
}

func rulesOf(p envelope.Policy) []rule.Rule {
	rules := named(p)
	for _, o := range p.Overrides {
		rules = append(rules, named(someTests(p, o))...)
	}
	return rules
}

// named is the rule of a policy and the one for retries; none where its name is unknown, which is said elsewhere.
func named(p envelope.Policy) []rule.Rule {
	p = withRule(p)
	var rules []rule.Rule
	for _, name := range []string{p.Rule, p.RetryRule} {
		if r, err := rule.ByName(name); err == nil {
			rules = append(rules, r)
		} else if name != "" {
			return nil
		}
	}
	return rules
}

package verdict

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/policy"
	"tribunal/verdict/rule"
)

// looksAt says of each set of rules which rules are in it.
var looksAt = map[policy.LookedAt]func(rule.Rule) bool{
	policy.ByAllRules:        func(rule.Rule) bool { return true },
	policy.ByThresholdRules:  func(r rule.Rule) bool { return r.ThreeWay || r.Scored },
	policy.ByThreeWayRules:   func(r rule.Rule) bool { return r.ThreeWay },
	policy.ByRangedRules:     func(r rule.Rule) bool { return r.Ranged },
	policy.BySequentialRules: func(r rule.Rule) bool { return r.Sequential },
}

// CheckUsed holds what a layer says against the rules in force, which are those
// that all layers together ask for. A threshold that no rule looks at was meant for another
// rule: without this, it is a pass rate that nobody asks for.
func CheckUsed(layer, whole envelope.Policy) error {
	errs := []error{idle(layer, inForce(whole))}
	for i, o := range layer.Overrides {
		if err := idle(o.Policy, named(someTests(whole, o))); err != nil {
			errs = append(errs, fmt.Errorf("override %d (%s): %w", i+1, describe(o), err))
		}
	}
	return errors.Join(errs...)
}

// idle names the values that none of the rules looks at.
func idle(said envelope.Policy, rules []rule.Rule) error {
	var errs []error
	for i := range policy.Keys {
		k := &policy.Keys[i]
		used := looksAt[k.LookedAt]
		if !k.Said(&said) || len(rules) == 0 || slices.ContainsFunc(rules, used) {
			continue
		}
		errs = append(errs, fmt.Errorf("%s has no effect with rule %s; use a rule that reads it: %s", k.Name, rules[0].Name, strings.Join(rule.That(used), ", ")))
	}
	return errors.Join(errs...)
}

// inForce is the rules of a policy and of its overrides.
func inForce(p envelope.Policy) []rule.Rule {
	rules := named(p)
	for _, o := range p.Overrides {
		rules = append(rules, named(someTests(p, o))...)
	}
	return rules
}

// named is the rule of a policy and the one for retries; none where its name is
// unknown, which is said elsewhere.
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

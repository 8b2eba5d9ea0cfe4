package verdict

import (
	"regexp"
	"strings"

	"tribunal/envelope"
)

// overrider finds the policy of each test. Tests that match the same overrides
// share one policy.
type overrider struct {
	base   envelope.Policy
	globs  []*regexp.Regexp
	cached map[string]ruled
}

// ruled is a policy and the rule it names.
type ruled struct {
	policy envelope.Policy
	rule   Rule
	retry  *Rule
}

func newOverrider(base envelope.Policy) *overrider {
	o := &overrider{base: base, cached: map[string]ruled{}}
	for _, over := range base.Overrides {
		o.globs = append(o.globs, glob(over.Match))
	}
	return o
}

// glob compiles a pattern in which * stands for any text, / included, and ?
// for one character.
func glob(pattern string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(quoted, `\*`, `.*`)
	quoted = strings.ReplaceAll(quoted, `\?`, `.`)
	return regexp.MustCompile(`(?s)\A` + quoted + `\z`)
}

func (o *overrider) of(t *envelope.Tally) (ruled, error) {
	matched := make([]byte, len(o.base.Overrides))
	for i, over := range o.base.Overrides {
		if matches(over, o.globs[i], t) {
			matched[i] = 1
		}
	}
	if r, ok := o.cached[string(matched)]; ok {
		return r, nil
	}
	p := o.base
	for i, m := range matched {
		if m == 1 {
			p = override(p, o.base.Overrides[i])
		}
	}
	p.Overrides = nil
	r, err := resolveRule(p)
	if err == nil {
		o.cached[string(matched)] = r
	}
	return r, err
}

func resolveRule(p envelope.Policy) (ruled, error) {
	p, err := Resolve(p)
	if err != nil {
		return ruled{}, err
	}
	r := ruled{policy: p}
	if r.rule, err = RuleByName(p.Rule); err != nil {
		return r, err
	}
	if p.RetryRule != "" {
		retry, err := RuleByName(p.RetryRule)
		if err != nil {
			return r, err
		}
		r.retry = &retry
	}
	return r, nil
}

// matches reports whether an override is for the test: its glob matches the
// name, suite/name or the whole key, and its labels have the given values.
func matches(o envelope.Override, match *regexp.Regexp, t *envelope.Tally) bool {
	if o.Match != "" && !match.MatchString(t.Test) && !match.MatchString(t.Suite+"/"+t.Test) && !match.MatchString(t.Key.String()) {
		return false
	}
	for name, value := range o.Labels {
		if got, ok := t.Labels[name]; !ok || got != value {
			return false
		}
	}
	return true
}

package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/verdict/rule"
)

// overrider finds the policy of each test. Tests that match the same overrides
// share one policy.
type overrider struct {
	base   envelope.Effective
	globs  []*glob
	used   []bool // overrides that matched a test
	cached map[string]*ruled
}

// ruled is a policy and the rule it names.
type ruled struct {
	id     int // tells it from other policies of its run
	policy envelope.Effective
	rule   rule.Rule
	retry  *rule.Rule
	// leastPass is the fewest trials with which a test can pass; 0 when the
	// rule judges scores, or no number is enough.
	leastPass int
}

func newOverrider(base envelope.Effective) *overrider {
	o := &overrider{base: base, used: make([]bool, len(base.Overrides)), cached: map[string]*ruled{}}
	for _, over := range base.Overrides {
		o.globs = append(o.globs, newGlob(over.Match))
	}
	return o
}

// glob is a pattern in which * stands for any text, / included, and ? for one
// character. Most names are ruled out by the text before the first, after the
// last and the longest between them, which costs far less than the expression.
type glob struct {
	prefix, suffix, within string
	whole                  *regexp.Regexp
}

func newGlob(pattern string) *glob {
	pattern = strings.ToValidUTF8(pattern, string(utf8.RuneError)) // as names are
	for strings.Contains(pattern, "**") {
		pattern = strings.ReplaceAll(pattern, "**", "*")
	}
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(quoted, `\*`, `.*`)
	quoted = strings.ReplaceAll(quoted, `\?`, `.`)
	g := &glob{prefix: pattern, whole: regexp.MustCompile(`(?s)\A` + quoted + `\z`)}
	if first := strings.IndexAny(pattern, "*?"); first >= 0 {
		g.prefix, g.suffix = pattern[:first], pattern[strings.LastIndexAny(pattern, "*?")+1:]
	}
	for _, text := range strings.FieldsFunc(pattern, func(c rune) bool { return c == '*' || c == '?' }) {
		if len(text) > len(g.within) {
			g.within = text
		}
	}
	return g
}

func (g *glob) match(name string) bool {
	return strings.HasPrefix(name, g.prefix) && strings.HasSuffix(name, g.suffix) && strings.Contains(name, g.within) && g.whole.MatchString(name)
}

// namesOf are the names that a pattern may match: a test's own, with its suite,
// and with its variant.
func namesOf(k envelope.Key) []string {
	return []string{k.Test, k.Suite + "/" + k.Test, k.String()}
}

// Matcher tells which tests a pattern means, as the match of an override does.
func Matcher(pattern string) func(envelope.Key) bool {
	g := newGlob(pattern)
	return func(k envelope.Key) bool { return slices.ContainsFunc(namesOf(k), g.match) }
}

// all are the policies of the tests.
func (o *overrider) all(tests []envelope.Tally) ([]*ruled, error) {
	out := make([]*ruled, len(tests))
	for i := range tests {
		var err error
		if out[i], err = o.of(&tests[i]); err != nil {
			return nil, fmt.Errorf("policy for test %s: %w", tests[i].Key, err)
		}
	}
	return out, nil
}

func (o *overrider) of(t *envelope.Tally) (*ruled, error) {
	matched := make([]byte, len(o.base.Overrides))
	var names []string
	if len(matched) > 0 {
		names = namesOf(t.Key)
	}
	for i, over := range o.base.Overrides {
		if (over.Match == "" || slices.ContainsFunc(names, o.globs[i].match)) && hasLabels(t, over.Labels) {
			matched[i], o.used[i] = 1, true
		}
	}
	if r, ok := o.cached[string(matched)]; ok {
		return r, nil
	}
	var overrides []envelope.Override
	for i, m := range matched {
		if m == 1 {
			overrides = append(overrides, o.base.Overrides[i])
		}
	}
	r, err := resolveRule(someTests(Unresolve(o.base), overrides...))
	if err == nil {
		r.id = len(o.cached)
		o.cached[string(matched)] = &r
	}
	return &r, err
}

func resolveRule(asked envelope.Policy) (ruled, error) {
	p, by, err := resolveAlone(asked)
	if err != nil {
		return ruled{}, err
	}
	r := ruled{policy: p, rule: by}
	if n, ok := SmallestPass(p); ok {
		r.leastPass = n
	}
	if p.RetryRule != "" {
		retry, err := rule.ByName(p.RetryRule)
		if err != nil {
			return r, err
		}
		r.retry = &retry
	}
	return r, nil
}

func hasLabels(t *envelope.Tally, labels map[string]string) bool {
	for name, value := range labels {
		if got, ok := t.Labels[name]; !ok || got != value {
			return false
		}
	}
	return true
}

// codeUnused is the code of overrides for tests that are not there.
const codeUnused = "unused-override"

// namedUnused is how many unused overrides are named.
const namedUnused = 5

// unused warns of overrides that matched none of the tests so far: a name may
// be misspelt.
func (o *overrider) unused() []envelope.Problem {
	var names []string
	for i, used := range o.used {
		if !used {
			names = append(names, describe(o.base.Overrides[i]))
		}
	}
	if len(names) == 0 || len(o.cached) == 0 {
		return nil
	}
	message := words.Plural(len(names), "override matches", "overrides match") + " no test: " + strings.Join(names[:min(namedUnused, len(names))], ", ")
	if more := len(names) - namedUnused; more > 0 {
		message += fmt.Sprintf(" and %d more", more)
	}
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: codeUnused, Stage: envelope.StageJudge, Message: message}}
}

package verdict

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/suggest"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
)

// overrider finds the policy of each test. Tests that match the same overrides share one policy.
type overrider struct {
	base   envelope.Effective
	globs  []*glob
	used   []bool // overrides that matched a test
	cached map[string]*ruled
}

type ruled struct {
	id     int // distinguishes it from other policies of its run
	policy envelope.Effective
	rule   rule.Rule
	retry  *rule.Rule
	named  bool // an override names a rule
	// leastPass is the fewest trials with which a test can pass; 0 when the rule judges scores, or no number is enough.
	leastPass int
}

// scored reports that scores may decide: by the rule, or by that for retries.
func (r *ruled) scored() bool { return r.rule.Scored || r.retry != nil && r.retry.Scored }

func newOverrider(base envelope.Effective) *overrider {
	o := &overrider{base: base, used: make([]bool, len(base.Overrides)), cached: map[string]*ruled{}}
	o.globs = each.Of(base.Overrides, func(over envelope.Override) *glob { return newGlob(over.Match) })
	return o
}

func (o *overrider) all(tests []envelope.Test) ([]*ruled, error) {
	out := make([]*ruled, len(tests))
	for i := range tests {
		var err error
		if out[i], err = o.of(&tests[i]); err != nil {
			return nil, fmt.Errorf("policy for test %s: %v", tests[i].Key, err)
		}
	}
	return out, nil
}

func (o *overrider) of(t *envelope.Test) (*ruled, error) {
	var matched []byte
	var names []string
	if n := len(o.base.Overrides); n > 0 {
		matched = make([]byte, n)
		names = namesOf(t.Key)
	}
	for i, over := range o.base.Overrides {
		if (over.Match == "" || slices.ContainsFunc(names, o.globs[i].match)) && each.Within(over.Labels, t.Labels) {
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
		r.named = slices.ContainsFunc(overrides, func(o envelope.Override) bool { return o.Policy.Rule != "" || o.Policy.RetryRule != "" })
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

// nearTests are patterns of tests that somebody may have meant by one: the suites of the
// first tests where it is for a suite, and else their names.
func nearTests(pattern string, tests []envelope.Test) []string {
	const most = 10_000 // of which many differ little
	_, forSuite := strings.CutSuffix(pattern, "/*")
	var known []string
	for i := range tests[:min(most, len(tests))] {
		switch k := tests[i].Key; {
		case !forSuite:
			known = append(known, k.Test)
			if k.Suite != "" {
				known = append(known, k.Suite+"/"+k.Test)
			}
		case len(known) == 0 || known[len(known)-1] != k.Suite+"/*": // tests of a suite stand together
			known = append(known, k.Suite+"/*")
		}
	}
	return suggest.Near(pattern, known)
}

// unused warns of overrides that matched none of the tests: a name may be misspelt.
func (o *overrider) unused(tests []envelope.Test) []envelope.Problem {
	var names []string
	for i, used := range o.used {
		if used {
			continue
		}
		name := describe(o.base.Overrides[i])
		if near := nearTests(o.base.Overrides[i].Match, tests); len(near) > 0 && len(names) < namedUnused {
			name += " (did you mean " + strings.Join(near, " or ") + "?)"
		}
		names = append(names, name)
	}
	if len(names) == 0 || len(o.cached) == 0 {
		return nil
	}
	message := words.Plural(len(names), "override matches", "overrides match") + " no test: " + fewOf(names)
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeUnused, Stage: envelope.StageJudge, Message: message}}
}

package verdict

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/stats"
)

// adjustmentTable maps raw p-values to adjusted ones, in the same order.
var adjustmentTable = []struct {
	name   string
	adjust func([]float64) []float64
}{
	{"none", nil},
	{"bonferroni", stats.Bonferroni},
	{"holm", stats.Holm},
	{"bh", stats.BenjaminiHochberg},
	{"by", stats.BenjaminiYekutieli},
}

// claim is the p-value of one test and the level at which its fail stands.
type claim struct {
	test  *envelope.Test
	p     float64
	level float64
}

func claimOf(t *envelope.Test, r rule.Rule, s *rule.Sample, p envelope.Effective) (claim, bool) {
	pValue, level, ok := r.Claim(s, p)
	if !ok {
		return claim{}, false
	}
	t.Verdict.PValue = envelope.Some(pValue)
	return claim{test: t, p: pValue, level: level}, true
}

// adjust lets a fail stand only when its adjusted p-value still says so.
// Otherwise the test is inconclusive, and its raw status is kept beside.
func adjust(claims []claim, p envelope.Effective) {
	var method func([]float64) []float64
	for _, a := range adjustmentTable {
		if a.name == p.Adjust {
			method = a.adjust
		}
	}
	if method == nil {
		return
	}
	var shared envelope.Verdicts
	for _, family := range families(claims, p.Family) {
		ps := each.Of(family, func(c claim) float64 { return c.p })
		for i, adjusted := range method(ps) {
			family[i].settle(adjusted, p.Adjust, len(family), &shared)
		}
	}
}

func (c claim) settle(adjusted float64, name string, tests int, shared *envelope.Verdicts) {
	v := *c.test.Verdict
	v.PAdjusted = envelope.Some(adjusted)
	if c.test.Status == envelope.Fail && !(adjusted <= c.level) {
		v.RawStatus = c.test.Status
		c.test.Status = envelope.Inconclusive
		v.Reason += fmt.Sprintf("; adjusted by %s over %d tests, it is no fail: p = %s is above %.4g", name, tests,
			words.Distinct(adjusted, 'g', 4, c.level), c.level)
	}
	c.test.Verdict = shared.Own(&v)
}

// families parts the claims by suite, or leaves them together. They come in the order of tests, so the tests of a suite are neighbours.
func families(claims []claim, family string) [][]claim {
	if family == policy.FamilyRun {
		return [][]claim{claims}
	}
	var out [][]claim
	for start := 0; start < len(claims); {
		end := start
		for end < len(claims) && claims[end].test.Suite == claims[start].test.Suite {
			end++
		}
		out = append(out, claims[start:end])
		start = end
	}
	return out
}

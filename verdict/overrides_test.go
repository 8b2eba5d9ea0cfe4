package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"a/b", "a/b", true}, {"a/b", "a/bc", false}, {"a*", "a/b", true}, {"*b", "a/b", true}, {"*b", "b/a", false},
		{"a?c", "abc", true}, {"a?c", "ac", false}, {"ab*bc", "abc", false}, {"ab*bc", "abbc", true}, {"*", "", true},
		{"a.c", "abc", false}, {"*\n*", "a\nb", true}, {"?", "\u00e9", true},
	} {
		if got := newGlob(c.pattern).match(c.name); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.name, got)
		}
	}
}

func TestOverridesForNoTest(t *testing.T) {
	var overrides []envelope.Override
	for i := range 7 {
		overrides = append(overrides, envelope.Override{Match: fmt.Sprintf("typo%d", i), Policy: under("any", 0)})
	}
	overrides = append(overrides, envelope.Override{Match: "a", Policy: under("any", 0)})
	env, err := sealAll(map[string]string{"a": "PF"}, envelope.Policy{Overrides: overrides})
	if err != nil {
		t.Fatal(err)
	}
	p := problemOf(env, envelope.CodeUnused)
	if p == nil || p.Severity != envelope.SeverityWarning || p.Message != "7 overrides match no test: typo0, typo1, typo2, typo3, typo4 and 2 more" || env.Gate.ExitCode != 0 {
		t.Errorf("%+v, exit %d", p, env.Gate.ExitCode)
	}
	env, err = sealAll(map[string]string{"a": "PF"}, envelope.Policy{Overrides: overrides[7:]})
	if err != nil || problemOf(env, envelope.CodeUnused) != nil {
		t.Errorf("an override in use: %+v, %v", env.Problems, err)
	}
}

// TestOverridesOfAStrictPolicy: an override for no test is unusable input there, and the nearest name is told.
func TestOverridesOfAStrictPolicy(t *testing.T) {
	for match, want := range map[string]string{
		"chekout":      "1 override matches no test: chekout (did you mean checkout?)",
		"ref?nd-":      "1 override matches no test: ref?nd- (did you mean refund?)",
		"unlike":       "1 override matches no test: unlike",
		"checkout":     "",
		"somewhere/*":  "1 override matches no test: somewhere/*",
		"check*":       "",
		"chekout-page": "1 override matches no test: chekout-page",
	} {
		p := envelope.Policy{Strict: envelope.Some(true), Overrides: []envelope.Override{{Match: match, Policy: under("any", 0)}}}
		env, err := sealAll(map[string]string{"checkout": "PP", "refund": "PP"}, p)
		if err != nil {
			t.Fatal(err)
		}
		said, code := "", 0
		if p := problemOf(env, envelope.CodeUnused); p != nil {
			said, code = p.Message, 2
		}
		if said != want || env.Gate.ExitCode != code {
			t.Errorf("%s: %q and exit code %d, want %q", match, said, env.Gate.ExitCode, want)
		}
	}
	tests := []envelope.Test{{Key: envelope.Key{Suite: "search", Test: "a"}}, {Key: envelope.Key{Suite: "search", Test: "b"}}}
	if near := nearTests("serch/*", tests); !slices.Equal(near, []string{"search/*"}) {
		t.Errorf("near serch/* are %q", near)
	}
	if near := nearTests("search/A1", tests); !slices.Equal(near, []string{"search/a", "search/b"}) {
		t.Errorf("near search/A1 are %q", near)
	}
}

// TestConfidenceOfAnOverride: its alpha is that of its own confidence.
func TestConfidenceOfAnOverride(t *testing.T) {
	p := under("sprt", 0.9)
	p.Overrides = []envelope.Override{{Match: "b", Policy: envelope.Policy{Confidence: envelope.Some(0.99)}}}
	env, err := sealAll(map[string]string{"a": "P", "b": "P"}, p)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := env.Tests[0].Verdict.Hypotheses.Alpha, env.Tests[1].Verdict.Hypotheses.Alpha; a != 0.05 || b != 0.01 {
		t.Errorf("alpha %v and %v, want 0.05 and 0.01", a, b)
	}
}

// TestAdjustingBesideOtherRules: a test under a rule without p-values is not in
// the family. 0 of 10 at 0.5 has p = 1/1024, alone in its family it stays so.
func TestAdjustingBesideOtherRules(t *testing.T) {
	for _, p := range []envelope.Policy{
		{Rule: "wald", Adjust: "bonferroni", Overrides: []envelope.Override{{Match: "b", Policy: under("all", 0)}}},
		{Adjust: "bonferroni", Overrides: []envelope.Override{{Match: "a", Policy: under("wald", 0)}}},
	} {
		env, err := sealAll(map[string]string{"a": repeat("F", 10), "b": "F"}, p)
		if err != nil {
			t.Fatal(err)
		}
		a, b := env.Tests[0], env.Tests[1]
		if a.Status != envelope.Fail || math.Abs(a.Verdict.PAdjusted.V-1.0/1024) > 1e-12 || b.Status != envelope.Fail || b.Verdict.PValue.OK || b.Verdict.PAdjusted.OK {
			t.Errorf("rule %q: a %s p %v, b %s p %v", p.Rule, a.Status, a.Verdict.PAdjusted, b.Status, b.Verdict.PAdjusted)
		}
	}
}

// TestScoresAreAdjustedToo: a fail of bounded-mean has a p-value.
func TestScoresAreAdjustedToo(t *testing.T) {
	p := under("bounded-mean", 0.5)
	p.Adjust = "holm"
	env, err := sealAll(map[string]string{"a": repeat("F", 6)}, p)
	if err != nil || env.Tests[0].Status != envelope.Fail || !env.Tests[0].Verdict.PAdjusted.OK {
		t.Errorf("adjusted: %v", err)
	}
}

func TestOneMissingFileIsOneError(t *testing.T) {
	policy := resolved(t, envelope.Policy{})
	b := count.NewBuilder(5, 0.5)
	b.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Input: "gone.ndjson", Message: "cannot open"})
	env, err := Seal(b.Run(policy.OnConflict, 5), policy)
	if err != nil || len(env.Problems) != 1 || strings.Join(env.Gate.Reasons, "") != "1 error in the input" {
		t.Errorf("%v, %v, %v", env.Problems, env.Gate.Reasons, err)
	}
}

// TestPatternsAreTextAndStars: a pattern that is no UTF-8, and any number of stars, are patterns like others.
func TestPatternsAreTextAndStars(t *testing.T) {
	for pattern, matches := range map[string]bool{"\xff": false, "\xff*": false, "a" + strings.Repeat("*", 1<<17): true, "a**b**": true, "**c": false} {
		if got := Matcher(pattern)(envelope.Key{Test: "ab"}); got != matches {
			t.Errorf("%.10q matches: %v, want %v", pattern, got, matches)
		}
	}
}

package html

import (
	"reflect"
	"testing"

	"tribunal/envelope"
)

// Overrides have a table of their own.
var shownElsewhere = map[string]bool{"Overrides": true}

// A setting that is added to the policy must be added to the page.
func TestEverySettingOfThePolicyIsShown(t *testing.T) {
	kind := reflect.TypeFor[envelope.Policy]()
	for i := range kind.NumField() {
		var p envelope.Policy
		set(reflect.ValueOf(&p).Elem().Field(i))
		if len(policyFacts(&p)) != 1 && !shownElsewhere[kind.Field(i).Name] {
			t.Errorf("%s is set, and the page says %v", kind.Field(i).Name, policyFacts(&p))
		}
	}
}

// set gives a field some value that is not its zero value.
func set(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Struct: // an Opt
		v.FieldByName("OK").SetBool(true)
	}
}

func TestPolicyInWords(t *testing.T) {
	for _, c := range []struct {
		policy       envelope.Policy
		want, reason string
	}{
		{envelope.Policy{}, "Judged by the rule of the default policy.", "a policy that says nothing"},
		{envelope.Policy{Rule: "all", RetryRule: "any", TreatAs: "neutral"},
			"Judged by the rule all; tests that were retried by the rule any. Inconclusive is treated as neutral.", "the default"},
		{envelope.Policy{Rule: "any", RetryRule: "any"}, "Judged by the rule any.", "one rule for all is said once"},
		{envelope.Policy{Rule: "wald", Threshold: envelope.Some(0.0), MinTrials: envelope.Some(1)},
			"Judged by the rule wald at threshold 0, at least 1 trial.", "a threshold of 0 is a threshold"},
	} {
		if got := policyWords(&envelope.Effective{Policy: c.policy}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

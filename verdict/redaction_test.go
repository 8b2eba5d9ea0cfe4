package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// secretRun is a run of one test with the texts given.
func secretRun(key envelope.Key, message string, labels map[string]string) *envelope.Run {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("in", "native")
	t := envelope.Trial{Key: key, Status: envelope.Fail, Message: message}
	for name, value := range labels {
		t.Labels = append(t.Labels, envelope.Label{Name: name, Value: value})
	}
	in.Trial(&t)
	in.Close()
	return b.Run(envelope.ConflictExtend, 5)
}

func TestRedactionCountsByKind(t *testing.T) {
	run := secretRun(envelope.Key{Test: "password=hunter2hunter2"}, "token=abcdefgh1 and token=abcdefgh2 or ACME", map[string]string{"token": "abcdefgh3"})
	policy := resolved(t, envelope.Policy{RedactPatterns: []envelope.RedactPattern{{Kind: "acme", Pattern: "ACME"}}})
	env, err := Seal(run, policy)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, p := range env.Problems {
		if p.Code == envelope.CodeRedacted {
			kind, _, _ := strings.Cut(strings.TrimPrefix(p.Message[strings.Index(p.Message, "kind "):], "kind "), " ")
			counts[kind] = p.Count
		}
	}
	// the label is the trial's and, as all trials have it, the test's
	for kind, want := range map[string]int{"password": 1, "token": 4, "acme": 1} {
		if counts[kind] != want {
			t.Errorf("%d of the kind %s, want %d", counts[kind], kind, want)
		}
	}
	if p := env.Policy.RedactPatterns[0]; p.Pattern != "" || p.Kind != "acme" {
		t.Errorf("a pattern that is the secret itself is shown: %+v", p)
	}
	if policy.RedactPatterns[0].Pattern != "ACME" {
		t.Error("the policy that came in was changed")
	}
}

func TestARunWithoutSecretsIsTheSameRun(t *testing.T) {
	run := secretRun(envelope.Key{Test: "x"}, "nothing to hide", map[string]string{"a": "b"})
	if got, _, hidden, err := redacted(run, resolved(t, envelope.Policy{})); got != run || len(hidden) > 0 || err != nil {
		t.Errorf("another run, %v, %v", hidden, err)
	}
}

// An override is for the tests it matched before their names were redacted.
func TestOverridesMatchRedactedNames(t *testing.T) {
	run := secretRun(envelope.Key{Test: "login password=hunter2hunter2"}, "", map[string]string{"token": "abcdefgh1"})
	for _, o := range []envelope.Override{
		{Match: "*password=hunter2hunter2"}, {Match: "login*"}, {Labels: map[string]string{"token": "abcdefgh1"}},
	} {
		o.Policy = envelope.Policy{Rule: "any"}
		env, err := Seal(run, resolved(t, envelope.Policy{Overrides: []envelope.Override{o}}))
		if err != nil {
			t.Fatal(err)
		}
		if got := env.Tests[0].Verdict.Rule; got != "any" {
			t.Errorf("%+v: judged by %s", o, got)
		}
	}
}

func TestPolicyThatCannotHide(t *testing.T) {
	if _, err := Resolve(envelope.Policy{RedactPatterns: []envelope.RedactPattern{{Pattern: "a("}}}); err == nil {
		t.Error("no error for a pattern that is no expression")
	}
}

func resolved(t *testing.T, p envelope.Policy) envelope.Effective {
	t.Helper()
	held, err := Resolve(p)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

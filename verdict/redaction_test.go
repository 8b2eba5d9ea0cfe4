package verdict

import (
	"fmt"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
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

// fields are where a text can stand in a trial.
var fields = map[string]func(t *envelope.Trial, s string){
	"message":          func(t *envelope.Trial, s string) { t.Message = s },
	"output":           func(t *envelope.Trial, s string) { t.Output = s },
	"long output":      func(t *envelope.Trial, s string) { t.Output = strings.Repeat("line\n", 20_000) + s },
	"label":            func(t *envelope.Trial, s string) { t.Labels[0].Value = s },
	"name of a label":  func(t *envelope.Trial, s string) { t.Labels[0].Name = s },
	"attachment":       func(t *envelope.Trial, s string) { t.Attachments[0].URL = s },
	"check":            func(t *envelope.Trial, s string) { t.Checks[0].Name = s },
	"reason":           func(t *envelope.Trial, s string) { t.Checks[0].Reason = s },
	"long reason":      func(t *envelope.Trial, s string) { t.Checks[0].Reason = strings.Repeat("line\n", 20_000) + s },
	"reasons of votes": func(t *envelope.Trial, s string) { t.Checks = append(t.Checks, vote("password:", 1), vote(s, 2)) },
	"role":             func(t *envelope.Trial, s string) { t.Transcript[1].Role = s },
	"system prompt":    func(t *envelope.Trial, s string) { t.Transcript[0].Text = s },
	"system reasoning": func(t *envelope.Trial, s string) { t.Transcript[0].Reasoning = s },
	"turn":             func(t *envelope.Trial, s string) { t.Transcript[1].Text = s },
	"reasoning":        func(t *envelope.Trial, s string) { t.Transcript[1].Reasoning = s },
	"agent":            func(t *envelope.Trial, s string) { t.Transcript[1].Agent = s },
	"tool":             func(t *envelope.Trial, s string) { t.Transcript[2].Name = s },
	"answered call":    func(t *envelope.Trial, s string) { t.Transcript[2].ToolCallID = s },
	"picture":          func(t *envelope.Trial, s string) { t.Transcript[2].Attachments[0].Path = s },
	"id of a call":     func(t *envelope.Trial, s string) { t.Transcript[1].ToolCalls[0].ID = s },
	"name of a call":   func(t *envelope.Trial, s string) { t.Transcript[1].ToolCalls[0].Name = s },
	"arguments": func(t *envelope.Trial, s string) {
		t.Transcript[1].ToolCalls[0].Arguments = fmt.Sprintf(`{"a":[%q]}`, s)
	},
	"argument": func(t *envelope.Trial, s string) {
		t.Transcript[1].ToolCalls[0].Arguments = fmt.Sprintf(`{"password":%q}`, s)
	},
	"key of arguments": func(t *envelope.Trial, s string) { t.Transcript[1].ToolCalls[0].Arguments = fmt.Sprintf(`{%q:1}`, s) },
	"no arguments":     func(t *envelope.Trial, s string) { t.Transcript[1].ToolCalls[0].Arguments = s },
	"call of many":     func(t *envelope.Trial, s string) { t.Transcript = append(t.Transcript, calls(envelope.MostSteps, s)) },
	"long conversation": func(t *envelope.Trial, s string) {
		t.Transcript = append(t.Transcript, chatter(300_000), chatter(10), saying(s))
	},
	"nothing": func(*envelope.Trial, string) {},
}

func vote(reason string, n int32) envelope.Check {
	return envelope.Check{Name: "judge", Status: envelope.Fail, Reason: reason, Vote: envelope.Some(n)}
}

func saying(s string) envelope.Turn { return envelope.Turn{Role: envelope.RoleUser, Text: s} }

func chatter(n int) envelope.Turn { return saying(strings.Repeat("a ", n/2)) }

// calls are so many calls, and one more whose arguments are the text.
func calls(n int, last string) envelope.Turn {
	turn := envelope.Turn{Role: envelope.RoleAssistant}
	for i := range n {
		turn.ToolCalls = append(turn.ToolCalls, envelope.ToolCall{Name: "look", Arguments: fmt.Sprintf(`{"n":%d}`, i)})
	}
	turn.ToolCalls = append(turn.ToolCalls, envelope.ToolCall{Name: "look", Arguments: last})
	return turn
}

// whole is a trial that has all that a trial can have.
func whole(status envelope.Status, attempt int32) *envelope.Trial {
	return &envelope.Trial{Key: envelope.Key{Test: "t"}, Attempt: envelope.Some(attempt), Status: status, Message: "said", Output: "printed",
		Labels:      []envelope.Label{{Name: "tier", Value: "gold"}},
		Checks:      []envelope.Check{{Name: "reward", Status: status, Reason: "was 0"}},
		Attachments: []envelope.Attachment{{Name: "log", URL: "https://example.org/log"}},
		Transcript: []envelope.Turn{
			{Role: envelope.RoleSystem, Text: "You are an agent."},
			{Role: envelope.RoleAssistant, Text: "Let me see.", ToolCalls: []envelope.ToolCall{{ID: "c1", Name: "search", Arguments: `{"q":"x"}`}}},
			{Role: envelope.RoleTool, ToolCallID: "c1", Name: "search", Text: "nothing", Attachments: []envelope.Attachment{{Path: "a.png"}}},
		}}
}

// doors are the ways for trials to be counted.
var doors = map[string]func(in *count.Input, all []*envelope.Trial){
	"one by one": func(in *count.Input, all []*envelope.Trial) {
		for _, t := range all {
			in.Trial(t)
		}
	},
	"in a batch": func(in *count.Input, all []*envelope.Trial) {
		b := in.Batch()
		for _, t := range all {
			b.Trial(t)
		}
		in.Count(b)
	},
}

// What was found clear while it was counted is not looked at again. What is published is the same as if it were.
func TestClearIsWhatNeedNotBeLookedAtAgain(t *testing.T) {
	const token = "ghp_" + "a8Dk3mPq9sLxV2cR7tYw" + "B5nHj4ZfE6gU"
	policy := resolved(t, envelope.Policy{})
	for field, put := range fields {
		for door, deliver := range doors {
			for _, secret := range []string{token + "a1B2", "password=hunter2hunter2", "[redacted:password]", "\xff" + token + "a1B2"} {
				for _, failing := range []bool{true, false} {
					trials := []*envelope.Trial{whole(envelope.Fail, 0), whole(envelope.Pass, 1)}
					put(trials[map[bool]int{true: 0, false: 1}[failing]], secret)
					b := count.NewBuilder(5, 0.5)
					in := b.Input("in", "native")
					deliver(in, trials)
					in.Close()
					run := b.Run(envelope.ConflictExtend, 5)
					if field == "nothing" && (!run.Tests[0].DetailsClear || !run.Tests[0].ConversationsClear) {
						t.Fatalf("%s: what holds nothing is not clear", door)
					}
					got := published(t, run, policy)
					run.Tests[0].DetailsClear, run.Tests[0].ConversationsClear = false, false
					if want := published(t, run, policy); got != want {
						t.Errorf("%q as %s of a trial that fails: %v, counted %s:\n%s\nwant\n%s", secret, field, failing, door, got, want)
					}
					if strings.Contains(got, token) {
						t.Errorf("%q as %s is published", secret, field)
					}
				}
			}
		}
	}
}

// published is a run as it is published under a policy.
func published(t *testing.T, run *envelope.Run, policy envelope.Effective) string {
	t.Helper()
	e, err := Seal(run, policy)
	if err != nil {
		t.Fatal(err)
	}
	return encoded(t, e)
}

func encoded(t testing.TB, e *envelope.Envelope) string {
	t.Helper()
	var text strings.Builder
	if err := wire.EncodeJSON(&text, e); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Under rules of one's own all of it is looked at.
func TestClearIsNotTrustedUnderOtherRules(t *testing.T) {
	run := secretRun(envelope.Key{Test: "x"}, "nothing to hide but ACME", nil)
	if !run.Tests[0].DetailsClear {
		t.Fatal("it is not clear of what is known to all")
	}
	env := published(t, run, resolved(t, envelope.Policy{RedactPatterns: []envelope.RedactPattern{{Kind: "acme", Pattern: "ACME"}}}))
	if strings.Contains(env, "ACME") {
		t.Errorf("it is published:\n%s", env)
	}
}

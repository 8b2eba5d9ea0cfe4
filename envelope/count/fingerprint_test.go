package count

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/redact"
)

// SHA-256 of the canonical text, first 8 bytes, by sha256sum.
func TestDigestsOfArguments(t *testing.T) {
	d := newDigester(builtinSecrets(), &reasons{})
	for _, c := range []struct{ reason, args, digest string }{
		{"nothing is {}", "", "44136fa355b3678a"},
		{"null as well", " null ", "44136fa355b3678a"},
		{"keys are sorted and 1.0 is 1", `{"b": 1.0, "a": "x"}`, "cdab067e9f3beb32"},
		{"in whatever order they come", `{"a":"x","b":1e0}`, "cdab067e9f3beb32"},
		{"a secret is [redacted]", `{"password":"hunter2-Zq9"}`, "ff4685a2957f6679"},
		{"whichever it is", `{"password":"Another-8kT"}`, "ff4685a2957f6679"},
		{"a text that is no object is a text", `go on`, "9d1e4261ae527487"},
	} {
		for range 2 { // the second one is known
			if got := d.another().step(&envelope.ToolCall{Name: "f", Arguments: c.args}); got.Digest != c.digest {
				t.Errorf("%s: got %s, want %s", c.reason, got.Digest, c.digest)
			}
		}
	}
}

// What is remembered holds under the rules it was made under.
func TestDigestsUnderOtherRules(t *testing.T) {
	b := NewBuilder(0, 0)
	call := envelope.ToolCall{Name: "f", Arguments: `{"who":"c-1234"}`}
	before := b.secrets.step(&call)
	if err := b.Hide(redact.Rules{Fields: []string{"who"}}); err != nil {
		t.Fatal(err)
	}
	if hidden := b.secrets.step(&call); hidden == before {
		t.Errorf("%s is the digest of what is hidden, too", hidden.Digest)
	}
}

func TestDigestsAreFewInMemory(t *testing.T) {
	d := &digests{}
	for i := range 100 {
		d.add(strings.Repeat(string(rune('a'+i)), mostDigested/32), digested{digest: "0"})
		size := 0
		for args := range d.by {
			size += len(args)
		}
		if size > mostDigested {
			t.Fatalf("%d bytes are remembered", size)
		}
	}
	if d.add(strings.Repeat("a", mostDigested), digested{digest: "0"}); len(d.by) == 0 {
		t.Error("one long text made all others forgotten")
	}
}

package count

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"tribunal/envelope"
	"tribunal/internal/redact"
)

// SHA-256 of the canonical text, first 8 bytes, by sha256sum.
func TestDigestsOfArguments(t *testing.T) {
	d := newFingerprinter(builtinSecrets(), &reasons{})
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

// TestTextsShareTheOutput: what a step says, and why its trial failed, are kept once where
// the output begins with them, and are the same texts where it does not.
func TestTextsShareTheOutput(t *testing.T) {
	said := "expected 3\nbut got 2\n    at step (shop.js:7:3)"
	long := strings.Repeat("x", maxMessage+1)
	for _, c := range []struct {
		message, output, reason string
		shares                  bool
	}{
		{"expected 3", said, said, true},
		{"expected 3", said + "\nand its log", said, true},
		{"expected 3", "its log\n" + said, said, false},
		{"a\xff", "a\xffb", "a\xffb", false},
		{"", "", "", false},
	} {
		got := textsOf(&envelope.Trial{Status: envelope.Fail, Message: c.message, Output: c.output, Checks: []envelope.Check{{Name: "step", Reason: c.reason}}})
		repair := strings.NewReplacer("\xff", "\uFFFD").Replace
		want := envelope.Detail{Status: envelope.Fail, Message: repair(c.message), Output: repair(c.output)}
		if c.reason != "" {
			want.Reasons = map[string]string{"step": repair(c.reason)}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		for _, s := range []string{got.Message, got.Reasons["step"]} {
			if shares := s != "" && unsafe.StringData(s) == unsafe.StringData(got.Output); shares != c.shares {
				t.Errorf("%q in the memory of %q: %v", s, got.Output, shares)
			}
		}
	}
	if got := textsOf(&envelope.Trial{Message: long, Output: long}); len(got.Message) > maxMessage || got.Output != long {
		t.Errorf("a message of %d bytes beside an output of %d", len(got.Message), len(got.Output))
	}
}

// TestRepeatedNamesOfChecks: a repeated name gets the next number that is free, which
// another check may have taken by its own name.
func TestRepeatedNamesOfChecks(t *testing.T) {
	var checks []envelope.Check
	for _, name := range []string{"a", "a", "a #2", "a", "b #2", "b", "b", "a"} {
		checks = append(checks, envelope.Check{Name: name})
	}
	want := []string{"a", "a #2", "a #2 #2", "a #3", "b #2", "b", "b #3", "a #4"}
	if got := checkNames(checks); !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
}

// TestChecksLeftOut: the first 200 checks of a trial are kept, and the rest told.
func TestChecksLeftOut(t *testing.T) {
	for more, want := range map[int]string{1: "1 check is left out: Tribunal keeps the first 200 of a trial", 2: "2 checks are left out: Tribunal keeps the first 200 of a trial"} {
		b := NewBuilder(1, 0)
		in := b.Input("a", "native")
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Pass, Checks: make([]envelope.Check, 200+more)})
		in.Close()
		if got := b.Run(envelope.ConflictExtend, 1).Problems; len(got) != 1 || got[0].Message != want {
			t.Errorf("told %+v, want %q", got, want)
		}
	}
}

// TestSumsGoOn: sums that were asked for in between are those of all at the end, over
// the end of a chunk as well, and of an input they are its own. A numbered trial that
// came twice counts once in all, and twice in those of its inputs; one without a number
// counts as often as it came.
func TestSumsGoOn(t *testing.T) {
	b := NewBuilder(0, 0)
	var asked Sums
	var of []envelope.TrialsSum
	each := []int{3, chunkRows, 5} // trials of the inputs
	for n, trials := range each {
		in := b.Input(fmt.Sprint("input ", n), "native")
		for i := range trials {
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: fmt.Sprint("t", i%7)}, Status: envelope.Pass, Attempt: envelope.Some(int32(i)), DurationMS: envelope.Some(float64(n*trials + i))})
		}
		of = append(of, b.Sum(&asked)...)
	}
	for range 2 {
		b.Input("again", "native").Trial(&envelope.Trial{Key: envelope.Key{Test: "t0"}, Status: envelope.Pass, Attempt: envelope.Some[int32](0), DurationMS: envelope.Some(0.0)})
		b.Input("unnumbered", "native").Trial(&envelope.Trial{Key: envelope.Key{Test: "t0"}, Status: envelope.Pass})
	}
	b.Sum(&asked)
	var once Sums
	inputs := b.Sum(&once)
	if asked.All != once.All || once.All.Trials != 3+chunkRows+5+2 {
		t.Errorf("asked in between %v, at once %v, want %d trials", asked.All, once.All, 3+chunkRows+5+2)
	}
	if len(of) != len(each) || len(inputs) != len(each)+2 {
		t.Fatalf("sums of %d and %d inputs", len(of), len(inputs))
	}
	for n, sum := range of {
		if sum.Trials != each[n] {
			t.Errorf("input %d: %d trials, want %d", n, sum.Trials, each[n])
		}
	}
	if more := b.Sum(&asked); len(more) != 0 {
		t.Errorf("nothing came, and yet %v", more)
	}
}

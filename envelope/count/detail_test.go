package count

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"tribunal/envelope"
)

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

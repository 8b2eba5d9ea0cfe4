package count

import (
	"slices"
	"testing"

	"tribunal/envelope"
)

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
	for more, want := range map[int]string{1: "1 check is not kept: only the first 200 of a trial are", 2: "2 checks are not kept: only the first 200 of a trial are"} {
		b := NewBuilder(1, 0)
		in := b.Input("a", "native")
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Pass, Checks: make([]envelope.Check, 200+more)})
		in.Close()
		if got := b.Run(envelope.ConflictExtend, 1).Problems; len(got) != 1 || got[0].Message != want {
			t.Errorf("told %+v, want %q", got, want)
		}
	}
}

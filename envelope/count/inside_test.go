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

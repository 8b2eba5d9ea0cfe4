package driver

import (
	"slices"
	"testing"
)

// TestAddedVariables: what a runner needs in its environment is filled in like its
// command, stands behind what is inherited, and is not hidden with what is ours.
func TestAddedVariables(t *testing.T) {
	added, err := NewTemplate([]string{"REPORT={out}", "PLAIN=1"})
	if err != nil {
		t.Fatal(err)
	}
	e := Environment{Inherited: []string{"REPORT=elsewhere", "TRIBUNAL_OUT=outer"}, Added: added, Hide: true, Cookie: "C"}
	want := []string{"REPORT=elsewhere", "REPORT=/o/out", "PLAIN=1"}
	if got := e.of(e.passed(), "run", 0, Values{Out: "/o/out"}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	e.Hide = false
	if got := e.of(e.passed(), "run", 0, Values{Out: "/o/out"}); !slices.Equal(got[:len(want)], want) || !slices.Contains(got, "TRIBUNAL_OUT=/o/out") {
		t.Errorf("%q", got)
	}
}

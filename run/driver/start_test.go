package driver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/run/journal"
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

// TestRoomForArguments: on Linux an argument of 128 KiB with its zero byte is refused
// (execve(2), MAX_ARG_STRLEN), one that is shorter by one is not.
func TestRoomForArguments(t *testing.T) {
	for _, c := range []struct {
		reason, system string
		argv           []string
		want           bool
	}{
		{"the longest", "linux", []string{"p", strings.Repeat("x", 131071)}, true},
		{"one byte more", "linux", []string{"p", strings.Repeat("x", 131072)}, false},
		{"many that are short each", "linux", strings.Split(strings.Repeat("x ", 1<<20), " "), false},
		{"a line of Windows", "windows", []string{"p", strings.Repeat("x", 32_767)}, false},
		{"macOS bounds their sum", "darwin", []string{"p", strings.Repeat("x", 131072)}, true},
	} {
		if got := roomOf(c.system).takes(c.argv); got != c.want {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}

// TestPendingHoldsOnlyWhatRan: what is remembered of a journal's starts is as many
// as ran at once, or a run of 200,000 trials takes 80 MB to be gone on with.
func TestPendingHoldsOnlyWhatRan(t *testing.T) {
	p := pending{byID: map[string]*lost{}, byAttempt: map[attemptKey]*lost{}}
	key := func(test int) envelope.Key { return envelope.Key{Test: fmt.Sprint("t", test)} }
	const batches, size = 50, 4
	for n := range batches { // each ends in reverse when the next one has begun
		for test := range size {
			p.begin(journal.Start{Key: key(test), Attempt: n, ID: fmt.Sprint("start", n)})
		}
		for test := size - 1; n > 0 && test >= 0; test-- {
			if s := p.end(key(test), n-1); s == nil || s.ID != fmt.Sprint("start", n-1) {
				t.Fatalf("t%d, attempt %d, ended as one of %+v", test, n-1, s)
			}
		}
		if len(p.byID) != 1 || len(p.byAttempt) != size {
			t.Fatalf("%d starts and %d trials are remembered after %d, want 1 and %d", len(p.byID), len(p.byAttempt), n+1, size)
		}
	}
	if p.end(key(0), 0) != nil {
		t.Error("a trial that has ended ends again")
	}
	p.begin(journal.Start{Key: envelope.Key{Variant: "v"}, ID: "first"}) // of a sweep, which tells the tests
	p.end(key(1), batches-1)
	left := p.left()
	if len(left) != 2 || left[0].ID != fmt.Sprint("start", batches-1) || left[0].open != size-1 || len(left[0].keys) != size || left[1].ID != "first" || left[1].open != 1 {
		t.Errorf("left are %+v", left)
	}
}

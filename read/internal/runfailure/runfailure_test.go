package runfailure

import (
	"slices"
	"strconv"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestWatch(t *testing.T) {
	for _, c := range []struct {
		reason string
		status envelope.Status
		want   []string
	}{
		{"nothing else failed", envelope.Pass, []string{"a #0 pass", "[run] #0 error infrastructure", "[run] #1 error crash"}},
		{"a skipped test explains nothing", envelope.Skip, []string{"a #0 skip", "[run] #0 error infrastructure", "[run] #1 error crash"}},
		{"a test that failed explains it", envelope.Fail, []string{"a #0 fail", "[run] #0 error crash"}},
		{"so does one that could not be tried", envelope.Error, []string{"a #0 error", "[run] #0 error crash"}},
	} {
		to := &readtest.Sink{}
		w := &Watch{Sink: to}
		w.Trial(&envelope.Trial{Key: envelope.Key{Test: "a"}, Attempt: envelope.Some[int32](0), Status: c.status})
		w.Explain("it failed")
		w.Fail("crash", "it died", "of a signal")
		if !slices.Equal(to.Lines(), c.want) {
			t.Errorf("%s: %q, want %q", c.reason, to.Lines(), c.want)
		}
		if last := to.Trials[len(to.Trials)-1]; last.Output != "it died\n\nof a signal" {
			t.Errorf("%q", last.Output)
		}
	}
}

// TestWatchTries: a test that passed when it was tried again does not say why a run failed,
// and one that failed again, or is repeated, does. What a report counts may be tries.
func TestWatchTries(t *testing.T) {
	for _, c := range []struct {
		reason             string
		tries              string // F failed, P passed, f and p when tried again
		explained, counted bool
	}{
		{"it passed at last", "Fp", false, true},
		{"at the third try", "Ffp", false, true},
		{"it failed at last", "Ff", true, true},
		{"a repeat that passed takes nothing back", "FP", true, true},
		{"nothing failed", "P", false, false},
	} {
		for explain, want := range map[bool]bool{true: c.explained, false: c.counted} {
			to := &readtest.Sink{}
			w := &Watch{Sink: to}
			for i, try := range c.tries {
				one := envelope.Trial{Key: envelope.Key{Test: "a"}, Attempt: envelope.Some(int32(i)), Status: envelope.Pass, Retry: try == 'f' || try == 'p'}
				if try == 'F' || try == 'f' {
					one.Status = envelope.Fail
				}
				w.Trial(&one)
			}
			if explain {
				w.Explain("it failed")
			} else {
				w.Counted(1, "tests")
			}
			if got := len(to.Trials) == len(c.tries); got != want {
				t.Errorf("%s (%s): explained %t, want %t: %q", c.reason, c.tries, got, want, to.Lines())
			}
		}
	}
}

// TestWatchMany: beyond what is kept, a test that failed explains a run whatever comes.
func TestWatchMany(t *testing.T) {
	to := &readtest.Sink{}
	w := &Watch{Sink: to}
	for _, again := range []bool{false, true} {
		for i := range mostOpen + 1 {
			one := envelope.Trial{Key: envelope.Key{Test: strconv.Itoa(i)}, Status: envelope.Fail, Retry: again}
			if again {
				one.Status = envelope.Pass
			}
			w.Trial(&one)
		}
	}
	if w.Explain("it failed"); len(to.Trials) != 2*(mostOpen+1) {
		t.Errorf("%d trials", len(to.Trials))
	}
}

// TestWatchAnnounced: retries are no results, and what is malformed is not missing.
func TestWatchAnnounced(t *testing.T) {
	for announced, want := range map[int]int{0: 1, 2: 1, 3: 2} { // problems
		to := &readtest.Sink{}
		w := &Watch{Sink: to}
		w.Trial(&envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Fail})
		w.Trial(&envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Pass, Retry: true})
		w.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed})
		if w.Announced(announced, "tests"); len(to.Problems) != want {
			t.Errorf("%d announced: %v", announced, to.Problems)
		}
	}
}

package driver

import (
	"testing"

	"tribunal/envelope"
	"tribunal/run/process"
	"tribunal/run/runner"
)

// TestEndedWithTheJob: a batch system ends all processes of a job, in any order. A
// command that it ended is no trial, and one that ended by itself is one.
func TestEndedWithTheJob(t *testing.T) {
	asked, alone := &drive{told: make(chan struct{})}, &drive{told: make(chan struct{})}
	close(asked.told)
	for _, c := range []struct {
		reason string
		end    process.End
		cut    bool
	}{
		{"by SIGTERM", process.End{Why: process.Exited, Signal: "TERM", Code: -1}, true},
		{"by SIGKILL", process.End{Why: process.Exited, Signal: "KILL", Code: -1}, true},
		{"its child by SIGTERM, as a shell says it", process.End{Why: process.Exited, Code: 143}, true},
		{"a pass", process.End{Why: process.Exited}, false},
		{"a failure", process.End{Why: process.Exited, Code: 1}, false},
		{"a crash", process.End{Why: process.Exited, Signal: "SEGV", Code: -1}, false},
		{"its timeout", process.End{Why: process.Timeout, Signal: "TERM", Code: -1}, false},
	} {
		if cut := asked.endedAsWeAre(c.end); cut != c.cut {
			t.Errorf("%s: cut %v, want %v", c.reason, cut, c.cut)
		}
	}
	if alone.endedAsWeAre(process.End{Why: process.Exited, Signal: "KILL", Code: -1}) {
		t.Error("what somebody killed while nobody ended the run is a trial: an agent that eats all memory failed")
	}
}

// TestLeftBehind: only what a command that ended by itself left behind is told. Which
// process of one that was ended dies last is chance.
func TestLeftBehind(t *testing.T) {
	for why, left := range map[process.Why]int{process.Exited: 2, process.OutputLimit: 2, process.Timeout: 0, process.Stopped: 0} {
		var out outcome
		out.count(process.End{Why: why, LeftBehind: 2, Survived: 1})
		if out.left != left || out.survived != 1 {
			t.Errorf("%v: %d left and %d survived, want %d and 1", why, out.left, out.survived, left)
		}
	}
}

// TestWordsOfAnEnd: a trial says what it wrote last, and one that was ended for that says so.
func TestWordsOfAnEnd(t *testing.T) {
	for _, c := range []struct {
		reason, stdout, stderr, want string
		end                          process.End
	}{
		{"what it wrote to standard error", "log", "no answer", "no answer", process.End{Code: 1}},
		{"what it wrote", "log", "", "log", process.End{Code: 1}},
		{"it wrote nothing", "", "", "it ended with exit code 1", process.End{Code: 1}},
		{"too much, which is no reason", "xxxx", "", "it was stopped because it wrote more than 64 MiB", process.End{Code: -1, Signal: "KILL", Why: process.OutputLimit}},
	} {
		if got := messageOf(c.stdout, c.stderr, c.end); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestFailedBesideItsScore: a start that failed failed its trial where what it tells without
// a status is no failure by itself.
func TestFailedBesideItsScore(t *testing.T) {
	d := drive{run: &Run{Plan: runner.Plan{Form: runner.Each, Policy: envelope.Effective{Policy: envelope.Policy{ScoreThreshold: envelope.Some(0.5)}}}}}
	failed := envelope.Trial{Status: envelope.Fail, Message: "it ended with exit code 1"}
	for _, c := range []struct {
		reason string
		trial  envelope.Trial
		want   envelope.Status
		worth  float64 // its score or category, 0 at most where it is made to fail
	}{
		{"a score that passes", envelope.Trial{Score: envelope.Some(0.5)}, envelope.Fail, 0},
		{"a score that fails", envelope.Trial{Score: envelope.Some(0.4)}, "", 0.4},
		{"a pass below 0", envelope.Trial{Status: envelope.Pass, Score: envelope.Some(-2.0)}, envelope.Fail, -2},
		{"a category that passes", envelope.Trial{Category: envelope.Some(int32(1))}, envelope.Fail, 0},
		{"a category that fails", envelope.Trial{Category: envelope.Some(int32(0))}, "", 0},
		{"checks that pass", envelope.Trial{Checks: []envelope.Check{{Name: "a", Status: envelope.Pass}, {Name: "b", Score: envelope.Some(0.9)}}}, envelope.Fail, 0},
		{"a check that fails", envelope.Trial{Checks: []envelope.Check{{Name: "a", Status: envelope.Pass}, {Name: "b", Score: envelope.Some(0.1)}}}, "", 0},
	} {
		if got := d.believed(c.trial, &report{failed: &failed, trials: []envelope.Trial{c.trial}}); got.Status != c.want || got.Score.V+float64(got.Category.V) != c.worth {
			t.Errorf("%s: status %q, score %v, category %v, want %q, %v", c.reason, got.Status, got.Score.V, got.Category.V, c.want, c.worth)
		}
	}
}

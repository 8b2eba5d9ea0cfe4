package process

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// leave is a command that leaves a process in a session of its own, and ends.
func leave(dir string) []string { return as("leader", "new-session", dir, "exit") }

func TestKeptLeftoversLiveUntilTheirTrialEnds(t *testing.T) {
	g := open(t, Options{})
	dir := marked(t)
	run := filepath.Base(dir)
	before, _ := start(t, g, Command{ID: "r.7", Argv: leave(dir), Keep: true})
	if end := before.Wait(); end.LeftBehind != 0 {
		t.Errorf("what prepares a trial counts as leaving something: %+v", end)
	}
	other, _ := start(t, g, Command{ID: "r.8", Argv: as("exit", "0")})
	if end := other.Wait(); end.LeftBehind != 0 || alive(run) == 0 {
		t.Errorf("the end of another trial ended it: %d live, %+v", alive(run), end)
	}
	trial, _ := start(t, g, Command{ID: "r.7", Argv: as("exit", "0")})
	trial.Wait()
	if n := alive(run); n > 0 {
		t.Errorf("%d processes live after the trial that they were prepared for", n)
	}
}

func TestKeptLeftoversOfARunAreReleased(t *testing.T) {
	for _, name := range []string{"new-session", "unmarked-orphan"} {
		g := open(t, Options{})
		dir := marked(t)
		setup, _ := start(t, g, Command{ID: "r", Argv: as("leader", name, dir, "exit"), Keep: true})
		setup.Wait()
		trial, _ := start(t, g, Command{ID: "r.1", Argv: as("exit", "0")})
		if end := trial.Wait(); end.LeftBehind != 0 || alive(filepath.Base(dir)) == 0 {
			t.Errorf("%s: a trial ended what the run needs: %+v", name, end)
		}
		if ended, survived := g.Release("r"); ended != 1 || survived != 0 {
			t.Errorf("%s: %d were ended and %d survived, want 1 and 0", name, ended, survived)
		}
		if n := alive(filepath.Base(dir)); n > 0 {
			t.Errorf("%s: %d processes live after Release", name, n)
		}
		g.Close()
	}
}

func TestLeftoversCanBeSpared(t *testing.T) {
	g := open(t, Options{LeaveBehind: true})
	dir := marked(t)
	p, _ := start(t, g, Command{Argv: leave(dir)})
	if end := p.Wait(); end.LeftBehind != 1 {
		t.Errorf("what is spared is counted: %+v", end)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if n := alive(filepath.Base(dir)); n != 1 {
		t.Errorf("%d processes live after Close, want the one that was spared", n)
	}
}

// One trial at a time: what nothing ties to a trial is the last one's for sure.
func TestWhatIsUnmarkedCountsForTheOnlyTrial(t *testing.T) {
	g := open(t, Options{})
	dir := marked(t)
	p, _ := start(t, g, Command{Argv: as("leader", "unmarked-orphan", dir, "exit")})
	if end := p.Wait(); end.LeftBehind != 1 || alive(filepath.Base(dir)) != 0 {
		t.Errorf("%d live, %+v", alive(filepath.Base(dir)), end)
	}
}

// Other code of the program may have children too.
func TestOtherChildrenAreLeftAlone(t *testing.T) {
	g := open(t, Options{})
	dir := marked(t)
	argv := as("hold", dir, "held")
	other := exec.Command(argv[0], argv[1:]...)
	succeed(t, other.Start())
	argv = as("exit", "5")
	dead := exec.Command(argv[0], argv[1:]...)
	succeed(t, dead.Start())
	p, _ := start(t, g, Command{Argv: leave(dir)})
	p.Wait()
	time.Sleep(lookEvery) // not waited for: once more through reapOrphans
	g.reaper.reapOrphans()
	if dead.Wait(); dead.ProcessState == nil || dead.ProcessState.ExitCode() != 5 {
		t.Errorf("the end of another child was taken: %v", dead.ProcessState)
	}
	if n := alive(filepath.Base(dir), "held"); n != 1 {
		t.Errorf("%d of the other child live, want it to", n)
	}
	other.Process.Kill()
	other.Wait()
}

// Suspended, neither a process nor its clock runs: the timeout comes after Continue.
func TestSuspendStopsProcessesAndClocks(t *testing.T) {
	g := open(t, Options{})
	dir := t.TempDir()
	p, _ := start(t, g, Command{Argv: as("hold", dir, "held")})
	if !until(func() bool { return announced(dir, "held") }) {
		t.Fatal("it did not come up")
	}
	g.Suspend()
	g.Suspend() // again: nothing
	late, _ := start(t, g, Command{ID: "r.2", Argv: as("hold", dir, "late"), Timeout: time.Millisecond})
	for _, who := range []*Process{p, late} {
		if !until(func() bool { return stopped(t, who.leader.pid) }) {
			t.Error("a process runs while the run is suspended")
		}
	}
	select {
	case <-late.done:
		t.Error("a timeout came while the run was suspended")
	case <-time.After(50 * time.Millisecond):
	}
	g.Continue()
	if end := late.Wait(); end.Why != Timeout {
		t.Errorf("it ended as %+v, want a timeout", end)
	}
	if !until(func() bool { return !stopped(t, p.leader.pid) }) {
		t.Error("a process is stopped after Continue")
	}
	p.Stop()
	p.Wait()
}

func stopped(t *testing.T, pid int) bool {
	status := content(t, "/proc", filepath.Join(strconv.Itoa(pid), "stat"))
	return strings.HasPrefix(status[strings.LastIndexByte(status, ')')+1:], " T")
}

func TestTheClockLeavesOutWhatWasSuspended(t *testing.T) {
	begun := time.Now().Add(-10 * time.Second)
	c := clock{zero: begun, lost: 4 * time.Second, frozen: begun.Add(7 * time.Second)}
	if got := c.now(); got != 3*time.Second {
		t.Errorf("7 s after the beginning, 4 of them suspended, it is %s", got)
	}
	c.stop(false) // about 3 s later
	if c.lost < 7*time.Second || c.stopped() {
		t.Errorf("after 3 s more %s are lost", c.lost)
	}
}

func TestASignalThatIsNotOursIsNamed(t *testing.T) {
	g := open(t, Options{})
	for signal, name := range map[unix.Signal]string{unix.SIGKILL: "KILL", unix.SIGSEGV: "SEGV", 40: "40"} {
		dir := t.TempDir()
		p, _ := start(t, g, Command{Argv: []string{"/bin/sleep", "60"}, Dir: dir})
		unix.Kill(p.leader.pid, signal)
		if end := p.Wait(); end.Why != Exited || end.Signal != name || end.Code != -1 {
			t.Errorf("signal %d ended it as %+v, want %s", signal, end, name)
		}
	}
}

func TestCookiesCoverWhatBelongsToThem(t *testing.T) {
	for _, c := range []struct {
		id, cookie string
		want       bool
	}{{"r", "r", true}, {"r", "r.1", true}, {"r.1", "r.1", true}, {"r.1", "r.12", false}, {"r", "ro.1", false}, {"r.1", "r", false}, {"r", "", false}} {
		if matchesCookie(c.id, c.cookie) != c.want {
			t.Errorf("matchesCookie(%q, %q) is %v", c.id, c.cookie, !c.want)
		}
	}
}

package process

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A shape is a way in which a trial lets something live on. Its leader starts what
// is to escape, and says that it is ready when that has announced itself.
type shape struct {
	name string
	// escape starts it; the rest of a path is left to roles of their own.
	escape func(dir, name string)
	// waits is how many announcements make it ready.
	waits int
	// unmarked is whether nothing ties it to its trial once its parents are gone, so
	// that it is ended when no trial runs, and is not counted for its own.
	unmarked bool
	// beyond is whether it also outlives us when we are killed, as said in the
	// package's Limits.
	beyond bool
}

var shapes = []shape{
	{name: "new-session", waits: 1, escape: func(dir, name string) {
		spawn(&syscall.SysProcAttr{Setsid: true}, nil, "hold", dir, name+".1")
	}},
	{name: "double-fork", waits: 1, escape: func(dir, name string) {
		spawn(nil, nil, "parent", "fork", dir, name).Wait()
	}},
	{name: "closed-daemon", waits: 1, escape: func(dir, name string) {
		spawn(nil, nil, "parent", "daemon", dir, name).Wait()
	}},
	{name: "ignores-sigterm", waits: 1, escape: func(dir, name string) {
		signal.Ignore(unix.SIGTERM)
		spawn(nil, nil, "stubborn", dir, name+".1")
	}},
	{name: "holds-stdout", waits: 1, escape: func(dir, name string) {
		spawn(nil, nil, "parent", "output", dir, name).Wait()
	}},
	{name: "fork-storm", waits: 5, escape: func(dir, name string) {
		spawn(nil, nil, "storm", dir, name, "50")
	}},
	{name: "new-group", waits: 1, escape: func(dir, name string) {
		spawn(&syscall.SysProcAttr{Setpgid: true}, nil, "hold", dir, name+".1")
	}},
	{name: "no-environment", waits: 1, escape: func(dir, name string) {
		spawn(nil, []string{}, "hold", dir, name+".1")
	}},
	// Beside the eight: nothing ties it to the trial but who its parents are, first
	// while the trial is one of them, then without.
	{name: "unmarked-child", waits: 1, unmarked: true, escape: func(dir, name string) {
		spawn(&syscall.SysProcAttr{Setsid: true}, []string{}, "hold", dir, name+".1")
	}},
	{name: "unmarked-orphan", waits: 1, unmarked: true, beyond: true, escape: func(dir, name string) {
		spawn(nil, []string{}, "parent", "daemon", dir, name).Wait()
	}},
}

// spawn starts a role of this binary. env nil inherits, empty is empty.
func spawn(how *syscall.SysProcAttr, env []string, args ...string) *exec.Cmd {
	argv := as(args...)
	cmd := &exec.Cmd{Path: argv[0], Args: argv, Env: env, Stdout: os.Stdout, SysProcAttr: how}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

func init() {
	// leader SHAPE DIR exit|hold
	roles["leader"] = func(args []string) {
		s := shapes[slices.IndexFunc(shapes, func(s shape) bool { return s.name == args[0] })]
		s.escape(args[1], s.name)
		until(func() bool { return count(args[1], s.name+".") >= s.waits })
		announce(args[1], "ready-"+s.name)
		if args[2] == "hold" {
			hold()
		}
	}
	// parent fork|daemon|output DIR NAME: a process that leaves its child alone.
	roles["parent"] = func(args []string) {
		switch args[0] {
		case "fork":
			spawn(nil, nil, "hold", args[1], args[2]+".1")
		case "output":
			spawn(nil, nil, "talk", args[1], args[2]+".1")
		case "daemon":
			spawn(&syscall.SysProcAttr{Setsid: true}, os.Environ(), "daemon", args[1], args[2]+".1")
		}
	}
	roles["daemon"] = func(args []string) {
		signal.Ignore(unix.SIGHUP, unix.SIGTERM, unix.SIGINT)
		for fd := range 3 {
			unix.Close(fd)
		}
		os.Chdir("/")
		announce(args[0], args[1])
		hold()
	}
	roles["stubborn"] = func(args []string) {
		signal.Ignore(unix.SIGTERM)
		announce(args[0], args[1])
		hold()
	}
	roles["talk"] = func(args []string) {
		announce(args[0], args[1])
		for end := time.Now().Add(2 * patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			fmt.Println("still here")
		}
	}
	// storm DIR NAME N: each starts the next, every second one in a new session.
	roles["storm"] = func(args []string) {
		announce(args[0], args[1]+"."+args[2])
		if n, _ := strconv.Atoi(args[2]); n > 1 {
			spawn(&syscall.SysProcAttr{Setsid: n%2 == 0}, nil, "storm", args[0], args[1], strconv.Itoa(n-1))
		}
		hold()
	}
	roles["runner"] = runner
	roles["outer"] = outer
}

// count counts the announcements in a folder that begin with a name.
func count(dir, prefix string) int {
	all, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
	return len(all)
}

// report is what a runner says of a shape.
type report struct {
	Shape string
	End   End
	Ready bool
	Alive int // of the shape when Wait returned
}

// runner DIR ENDING TIMEOUT runs a trial of every shape and lets them end in one way.
func runner(args []string) {
	dir, ending := args[0], args[1]
	timeout, _ := time.ParseDuration(args[2])
	g, err := Open(Options{Run: filepath.Base(dir)})
	if err != nil {
		panic(err)
	}
	then, grace := "hold", 20*time.Millisecond
	if ending == "exit" {
		then = "exit"
	}
	running := make([]*Process, len(shapes))
	for i, s := range shapes {
		running[i], err = g.Start(Command{ID: fmt.Sprintf("%s.%d", filepath.Base(dir), i), Argv: as("leader", s.name, dir, then),
			Stdout: filepath.Join(dir, "out-"+s.name), Timeout: timeout, Grace: grace})
		if err != nil {
			panic(err)
		}
	}
	if ending != "exit" && ending != "timeout" {
		until(func() bool { return count(dir, "ready-") == len(shapes) })
		announce(dir, "all-ready")
	}
	switch ending {
	case "stop":
		for _, p := range running {
			p.Stop()
		}
	case "panic":
		go panic("as asked by the test")
		hold()
	case "kill":
		hold()
	}
	for i, s := range shapes {
		end := running[i].Wait()
		line, _ := json.Marshal(report{Shape: s.name, End: end, Ready: announced(dir, "ready-"+s.name), Alive: alive(dir, s.name)})
		fmt.Println(string(line))
	}
	if err := g.Close(); err != nil {
		panic(err)
	}
}

// alive counts the processes of this machine that have both words in their command
// line; the dead have none.
func alive(words ...string) int { return len(find(words...)) }

func find(words ...string) []int {
	all, err := snapshot()
	if err != nil {
		panic(err)
	}
	var found []int
	for _, e := range all {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", e.pid))
		has := func(word string) bool { return bytes.Contains(line, []byte(word)) }
		if e.pid != os.Getpid() && !e.dead && !slices.ContainsFunc(words, func(w string) bool { return !has(w) }) {
			found = append(found, e.pid)
		}
	}
	return found
}

// marked makes a folder whose name is in every command line of a test, and ends
// what a failed test leaves.
func marked(t *testing.T) string {
	dir := t.TempDir()
	run := filepath.Join(dir, fmt.Sprintf("run-%d-%d", os.Getpid(), time.Now().UnixNano()))
	succeed(t, os.Mkdir(run, 0o700))
	t.Cleanup(func() {
		for _, pid := range find(filepath.Base(run)) {
			unix.Kill(pid, unix.SIGKILL)
		}
	})
	return run
}

// startRunner starts a role as a child of the test, in a session of its own: what
// is looked at is what the watcher does, not the terminal.
func startRunner(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	argv := as(args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func TestNothingOfATrialLivesOnAfterItsEnd(t *testing.T) {
	for _, c := range []struct {
		ending string
		why    Why
	}{{"exit", Exited}, {"stop", Stopped}, {"timeout", Timeout}} {
		t.Run(c.ending, func(t *testing.T) {
			var reports []report
			// A timeout that comes before all have escaped says nothing: try a longer one.
			for timeout := 2 * time.Second; ; timeout *= 3 {
				dir := marked(t)
				d := "0s"
				if c.ending == "timeout" {
					d = timeout.String()
				}
				var ready bool
				if reports, ready = runAll(t, dir, c.ending, d); ready {
					break
				}
				if c.ending != "timeout" || timeout > patience {
					t.Fatal("not all shapes came up")
				}
			}
			for i, r := range reports {
				if r.End.Why != c.why || r.End.Survived != 0 {
					t.Errorf("%s ended as %+v, want %v and no survivor", r.Shape, r.End, c.why)
				}
				if r.Alive > 0 && !shapes[i].unmarked {
					t.Errorf("%s: %d processes of it lived when Wait returned", r.Shape, r.Alive)
				}
				if !shapes[i].unmarked && c.ending == "exit" && r.End.LeftBehind == 0 {
					t.Errorf("%s: it left something, and nothing is counted: %+v", r.Shape, r.End)
				}
			}
		})
	}
}

// runAll runs all shapes to an end of their own, and returns what the runner said
// and whether all were ready before it.
func runAll(t *testing.T, dir, ending, timeout string) ([]report, bool) {
	t.Helper()
	cmd := startRunner(t, "runner", dir, ending, timeout)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the runner failed: %v\n%s", err, out)
	}
	if n := alive(filepath.Base(dir)); n > 0 {
		t.Errorf("%d processes of the run live after it", n)
	}
	var reports []report
	ready := true
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var r report
		succeed(t, json.Unmarshal(lines.Bytes(), &r))
		reports, ready = append(reports, r), ready && r.Ready
	}
	if len(reports) != len(shapes) {
		t.Fatalf("the runner told of %d of %d shapes", len(reports), len(shapes))
	}
	return reports, ready
}

func TestNothingOfATrialLivesOnWhenWeDie(t *testing.T) {
	for _, ending := range []string{"panic", "kill"} {
		t.Run(ending, func(t *testing.T) {
			dir := marked(t)
			cmd := startRunner(t, "runner", dir, ending, "0s")
			succeed(t, cmd.Start())
			if !until(func() bool { return announced(dir, "all-ready") }) {
				t.Error("not all shapes came up")
			}
			if ending == "kill" {
				cmd.Process.Kill()
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the runner ended well")
			}
			run := filepath.Base(dir)
			for _, s := range shapes {
				if !s.beyond && !until(func() bool { return alive(run, s.name) == 0 }) {
					t.Errorf("%s: %d processes live on", s.name, alive(run, s.name))
				}
			}
			if !until(func() bool { return alive(run, watcherArgument) == 0 }) {
				t.Error("the watcher lives on")
			}
			for _, s := range shapes {
				if s.beyond && alive(run, s.name) == 0 {
					t.Errorf("%s did not outlive us: say so in the package's Limits, which call it beyond us", s.name)
				}
			}
		})
	}
}

// outer DIR ENDING is a run whose one trial is a run of all shapes.
func outer(args []string) {
	run := "outer-" + filepath.Base(args[0])
	g, err := Open(Options{Run: run})
	if err != nil {
		panic(err)
	}
	p, err := g.Start(Command{ID: run + ".1", Argv: as("runner", args[0], "kill", "0s")})
	if err != nil {
		panic(err)
	}
	until(func() bool { return announced(args[0], "all-ready") })
	p.Kill()
	p.Wait()
	if n := alive(strings.TrimPrefix(run, "outer-"), "as"); n > 1 { // one is a watcher of ours, or none
		fmt.Println(n, "live")
	}
	if err := g.Close(); err != nil {
		panic(err)
	}
}

// The trials of the inner run carry its cookies, not the outer's: they are the
// outer trial's by descent, and the inner watcher's.
func TestARunWithinATrialEndsWithIt(t *testing.T) {
	dir := marked(t)
	if out, err := startRunner(t, "outer", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := alive(filepath.Base(dir)); n > 0 {
		t.Errorf("%d processes live on", n)
	}
}

// When the program and its watcher were both killed, a later one ends what they left.
func TestLeftoversOfAFormerRunAreEndedByTheirCookie(t *testing.T) {
	dir := marked(t)
	run := filepath.Base(dir)
	cmd := startRunner(t, "runner", dir, "kill", "0s")
	succeed(t, cmd.Start())
	if !until(func() bool { return announced(dir, "all-ready") }) {
		t.Error("not all shapes came up")
	}
	// The runner is stopped first: it would replace the watcher.
	cmd.Process.Signal(unix.SIGSTOP)
	for _, pid := range find(run, watcherArgument) {
		unix.Kill(pid, unix.SIGKILL)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if alive(run, "new-session") == 0 {
		t.Fatal("nothing was left, so that there is nothing to end")
	}
	if _, _, err := KillByCookie("", "another-"+run); err != nil || alive(run, "new-session") == 0 {
		t.Errorf("another run's cookie ended ours, or failed: %v", err)
	}
	ended, survived, err := KillByCookie("", run)
	if err != nil || ended == 0 || survived != 0 {
		t.Errorf("ended %d, survived %d: %v", ended, survived, err)
	}
	for _, s := range shapes {
		if n := alive(run, s.name); n > 0 && !s.beyond {
			t.Errorf("%s: %d processes live on", s.name, n)
		}
	}
}

// A watcher that is killed is replaced, and the new one knows what runs.
func TestAWatcherThatDiedIsReplaced(t *testing.T) {
	dir := marked(t)
	run := filepath.Base(dir)
	cmd := startRunner(t, "runner", dir, "kill", "0s")
	succeed(t, cmd.Start())
	if !until(func() bool { return announced(dir, "all-ready") }) {
		t.Error("not all shapes came up")
	}
	first := find(run, watcherArgument)
	for _, pid := range first {
		unix.Kill(pid, unix.SIGKILL)
	}
	if !until(func() bool { now := find(run, watcherArgument); return len(now) == 1 && now[0] != first[0] }) {
		t.Fatal("no new watcher came up")
	}
	cmd.Process.Kill()
	cmd.Wait()
	if !until(func() bool { return alive(run, "no-environment") == 0 && alive(run, "new-session") == 0 }) {
		t.Error("processes live on")
	}
}

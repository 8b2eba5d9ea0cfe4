package journal_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/internal/run/journal"
)

// What this test binary does when it is started as a process of its own.
const (
	roleVariable = "JOURNAL_TEST_ROLE"
	dirVariable  = "JOURNAL_TEST_DIR"
)

func TestMain(m *testing.M) {
	dir := os.Getenv(dirVariable)
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case "runner":
		exit(runTrials(dir))
	case "opener":
		_, err := journal.Open(dir)
		exit(err)
	case "full disk":
		exit(fillDisk(dir))
	}
}

func exit(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// as is this test binary in another role.
func as(role, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir)
	return cmd
}

var began = time.Date(2026, 11, 22, 9, 17, 39, 0, time.UTC)

const runID = "20261122T091739Z-4f2a"

func header(tests ...string) journal.Header {
	h := journal.Header{Run: envelope.Header{ID: runID, StartedAt: "2026-11-22T09:17:39Z"}, Boot: "boot",
		Plan: journal.Plan{Command: []string{"./agent", "{test}"}, Policy: envelope.Effective{Policy: envelope.Policy{Rule: "all"}}, Seed: 7}}
	for _, name := range tests {
		h.Plan.Tests = append(h.Plan.Tests, journal.Test{Key: envelope.Key{Suite: "s", Test: name}, Trials: 1000})
	}
	return h
}

func passed(test string, attempt int) *envelope.Trial {
	return &envelope.Trial{Key: envelope.Key{Suite: "s", Test: test}, Run: runID, Attempt: envelope.Some(int32(attempt)), Status: envelope.Pass}
}

var killed = []string{"a", "b", "c", "d"}

// runTrials is a runner: a goroutine for each test that writes start and end of one
// attempt after the other, goes on where the journal ends, and says of each attempt
// that it is safe.
func runTrials(dir string) error {
	j, err := journal.Open(dir)
	if err != nil {
		return err
	}
	next := map[string]int{}
	if err := j.Replay(func(l journal.Line) error {
		if t, ok := l.(journal.Trial); ok {
			next[t.Test] = int(t.Attempt.V) + 1
		}
		return nil
	}); err != nil {
		return err
	}
	if err := j.Commit(journal.Resume{At: began}); err != nil {
		return err
	}
	var wg sync.WaitGroup
	for slot, test := range killed {
		wg.Go(func() {
			for attempt := next[test]; ; attempt++ {
				start := journal.Start{Key: envelope.Key{Suite: "s", Test: test}, Attempt: attempt, At: began, ID: fmt.Sprint(test, attempt), Slot: slot}
				trial := passed(test, attempt)
				if err := errors.Join(j.Commit(start), j.Commit(journal.Trial{Trial: trial})); err != nil {
					exit(err)
				}
				os.Stdout.WriteString(test + " " + strconv.Itoa(attempt) + "\n")
			}
		})
	}
	wg.Wait()
	return nil
}

// TestNothingSafeIsLost: a runner that is killed at any moment, also with a line
// half written, loses nothing that it was told is safe, and repeats nothing.
func TestNothingSafeIsLost(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	j := must(journal.Create(dir, header(killed...)))(t)
	succeed(t, j.Close())
	random := rand.New(rand.NewPCG(17, 3))
	safe := map[string]bool{}
	torn := 0
	for round := range 100 {
		cmd := as("runner", dir)
		out := must(cmd.StdoutPipe())(t)
		succeed(t, cmd.Start())
		in := bufio.NewScanner(out)
		for wait := random.IntN(20); wait > 0 && in.Scan(); wait-- {
			safe[in.Text()] = true
		}
		time.Sleep(time.Duration(random.IntN(2000)) * time.Microsecond) // anywhere between two lines
		succeed(t, cmd.Process.Kill())
		for in.Scan() {
			safe[in.Text()] = true
		}
		succeed(t, in.Err())
		cmd.Wait()
		if random.IntN(3) == 0 { // what a machine without power leaves
			line := `{"suite":"s","test":"a","run":"` + runID + `","attempt":99999,"status":"pass"}`
			appendTo(t, filepath.Join(dir, journal.FileName), line[:1+random.IntN(len(line))])
			torn++
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	j = must(journal.Open(dir))(t)
	defer j.Close()
	seen := map[string]int{}
	if err := j.Replay(func(l journal.Line) error {
		if trial, ok := l.(journal.Trial); ok {
			seen[fmt.Sprint(trial.Test, " ", trial.Attempt.V)]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for what := range safe {
		if seen[what] != 1 {
			t.Errorf("attempt %s was safe and is in the journal %d times", what, seen[what])
		}
	}
	for what, n := range seen {
		if n != 1 {
			t.Errorf("attempt %s is in the journal %d times", what, n)
		}
	}
	if len(safe) < 100 || torn == 0 {
		t.Errorf("%d attempts were safe and %d lines were torn: too few to say anything", len(safe), torn)
	}
	t.Logf("%d attempts safe, %d in the journal, %d lines torn", len(safe), len(seen), torn)
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = io.WriteString(f, text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestOneRunner: a second process gets an error that names the first, and has it
// when that one is done.
func TestOneRunner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	j := must(journal.Create(dir, header("a")))(t)
	out, err := as("opener", dir).Output()
	if want := fmt.Sprintf("by process %d", os.Getpid()); err == nil || !strings.Contains(string(out), want) {
		t.Errorf("a second runner says %q (%v), want %q", out, err, want)
	}
	var locked *journal.LockedError
	if _, err := journal.Open(dir); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("in the same process: %v", err)
	}
	succeed(t, j.Close())
	if out, err := as("opener", dir).Output(); err != nil {
		t.Errorf("after the first is done: %s (%v)", out, err)
	}
	if _, err := journal.Create(dir, header("a")); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("a second journal in the same place: %v", err)
	}
}

// TestBeginsWhereNothingWasWritten: a run that was killed between making its file and
// writing to it is begun anew in its place, and what was written is never written over.
func TestBeginsWhereNothingWasWritten(t *testing.T) {
	for text, begins := range map[string]bool{"": true, "\n": false, "{": false} {
		dir := t.TempDir()
		succeed(t, os.WriteFile(filepath.Join(dir, journal.FileName), []byte(text), 0o600))
		j, err := journal.Create(dir, header("a"))
		if (err == nil) != begins || err != nil && !strings.Contains(err.Error(), "--resume") {
			t.Errorf("%q: %v", text, err)
		}
		if err == nil {
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		}
		got, err := os.ReadFile(filepath.Join(dir, journal.FileName))
		if err != nil || begins != strings.HasPrefix(string(got), `{"type":"run"`) || !begins && string(got) != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}

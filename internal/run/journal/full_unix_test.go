//go:build unix

package journal_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"tribunal/internal/run/journal"
)

// room is how large the file may become. It is no multiple of a line.
const room = 10_007

// fillDisk writes trials until the disk is full, and some after that.
func fillDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: room, Max: room}); err != nil {
		return err
	}
	j, err := journal.Open(dir)
	if err != nil {
		return err
	}
	written := 0
	for ; err == nil; written++ {
		err = j.Commit(journal.Trial{Trial: passed("a", written)})
	}
	fmt.Println(written - 1)
	for range 3 {
		if j.Append(journal.End{How: journal.Finished}) == nil || j.Commit(journal.End{How: journal.Finished}) == nil {
			return fmt.Errorf("a line was written after one that was not")
		}
	}
	return err
}

// TestFullDisk: what does not fit any more is told, nothing is written behind it,
// and the run goes on when there is room.
func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	j := must(journal.Create(dir, header("a")))(t)
	j.Close()
	out, err := as("full disk", dir).Output()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
		t.Fatalf("%s (%v)", out, err)
	}
	count, said, _ := strings.Cut(string(out), "\n")
	safe, err := strconv.Atoi(count)
	if err != nil || safe < 50 {
		t.Fatalf("%q trials were written, the file has room for more", count)
	}
	if !strings.Contains(said, "file too large") || !strings.Contains(said, "--resume") || !strings.Contains(said, journal.FileName) {
		t.Errorf("the runner said %q", said)
	}
	if info, err := os.Stat(filepath.Join(dir, journal.FileName)); err != nil || info.Size() != room {
		t.Fatalf("%v, %v: the file is not full to the last byte", info, err)
	}
	j = must(journal.Open(dir))(t)
	defer j.Close()
	if j.Torn() == 0 || j.Ended() != "" {
		t.Errorf("%d bytes were torn, and the run ended %q", j.Torn(), j.Ended())
	}
	succeed(t, j.Commit(journal.Trial{Trial: passed("a", safe)}))
	n := 0
	if err := j.Replay(func(l journal.Line) error {
		if trial, ok := l.(journal.Trial); ok {
			if int(trial.Attempt.V) != n {
				t.Errorf("attempt %d at place %d", trial.Attempt.V, n)
			}
			n++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n != safe+1 {
		t.Errorf("%d trials, want the %d that were written and one more", n, safe)
	}
}

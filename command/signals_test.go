//go:build unix

package command_test

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// started runs the program under a shell's words, with an input that is a pipe. It
// returns when the program has opened its input, which is after it has said which
// signals it heeds.
func started(t *testing.T, words string) (program *exec.Cmd, runner *os.File) {
	t.Helper()
	// What these tests were started to ignore, by nohup for one, the program would
	// ignore as well: what is caught is not handed on.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	defer signal.Stop(caught)
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "tribunal")); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	program = exec.Command("sh", "-c", words)
	program.Dir = dir
	program.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	if runner, err = os.OpenFile(pipe, os.O_WRONLY, 0); err != nil { // waits for the reader
		t.Fatal(err)
	}
	return program, runner
}

// TestSignalsOfTheSystem: what ends a session or a job ends the program in order,
// by an exit code that shells know, unless it was started to outlive it.
func TestSignalsOfTheSystem(t *testing.T) {
	for _, c := range []struct {
		reason, words string
		signal        syscall.Signal
		code          int
	}{
		{"the terminal was closed", "exec tribunal report pipe -f minimal", syscall.SIGHUP, 129},
		{"the job was cancelled", "exec tribunal report pipe -f minimal", syscall.SIGTERM, 143},
		{"somebody interrupted it", "exec tribunal report pipe -f minimal", syscall.SIGINT, 130},
		{"somebody quit it by Ctrl-\\", "exec tribunal report pipe -f minimal", syscall.SIGQUIT, 131},
		{"nohup", "trap '' HUP; exec tribunal report pipe -f minimal", syscall.SIGHUP, 0},
		{"in the background of a script", "trap '' INT; exec tribunal report pipe -f minimal", syscall.SIGINT, 0},
	} {
		program, runner := started(t, c.words)
		if err := program.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		if c.code == 0 {
			if _, err := runner.WriteString(`{"test":"a","status":"pass"}` + "\n"); err != nil {
				t.Fatal(err)
			}
			runner.Close()
		}
		_ = program.Wait() // its code says it
		runner.Close()
		if got := program.ProcessState.ExitCode(); got != c.code {
			t.Errorf("%s: exit code %d (%s), want %d", c.reason, got, program.ProcessState, c.code)
		}
	}
}

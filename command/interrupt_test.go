package command

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestStopping: what a signal does, by what the program is doing.
func TestStopping(t *testing.T) {
	for _, c := range []struct {
		reason  string
		piped   bool
		signals []os.Signal
		code    int // 0: it goes on
	}{
		{"files are read", false, []os.Signal{os.Interrupt}, 130},
		{"a runner is piped in: its end is waited for", true, []os.Signal{os.Interrupt}, 0},
		{"a second interrupt is meant for us", true, []os.Signal{os.Interrupt, os.Interrupt}, 130},
		{"a job that is cancelled does not wait", true, []os.Signal{syscall.SIGTERM}, 143},
	} {
		var s stopping
		var undone []string
		s.meanwhile(func() { undone = append(undone, "settled") })()
		s.meanwhile(func() { undone = append(undone, "begun") })
		s.setPiped(c.piped)
		signals := make(chan os.Signal, len(c.signals))
		for _, sig := range c.signals {
			signals <- sig
		}
		close(signals)
		code := 0
		s.obey(signals, io.Discard, func(n int) { code = n })
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.reason, code, c.code)
		}
		want := []string{"begun"}
		if c.code == 0 {
			want = nil
		}
		if !slices.Equal(undone, want) {
			t.Errorf("%s: undone %v, want %v", c.reason, undone, want)
		}
	}
}

// TestInterruptedRunner: what was told until the end of the input is counted, and
// the run is never taken for a whole one.
func TestInterruptedRunner(t *testing.T) {
	defer func() { stop = stopping{} }()
	stream := io.MultiReader(
		strings.NewReader(`{"test":"a","status":"pass"}`+"\n"),
		hears(func() { stop.receive(os.Interrupt) }),
		strings.NewReader(`{"test":"b","status":"pass"}`+"\n"))
	var out, errs strings.Builder
	env := Env{Stdin: stream, Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }}
	code := Main([]string{"tribunal", "report", "--no-config"}, env)
	if code != 2 || !strings.Contains(out.String(), "2 tests pass") || !strings.Contains(out.String(), "the run was interrupted") {
		t.Errorf("exit code %d:\n%s%s", code, &out, &errs)
	}
}

// hears is an empty part of a stream at which something happens.
type hears func()

// Read implements io.Reader.
func (h hears) Read([]byte) (int, error) {
	h()
	return 0, io.EOF
}

// TestNothingStaysBehind: a file that was begun is removed.
func TestNothingStaysBehind(t *testing.T) {
	defer func() { stop = stopping{} }()
	dir := t.TempDir()
	err := writeWhole(filepath.Join(dir, "report"), func(w io.Writer) error {
		stop.receive(syscall.SIGTERM)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("%v, %v are left", entries, err)
		}
		return nil
	})
	if err == nil {
		t.Error("a file that was removed appeared")
	}
	if len(stop.undo) != 0 {
		t.Errorf("%d files are still to be removed", len(stop.undo))
	}
}

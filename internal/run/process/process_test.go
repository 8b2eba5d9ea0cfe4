//go:build linux || darwin || windows

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The codes are a pass, a failure, EX_TEMPFAIL of sysexits.h, and the largest
// that wait(2) gives.
func TestExitCodesAreThoseOfTheProcess(t *testing.T) {
	g := open(t, Options{})
	for _, code := range []int{0, 1, 75, 255} {
		p, _ := start(t, g, Command{Argv: as("exit", fmt.Sprint(code))})
		end := p.Wait()
		if end.Code != code || end.Signal != "" || end.Why != Exited || end.Forced || end.LeftBehind != 0 {
			t.Errorf("exit %d ended as %+v", code, end)
		}
		if end.Duration <= 0 || end.Started.IsZero() {
			t.Errorf("exit %d has no times: %+v", code, end)
		}
	}
}

func TestOutputsAreKeptApart(t *testing.T) {
	g := open(t, Options{})
	p, dir := start(t, g, Command{Argv: as("print", "to standard output", "to standard error, longer")})
	end := p.Wait()
	if out, err := content(t, dir, "stdout"), content(t, dir, "stderr"); out != "to standard output" || err != "to standard error, longer" {
		t.Errorf("standard output has %q and standard error %q", out, err)
	}
	if end.StdoutSize != 18 || end.StderrSize != 25 {
		t.Errorf("sizes are %d and %d, written were 18 and 25 bytes", end.StdoutSize, end.StderrSize)
	}
}

func TestBothOutputsCanBeOneFile(t *testing.T) {
	g := open(t, Options{})
	name := filepath.Join(t.TempDir(), "both")
	p := must(g.Start(Command{ID: "r.1", Argv: as("print", "one ", "two"), Stdout: name, Stderr: name}))(t)
	p.Wait()
	if text, _ := os.ReadFile(name); string(text) != "one two" {
		t.Errorf("both outputs have %q", text)
	}
}

func TestArgumentsAreNoShellWords(t *testing.T) {
	g := open(t, Options{})
	p, dir := start(t, g, Command{Argv: as("arguments", "a/b (c)", "$HOME", "", "*", `"quoted" \`)})
	p.Wait()
	if got, want := content(t, dir, "stdout"), `["a/b (c)" "$HOME" "" "*" "\"quoted\" \\"]`+"\n"; got != want {
		t.Errorf("the arguments arrived as %s, given were %s", got, want)
	}
}

func TestTheEnvironmentIsTheGivenOneAndTheCookie(t *testing.T) {
	t.Setenv("OF_THE_RUNNER", "inherited")
	g := open(t, Options{})
	for _, c := range []struct {
		reason string
		env    []string
		want   string
	}{
		{"nil inherits", nil, "TRIBUNAL_TRIAL=r.1\nOF_THE_RUNNER=inherited\nA=\n"},
		{"a list is all there is", []string{"A=b", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}, "TRIBUNAL_TRIAL=r.1\nOF_THE_RUNNER=\nA=b\n"},
		{"a cookie of an outer run is replaced", []string{"TRIBUNAL_TRIAL=outer.1", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}, "TRIBUNAL_TRIAL=r.1\nOF_THE_RUNNER=\nA=\n"},
	} {
		p, dir := start(t, g, Command{Argv: as("environment", "TRIBUNAL_TRIAL", "OF_THE_RUNNER", "A"), Env: c.env})
		p.Wait()
		if got := content(t, dir, "stdout"); got != c.want {
			t.Errorf("%s: the command saw %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestTheCookieCanHaveAnotherName(t *testing.T) {
	g := open(t, Options{Variable: "BUILD_TAG"})
	p, dir := start(t, g, Command{Argv: as("environment", "TRIBUNAL_TRIAL", "BUILD_TAG")})
	p.Wait()
	if got, want := content(t, dir, "stdout"), "TRIBUNAL_TRIAL=\nBUILD_TAG=r.1\n"; got != want {
		t.Errorf("the command saw %q, want %q", got, want)
	}
}

func TestACommandStartsInItsDirectoryWithoutInput(t *testing.T) {
	g := open(t, Options{})
	dir := must(filepath.EvalSymlinks(t.TempDir()))(t)
	p, out := start(t, g, Command{Argv: as("where"), Dir: dir})
	p.Wait()
	if got, want := content(t, out, "stdout"), dir+" <nil>\n"; got != want {
		t.Errorf("it started in %q, want %q", got, want)
	}
	p, out = start(t, g, Command{Argv: as("stdin")})
	p.Wait()
	if got := content(t, out, "stdout"); got != "0 <nil>\n" {
		t.Errorf("standard input gave %q, not the end of the file", got)
	}
}

func TestWhatCannotStartSaysWhy(t *testing.T) {
	g := open(t, Options{})
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.txt")
	succeed(t, os.WriteFile(plain, []byte("no program"), 0o600))
	for _, c := range []struct {
		reason  string
		command Command
		is      error
		says    string
	}{
		{"a name that PATH does not have", Command{ID: "r.1", Argv: []string{"no-such-program-anywhere"}}, exec.ErrNotFound, "no-such-program-anywhere"},
		{"a path where nothing is", Command{ID: "r.1", Argv: []string{filepath.Join(dir, "nothing")}}, fs.ErrNotExist, "nothing"},
		{"no arguments at all", Command{ID: "r.1"}, nil, "there is no program to start"},
		{"an empty name", Command{ID: "r.1", Argv: []string{""}}, nil, "there is no program to start"},
		{"no identifier", Command{Argv: as("exit", "0")}, nil, `"" cannot identify`},
		{"an identifier of two lines", Command{ID: "r.1\nended", Argv: as("exit", "0")}, nil, "cannot identify"},
		{"an identifier of another run", Command{ID: "run2.1", Argv: as("exit", "0")}, nil, "must begin with that and a dot"},
		{"an output in no folder", Command{ID: "r.1", Argv: as("exit", "0"), Stdout: filepath.Join(dir, "no", "file")}, fs.ErrNotExist, "cannot make a file for its output"},
		{"a directory that is not there", Command{ID: "r.1", Argv: as("exit", "0"), Dir: filepath.Join(dir, "gone")}, fs.ErrNotExist, "gone"},
	} {
		_, err := g.Start(c.command)
		switch {
		case err == nil:
			t.Errorf("%s: it started", c.reason)
		case c.is != nil && !errors.Is(err, c.is):
			t.Errorf("%s: %v is no %v", c.reason, err, c.is)
		case !strings.Contains(err.Error(), c.says):
			t.Errorf("%s: %v does not say %q", c.reason, err, c.says)
		case Temporary(err):
			t.Errorf("%s: %v is called temporary", c.reason, err)
		}
	}
	if _, err := g.Start(Command{ID: "r.1", Argv: []string{plain}}); err == nil {
		t.Error("a text started")
	}
}

func TestAStopIsARequestFirst(t *testing.T) {
	g := open(t, Options{})
	dir := t.TempDir()
	p, _ := start(t, g, Command{Argv: as("obey", dir, "obeys"), Grace: patience})
	if !until(func() bool { return announced(dir, "obeys") }) {
		t.Fatal("it did not come up")
	}
	p.Stop()
	if end := p.Wait(); end.Why != Stopped || end.Code != 3 || end.Forced {
		t.Errorf("a program that ends when asked ended as %+v, want its own code 3 and no force", end)
	}
	p.Stop() // of what has ended: nothing
	p.Kill()
}

func TestATimeoutEndsWhatHangs(t *testing.T) {
	g := open(t, Options{})
	dir := t.TempDir()
	p, _ := start(t, g, Command{Argv: as("hold", dir, "x"), Timeout: time.Millisecond})
	if end := p.Wait(); end.Why != Timeout || !end.Forced || end.Code == 0 {
		t.Errorf("it ended as %+v, want a forced timeout", end)
	}
}

func TestMoreOutputThanAllowedIsTheEnd(t *testing.T) {
	g := open(t, Options{OutputLimit: 1 << 20})
	p, _ := start(t, g, Command{Argv: as("flood")})
	if end := p.Wait(); end.Why != OutputLimit || !end.Forced || end.StdoutSize <= 1<<20 {
		t.Errorf("it ended as %+v, want the output limit", end)
	}
}

// Whether anybody looked before it was gone makes no difference.
func TestAQuickOneThatWroteTooMuchEndsInTheSameWay(t *testing.T) {
	g := open(t, Options{OutputLimit: 10})
	p, _ := start(t, g, Command{Argv: as("print", "eleven byte", "")})
	if end := p.Wait(); end.Why != OutputLimit {
		t.Errorf("a quick one ended as %+v, want the output limit", end)
	}
	p, _ = start(t, g, Command{Argv: as("print", "ten bytes.", "")})
	if end := p.Wait(); end.Why != Exited {
		t.Errorf("one at the limit ended as %+v, want exited", end)
	}
}

func TestNothingStartsAfterClose(t *testing.T) {
	g := must(Open(Options{Run: "r"}))(t)
	dir := t.TempDir()
	p := must(g.Start(Command{ID: "r.1", Argv: as("hold", dir, "held")}))(t)
	if err := errors.Join(g.Close(), g.Close()); err != nil {
		t.Error(err)
	}
	if end := p.Wait(); end.Why != Stopped {
		t.Errorf("what ran at Close ended as %+v, want stopped", end)
	}
	if _, err := g.Start(Command{ID: "r.2", Argv: as("exit", "0")}); err == nil || !strings.Contains(err.Error(), "the run is closed") {
		t.Errorf("a start after Close gave %v", err)
	}
}

func TestARunNeedsAnIdentifier(t *testing.T) {
	for _, o := range []Options{{}, {Run: "a b"}, {Run: "a\x00"}, {Run: "r", Variable: "A=B"}} {
		if g, err := Open(o); err == nil {
			t.Errorf("%+v was accepted", o)
			g.Close()
		}
	}
}

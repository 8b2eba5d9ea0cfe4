//go:build consumers && linux

package contract_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// typed is what somebody types before the TAB key, and the words of the line that
// the shell makes of it.
var typed = []struct{ reason, line, want string }{
	{"a command", "tribunal rep", "[tribunal][report]"},
	{"a command below another", "tribunal history tren", "[tribunal][history][trend]"},
	{"a flag", "tribunal report --no-conf", "[tribunal][report][--no-config]"},
	{"a rule, whose table the program asks", "tribunal report --rule wils", "[tribunal][report][--rule][wilson]"},
	{"a value behind =, at which bash splits words", "tribunal report --rule=wils", "[tribunal][report][--rule=wilson]"},
	{"a format", "tribunal report run.ndjson -f junit", "[tribunal][report][run.ndjson][-f][junit]"},
	{"formats of another command", "tribunal plan -f htm", "[tribunal][plan][-f][html]"},
	{"a format of a file: no blank behind =", "tribunal report -o junit", "[tribunal][report][-o][junit=]"},
	{"the file behind it", "tribunal report -o junit=run.nd", "[tribunal][report][-o][junit=run.ndjson]"},
	{"a metric", "tribunal report --gate summary.trials.excluded.inf", "[tribunal][report][--gate][summary.trials.excluded.infrastructure]"},
	{"a test of the named run, of several words", "tribunal report run.ndjson --explain forecast/na", "[tribunal][report][run.ndjson][--explain][forecast/names the right city]"},
	{"an input", "tribunal report run.nd", "[tribunal][report][run.ndjson]"},
	{"a schema", "tribunal schema comp", "[tribunal][schema][comparison]"},
}

// TestConsumersShells types into real shells at a terminal.
func TestConsumersShells(t *testing.T) {
	for _, shell := range []struct {
		name, setup string
		args        []string
	}{
		{"bash", `PS1=; bind 'set enable-bracketed-paste off'; source <(tribunal completion bash)`, []string{"--norc", "--noprofile", "-i"}},
		{"zsh", `PS1= RPS1= zle_bracketed_paste=(); unsetopt prompt_sp prompt_cr; autoload -Uz compinit; compinit -u -d zcompdump; source <(tribunal completion zsh)`, []string{"-f", "-i"}},
	} {
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			at := terminalIn(t, folderOfShell(t), shell.name, shell.args...)
			at.line(shell.setup + "; echo SET''UP")
			at.until(t, regexp.MustCompile("SETUP"))
			for _, c := range typed {
				// The line is completed, and then printed, each word in brackets.
				at.line(c.line + "\t\x01printf '[%s]' \x05; echo E''ND")
				got := at.until(t, regexp.MustCompile(`\[tribunal\].*END`))
				if got = strings.TrimSuffix(got, "END"); got != c.want {
					t.Errorf("%s: %s TAB is %s, want %s", c.reason, c.line, got, c.want)
				}
			}
		})
	}
}

// TestConsumersFish: fish tells itself what it completes, with its description.
func TestConsumersFish(t *testing.T) {
	dir := folderOfShell(t)
	for _, c := range typed {
		cmd := exec.Command("fish", "--no-config", "-c", `tribunal completion fish | source; complete -C "`+c.line+`"`)
		inFolder(cmd, dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for line := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			words = append(words, "["+word+"]")
		}
		if want := c.want[strings.LastIndex(c.want, "[")+1:]; len(words) != 1 || words[0] != "["+want {
			t.Errorf("%s: %s TAB is %q, want [%s", c.reason, c.line, words, want)
		}
	}
}

// folderOfShell has the program and a run.
func folderOfShell(t *testing.T) string {
	dir := folderOfDocument(t)
	file := filepath.Join(dir, "run.ndjson")
	if err := os.WriteFile(file, []byte(sampleFiles(t)["trials.ndjson"]), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// terminal is the other side of one in which a program runs.
type terminal struct {
	*os.File
	seen chan string
}

// terminalIn starts a program in a terminal of its own.
func terminalIn(t *testing.T, dir, program string, args ...string) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "TERM=dumb", "HISTFILE=", "COLUMNS=500")
	inFolder(cmd, dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	term := &terminal{File: master, seen: make(chan string, 1)}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		master.Close()
	})
	go func() {
		defer close(term.seen)
		for buffer := make([]byte, 4096); ; {
			n, err := master.Read(buffer)
			if err != nil {
				return
			}
			term.seen <- string(buffer[:n])
		}
	}()
	return term
}

// line types a line.
func (term *terminal) line(words string) { fmt.Fprint(term, words+"\n") }

// until reads what is shown up to what is looked for, which must come.
func (term *terminal) until(t *testing.T, want *regexp.Regexp) string {
	t.Helper()
	var shown strings.Builder
	limit := time.After(10 * time.Minute) // to end what hangs
	for {
		select {
		case more, open := <-term.seen:
			shown.WriteString(more)
			if found := want.FindString(shown.String()); found != "" {
				return found
			}
			if !open {
				t.Fatalf("the shell ended; shown: %q", shown.String())
			}
		case <-limit:
			t.Fatalf("nothing like %s is shown: %q", want, shown.String())
		}
	}
}

// TestConsumersManual: mandoc finds nothing to warn of but a build without a date.
func TestConsumersManual(t *testing.T) {
	roff, err := exec.Command(filepath.Join(folderOfDocument(t), "bin", "tribunal"), "man").Output()
	if err != nil {
		t.Fatal(err)
	}
	out, errs, _ := run(t, string(roff), "mandoc", "-T", "lint", "-W", "warning")
	for line := range strings.Lines(out + errs) {
		if !strings.Contains(line, "missing date") {
			t.Error(line)
		}
	}
	if out, _, code := run(t, ".TH\n.nosuch\n", "mandoc", "-T", "lint", "-W", "warning"); code == 0 {
		t.Errorf("mandoc warns of nothing: it holds nothing: %s", out)
	}
}

package process

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// roles are the programs that the tests start: this binary, with "as", the role and
// its arguments.
var roles = map[string]func(args []string){
	"exit": func(args []string) {
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	},
	"print": func(args []string) {
		fmt.Print(args[0])
		fmt.Fprint(os.Stderr, args[1])
	},
	"environment": func(args []string) {
		for _, name := range args {
			fmt.Printf("%s=%s\n", name, os.Getenv(name))
		}
	},
	"arguments": func(args []string) { fmt.Printf("%q\n", args) },
	"where": func([]string) {
		dir, err := os.Getwd()
		fmt.Println(dir, err)
	},
	"stdin": func([]string) {
		all, err := io.ReadAll(os.Stdin)
		fmt.Println(len(all), err)
	},
	"flood": func([]string) {
		for line := make([]byte, 4096); ; {
			if _, err := os.Stdout.Write(line); err != nil {
				os.Exit(1)
			}
		}
	},
	"hold": func(args []string) { announce(args[0], args[1]); hold() },
	"obey": func(args []string) {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, os.Interrupt, syscall.SIGTERM) // CTRL_BREAK arrives as the first
		announce(args[0], args[1])
		<-asked
		os.Exit(3)
	},
}

func TestMain(m *testing.M) {
	WatcherMain()
	if len(os.Args) > 2 && os.Args[1] == "as" {
		roles[os.Args[2]](os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

// as is the command line of a role.
func as(args ...string) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{self, "as"}, args...)
}

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// hold waits for ever, but not when a test has lost it.
func hold() { time.Sleep(2 * patience) }

// announce makes a file that says that a role is where the test wants it.
func announce(dir, name string) {
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
		panic(err)
	}
}

func announced(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// until waits for a condition, and reports whether it came.
func until(condition func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return false
}

// open gives a test a group of the run "r".
func open(t *testing.T, o Options) *Group {
	t.Helper()
	o.Run = "r"
	g := must(Open(o))(t)
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// start starts a command of the run, with files for its output in a folder that it
// returns.
func start(t *testing.T, g *Group, c Command) (*Process, string) {
	t.Helper()
	dir := t.TempDir()
	if c.ID == "" {
		c.ID = "r.1"
	}
	c.Stdout, c.Stderr = filepath.Join(dir, "stdout"), filepath.Join(dir, "stderr")
	p := must(g.Start(c))(t)
	return p, dir
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	text := must(os.ReadFile(filepath.Join(dir, name)))(t)
	return string(text)
}

// must is the value of a call that has to succeed.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// succeed ends a test in which a call failed that has to succeed.
func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestExcerptsKeepHeadAndTail(t *testing.T) {
	lines := strings.Repeat("0123456\n", 1000) // 8 bytes a line
	for _, c := range []struct {
		reason, text string
		limit        int
		want         string
	}{
		{"nothing written", "", 10, ""},
		{"exactly the limit", "0123456789", 10, "0123456789"},
		{"one byte more, no lines: halves", "0123456789A", 10, "01234\n[1 bytes left out]\n6789A"},
		{"an odd limit is not passed", "0123456789A", 9, "0123\n[3 bytes left out]\n789A"},
		{"cuts are where lines end", lines, 40, "0123456\n0123456\n[7968 bytes left out]\n0123456\n0123456\n"},
		{"characters stay whole", "aä" + strings.Repeat("x", 20) + "äz", 4, "a\n[24 bytes left out]\nz"},
		{"a last line alone is kept with what is before it", "aaaaaaaaaaaaaaaaaaaaa\n", 8, "aaaa\n[14 bytes left out]\naaa\n"},
	} {
		name := filepath.Join(t.TempDir(), "out")
		succeed(t, os.WriteFile(name, []byte(c.text), 0o600))
		if got := must(ReadExcerpt(name, c.limit))(t); string(got) != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// A secret in a line that the cut goes through is not left in half.
func TestExcerptsCutNoSecretInTwo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	text := strings.Repeat("x\n", 30) + "TOKEN=abcdefgh\n" + strings.Repeat("y\n", 100)
	succeed(t, os.WriteFile(name, []byte(text), 0o600))
	for limit := 2; limit < len(text); limit++ {
		whole := string(must(ReadExcerpt(name, limit))(t))
		if limit > 4 && strings.Contains(whole, "TOK") != strings.Contains(whole, "TOKEN=abcdefgh") {
			t.Fatalf("of %d bytes a part of the secret is kept: %q", limit, whole)
		}
	}
}

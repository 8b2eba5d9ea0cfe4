package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tribunal/command"
	"tribunal/run/process"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tribunal": func() {
			process.WatcherMain()
			os.Exit(command.Main(os.Args, command.System()))
		},
		"scripted": scripted,
	})
}

// scripted is a test that does what a word says: the letter of its attempt, of
// which the last stands for all that follow, is P to pass, F to fail, S to be
// skipped, I where the infrastructure breaks, or 3 to exit with that code. A $
// before the letters prints trials of $2 in place of exit codes.
func scripted() {
	word, paid := strings.CutPrefix(os.Args[1], "$")
	attempt, err := strconv.Atoi(os.Getenv("TRIBUNAL_ATTEMPT"))
	if err != nil {
		panic(err)
	}
	letter := word[min(attempt, len(word)-1)]
	if paid {
		status := map[byte]string{'P': "pass", 'F': "fail"}[letter]
		fmt.Printf(`{"test":%q,"status":%q,"cost_usd":2}`+"\n", os.Getenv("TRIBUNAL_TEST"), status)
		return
	}
	fmt.Fprintf(os.Stderr, "attempt %d does %c\n", attempt, letter)
	os.Exit(map[byte]int{'P': 0, 'F': 1, 'S': 77, 'I': 75, '3': 3}[letter])
}

// busy are the scripts in which the program reads, writes and waits at once: what
// the race detector is to see.
var busy = []string{"destinations", "inputs", "outputs", "roundtrip", "run"}

// TestScripts runs the program as a user would; with -short only the busy scripts.
func TestScripts(t *testing.T) {
	const dir = "../testdata/scripts"
	var files []string
	for _, name := range busy {
		files = append(files, filepath.Join(dir, name+".txtar"))
	}
	params := testscript.Params{Dir: dir}
	if testing.Short() {
		params = testscript.Params{Files: files}
	}
	params.Setup = func(env *testscript.Env) error {
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		env.Setenv("STREAMS", here+"/../testdata/streams")
		env.Setenv("CI", "true")
		return nil
	}
	params.Cmds = map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "starts": starts}
	testscript.Run(t, params)
}

// exits runs a command and wants exactly its exit code: exits 2 tribunal report.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG ...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	if got := exitCode(err); got != args[0] {
		ts.Fatalf("exit %s, want %s\nstdout:\n%s\nstderr:\n%s", got, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// starts wants a number of starts in the journal of a directory: starts 14 DIR.
func starts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: starts N DIR")
	}
	text := ts.ReadFile(args[1] + "/journal.ndjson")
	if got := strings.Count(text, `{"type":"start"`); strconv.Itoa(got) != args[0] {
		ts.Fatalf("%d trials were started, want %s:\n%s", got, args[0], text)
	}
}

func exitCode(err error) string {
	code, ok := err.(interface{ ExitCode() int })
	switch {
	case err == nil:
		return "0"
	case ok:
		return strconv.Itoa(code.ExitCode())
	}
	return err.Error()
}

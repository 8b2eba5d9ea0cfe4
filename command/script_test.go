package command_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tribunal/command"
	"tribunal/envelope"
	"tribunal/internal/parallel"
	"tribunal/internal/run/process"
	"tribunal/read"
	"tribunal/render"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tribunal": func() {
			process.WatcherMain()
			os.Exit(command.Main(os.Args, command.System()))
		},
		"scripted": scripted,
		"broken":   broken,
	})
}

// broken is the program with a reader that panics in another goroutine, and a report.
func broken() {
	process.WatcherMain()
	read.Formats = append(read.Formats, read.Format{Name: "broken", Sniff: func(head []byte) bool { return bytes.HasPrefix(head, []byte("broken")) },
		Read: func(io.Reader, envelope.Sink) error {
			parallel.Spans(2, 1, func(from, _ int) { _ = os.Args[from-9] })
			return nil
		}})
	render.Formats[0].Write = func(io.Writer, *envelope.Envelope, render.Settings) error { panic("of the report") }
	os.Exit(command.Main(os.Args, command.System()))
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
	testdata, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(testdata, "scripts")
	var files []string
	for _, name := range busy {
		files = append(files, filepath.Join(dir, name+".txtar"))
	}
	params := testscript.Params{Dir: dir}
	if testing.Short() {
		params = testscript.Params{Files: files}
	}
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("STREAMS", filepath.ToSlash(testdata)+"/streams")
		env.Setenv("CI", "true")
		cache, err := os.UserCacheDir() // go builds into the cache that it has
		env.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
		if at := os.Getenv("GOCACHE"); at != "" || err != nil {
			env.Setenv("GOCACHE", at)
		}
		return nil
	}
	params.Cmds = map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "starts": starts}
	testscript.Run(t, params)
}

// exits runs a command, perhaps on a file as its standard input, and wants exactly
// its exit code: exits 2 <trials.ndjson tribunal report. The program runs inside the
// test, which takes a tenth of the time that a process does, but for the busy scripts
// and for runs, which start programs and end with them; exec is always a process.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	var input string
	if len(args) > 1 && strings.HasPrefix(args[1], "<") {
		input = ts.ReadFile(args[1][1:])
		args = slices.Delete(args, 1, 2)
	}
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE [<FILE] COMMAND [ARG ...]")
	}
	var got, stdout, stderr string
	if args[1] == "tribunal" && !slices.Contains(busy, ts.Name()) && !slices.Contains(args, "run") {
		var code int
		code, stdout, stderr = inside(ts, args[1:], input)
		got = strconv.Itoa(code)
	} else {
		if input != "" {
			ts.Fatalf("a process has its standard input from the command stdin")
		}
		got = exitCode(ts.Exec(args[1], args[2:]...))
		stdout, stderr = ts.ReadFile("stdout"), ts.ReadFile("stderr")
	}
	if got != args[0] {
		ts.Fatalf("exit %s, want %s\nstdout:\n%s\nstderr:\n%s", got, args[0], stdout, stderr)
	}
}

// here is held by the script whose folder is the working directory of the process.
var here sync.Mutex

// inside runs the program in this process as it would run in one of its own: in the
// folder and with the variables of the script, and with pipes for its streams.
func inside(ts *testscript.TestScript, args []string, input string) (code int, stdout, stderr string) {
	here.Lock()
	defer here.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	dir := ts.MkAbs(".")
	ts.Check(os.Chdir(dir))
	defer func() { ts.Check(os.Chdir(before)) }()
	in, feed, err := os.Pipe()
	ts.Check(err)
	out, readOut := collected(ts)
	errs, readErrs := collected(ts)
	go func() {
		io.WriteString(feed, input)
		feed.Close()
	}()
	code = command.Main(args, command.Env{Stdin: in, Stdout: out, Stderr: errs, Getenv: ts.Getenv, Dir: dir})
	in.Close()
	stdout, stderr = readOut(), readErrs()
	io.WriteString(ts.Stdout(), stdout)
	io.WriteString(ts.Stderr(), stderr)
	return code, stdout, stderr
}

func collected(ts *testscript.TestScript) (to *os.File, all func() string) {
	from, to, err := os.Pipe()
	ts.Check(err)
	text := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(from)
		from.Close()
		text <- string(b)
	}()
	return to, func() string {
		to.Close()
		return <-text
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

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"tribunal/command"
	"tribunal/process"
)

// isProgram is set for the processes in which this test binary is the program.
const isProgram = "TRIBUNAL_JETSTREAM_PROGRAM"

func TestMain(m *testing.M) {
	process.WatcherMain()
	if os.Getenv(isProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// serve starts a server, which ends with the test.
func serve(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	o.JetStream, o.StoreDir, o.Host, o.Port, o.NoLog, o.NoSigs = true, t.TempDir(), "127.0.0.1", server.RANDOM_PORT, true, true
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	await(t, "the server listens", func() bool { return s.Addr() != nil })
	return s
}

// await waits for something that will be.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not happen that %s", what)
		}
	}
}

// started is a process of the program.
type started struct {
	*exec.Cmd
	said *bytes.Buffer
	gone chan struct{}
}

// begin starts the program in a folder.
func begin(t *testing.T, dir string, args ...string) *started {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &started{exec.Command(self, args...), new(bytes.Buffer), make(chan struct{})}
	p.Dir, p.Env, p.Stderr = dir, append(os.Environ(), isProgram+"=1"), p.said
	if args[0] == roleRun { // it ends when its standard input does
		if _, err := p.StdinPipe(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.Wait()
		close(p.gone)
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.gone
	})
	return p
}

// end waits for the end of a process, which must have a code.
func (p *started) end(t *testing.T, code int) string {
	t.Helper()
	<-p.gone
	if got := p.ProcessState.ExitCode(); got != code {
		t.Fatalf("%s: exit %d, want %d: %s", p.Args[1:], got, code, p.said)
	}
	return p.said.String()
}

// report is the report of journals as bytes, without the line that says how many trials
// were started again.
func report(t *testing.T, pattern string) string {
	t.Helper()
	var out, errs bytes.Buffer
	command.Main([]string{"tribunal", "report", "--no-config", "-f", "tap", pattern},
		command.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
	if errs.Len() > 0 {
		t.Errorf("report: %s", &errs)
	}
	lines := slices.DeleteFunc(strings.SplitAfter(out.String(), "\n"), func(l string) bool {
		return strings.HasPrefix(l, "# problem: warning: ") && strings.Contains(l, "started again")
	})
	return strings.Join(lines, "")
}

// flaky is a command whose trials fail by test and attempt: t1 and t4 often, t2 once.
var flaky = []string{"sh", "-c", `case {test}{attempt} in t[14]*[135]) exit 1;; t21) exit 1;; esac`}

// oneMachine is the report of a run that nobody disturbed.
func oneMachine(t *testing.T, dir string, code int, flags []string, command []string) string {
	t.Helper()
	header, _ := json.Marshal(map[string]string{"id": "one"})
	args := slices.Concat([]string{roleRun, string(header), "--no-config", "-q", "--journal", "one"}, flags, []string{"--"}, command)
	begin(t, dir, args...).end(t, code)
	return report(t, filepath.Join(dir, "one", "journal.ndjson"))
}

// TestQueueIsTheRun: tests that are published, taken by a worker and written by a sink
// are the report of one machine.
func TestQueueIsTheRun(t *testing.T) {
	dir, url := t.TempDir(), serve(t, server.Options{}).ClientURL()
	tests, flags := []string{}, []string{"--threshold", "0.9", "--seed", "7"}
	for i := range 6 {
		tests = append(tests, fmt.Sprint("t", i))
		flags = append(flags, "--test", tests[i])
	}
	want := oneMachine(t, dir, 1, flags, flaky)
	publish := append([]string{"publish", "--server", url, "--threshold", "0.9", "--seed", "7"}, tests...)
	begin(t, dir, publish...).end(t, 0)
	if said := begin(t, dir, publish...).end(t, 0); !strings.Contains(said, "6 of them were there") {
		t.Errorf("published twice: %s", said)
	}
	begin(t, dir, "sink", "--server", url, "--follow", "early") // ends with the test
	begin(t, dir, append([]string{"work", "--server", url, "--"}, flaky...)...).end(t, 0)
	begin(t, dir, "sink", "--server", url, "runs").end(t, 0)
	if got := report(t, filepath.Join(dir, "runs", "**", "journal.ndjson")); got != want {
		t.Errorf("the queue says\n%s\none machine says\n%s", got, want)
	}
	await(t, "the sink that follows has it all", func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "early", "*", "journal.ndjson"))
		return len(found) == 7 && report(t, filepath.Join(dir, "early", "**", "journal.ndjson")) == want
	})
}

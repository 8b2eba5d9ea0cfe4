package command_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// programs is a folder with this test binary under the names of its programs, as a PATH.
func programs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tribunal", "scripted"} {
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir + ":" + os.Getenv("PATH")
}

// begin starts the program, with what it writes to standard error.
func begin(t *testing.T, path, dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(strings.Split(path, ":")[0]+"/tribunal", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+path, "CI=true")
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, stderr
}

// trialLine is what the test looks at in a line of a journal.
type trialLine struct {
	Type, Test, Status, ID, Why string
	ErrorClass                  string `json:"error_class"`
	Attempt                     int
}

func lines(t *testing.T, text []byte) (all []trialLine) {
	t.Helper()
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var l trialLine
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("%v in the line %s", err, line)
		}
		all = append(all, l)
	}
	return all
}

// killedRuns are begun, and each is killed as often as killsEach.
const killedRuns, killsEach = 3, 5

// TestKilledAtAnyMoment kills the runner at random moments and goes on with its
// run, until it has ended. What stood in the journal stays there, every attempt is
// in the stream once, in order, with the outcome that it has whenever it is started
// (or cut off twice), and nothing that was started is alive.
func TestKilledAtAnyMoment(t *testing.T) {
	path := programs(t)
	random := rand.New(rand.NewPCG(7, 11))
	scripts := map[string]string{"a": "PPPPFPPP", "b": "PFPPPPPPP", "c": "F"}
	for round := range killedRuns {
		dir := t.TempDir()
		args := []string{"run", "--threshold", "0.9", "-j", "4", "--journal", "j", "--seed", "7", "-f", "minimal"}
		for _, test := range []string{"a", "b", "c"} {
			args = append(args, "--test", test)
		}
		command := []string{"--", "sh", "-c", `sleep 0.0$((TRIBUNAL_SEED % 5)); case $TRIBUNAL_TEST in a) exec scripted PPPPFPPP;; b) exec scripted PFPPPPPPP;; c) exec scripted F;; esac`}
		var before []byte
		for kill := 0; ; kill++ {
			resume := []string{"--resume"}
			if before == nil {
				resume = nil
			}
			cmd, stderr := begin(t, path, dir, append(append(args[:len(args):len(args)], resume...), command...)...)
			if kill < killsEach {
				time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond) // any moment will do
				_ = cmd.Process.Kill()
			}
			err := cmd.Wait()
			text, readErr := os.ReadFile(filepath.Join(dir, "j", "journal.ndjson"))
			whole := text[:bytes.LastIndexByte(text, '\n')+1]
			if readErr != nil || before == nil && len(whole) == 0 {
				continue // it was killed before it began
			}
			if !bytes.HasPrefix(text, before) {
				t.Fatalf("round %d, kill %d: what stood in the journal is not there any more", round, kill)
			}
			before = whole
			nothingLives(t, whole)
			if kill >= killsEach || bytes.Contains(whole, []byte(`{"type":"end","how":"finished"`)) {
				if code := cmd.ProcessState.ExitCode(); code != 1 && kill >= killsEach { // c fails
					t.Fatalf("round %d: exit %d (%v): %s", round, code, err, stderr)
				}
				break
			}
		}
		everyAttemptOnce(t, before, scripts)
	}
}

// everyAttemptOnce holds the stream of a journal against what each attempt does.
func everyAttemptOnce(t *testing.T, text []byte, scripts map[string]string) {
	t.Helper()
	next, lost := map[string]int{}, map[string]int{}
	for _, l := range lines(t, text) {
		at := fmt.Sprint(l.Test, l.Attempt)
		switch {
		case l.Type == "cut":
			lost[at]++
		case l.Type != "":
		case l.Attempt != next[l.Test]:
			t.Errorf("%s: attempt %d stands where %d is expected", l.Test, l.Attempt, next[l.Test])
		default:
			next[l.Test]++
			script := scripts[l.Test]
			want := map[byte]string{'P': "pass", 'F': "fail"}[script[min(l.Attempt, len(script)-1)]]
			if twice := l.ErrorClass == "infrastructure" && lost[at] > 0; l.Status != want && !twice {
				t.Errorf("%s, attempt %d: %s, want %s", l.Test, l.Attempt, l.Status, want)
			}
		}
	}
	for test := range scripts {
		if next[test] == 0 {
			t.Errorf("%s has no trial", test)
		}
	}
}

// nothingLives waits until no process carries a name of a start of the journal. The watcher needs a moment.
func nothingLives(t *testing.T, text []byte) {
	t.Helper()
	ids := map[string]bool{}
	for _, l := range lines(t, text) {
		if l.Type == "start" {
			ids["TRIBUNAL_TRIAL="+l.ID] = true
		}
	}
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		alive := carriers(ids)
		if len(alive) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("alive: %v", alive)
		}
	}
}

func carriers(ids map[string]bool) (alive []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil {
			continue // it is gone, or another user's
		}
		for v := range strings.SplitSeq(string(environ), "\x00") {
			if ids[v] {
				alive = append(alive, file+" "+v)
			}
		}
	}
	return alive
}

// TestInterruptedRun: the first interrupt lets what runs end, the second ends it;
// what was ended is no trial, and is started again under its number.
func TestInterruptedRun(t *testing.T) {
	path, dir := programs(t), t.TempDir()
	command := []string{"--", "sh", "-c", `if [ ! -e go ]; then echo x >> started; sleep 600 & wait; fi`}
	args := []string{"run", "-n", "2", "--journal", "j", "--test", "a", "-f", "minimal", "--grace", "5s"}
	cmd, stderr := begin(t, path, dir, append(args[:len(args):len(args)], command...)...)
	await(t, func() bool { return size(filepath.Join(dir, "started")) > 0 })
	_ = cmd.Process.Signal(syscall.SIGINT)
	await(t, func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "j", "journal.ndjson"))
		return len(text) > 0 // it goes on: the trial runs
	})
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Process.Signal(syscall.SIGTERM) // the two interrupts may have come as one
	_ = cmd.Wait()
	text, err := os.ReadFile(filepath.Join(dir, "j", "journal.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"type":"cut","test":"a","attempt":0,"try":0,"why":"interrupt"`, `{"type":"end","how":"interrupted"`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the journal lacks %s:\n%s\n%s", want, text, stderr)
		}
	}
	if code := cmd.ProcessState.ExitCode(); code != 1 { // a has no trial, which is an error of the test
		t.Errorf("exit %d: %s", code, stderr)
	}
	nothingLives(t, text)
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, stderr = begin(t, path, dir, "run", "--resume", "--journal", "j")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("going on: %v: %s", err, stderr)
	}
	text, err = os.ReadFile(filepath.Join(dir, "j", "journal.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	everyAttemptOnce(t, text, map[string]string{"a": "P"})
}

func size(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

// await waits for something that will be.
func await(t *testing.T, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen")
		}
	}
}

// drawnAnew are the lines of a report that say how many trials were started again, and
// the sum of the trials, which is one over their times as well.
var drawnAnew = regexp.MustCompile(`(?m)^# (problem: warning: .* started again|trials sum ).*\n`)

// TestShardsKilledAtAnyMoment: two shards that take their tests by value, each killed
// at a random line of its journal and gone on with, are together the report of one
// machine that nobody disturbed, but for what was started again and the times.
func TestShardsKilledAtAnyMoment(t *testing.T) {
	path, dir := programs(t), t.TempDir()
	random := rand.New(rand.NewPCG(22, 5))
	call := func(journal string, more ...string) []string {
		args := []string{"run", "--threshold", "0.9", "-j", "4", "--order", "value", "--journal", journal, "--seed", "7", "-q"}
		for i := range 6 {
			args = append(args, "--test", fmt.Sprint("t", i))
		}
		args = append(args, more...)
		return append(args, "--", "sh", "-c", `case {test}{attempt} in t[14]*[135]) exit 1;; t21) exit 1;; esac`)
	}
	finish := func(args []string) {
		t.Helper()
		cmd, stderr := begin(t, path, dir, args...)
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 1 { // t1 and t4 fail
			t.Fatalf("exit %d: %s", cmd.ProcessState.ExitCode(), stderr)
		}
	}
	report := func(inputs ...string) string {
		t.Helper()
		cmd := exec.Command(strings.Split(path, ":")[0]+"/tribunal", append([]string{"report", "--no-config", "-f", "tap"}, inputs...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "CI=true")
		out, _ := cmd.Output() // 1: tests fail
		return string(out)
	}
	finish(call("one"))
	killed := 0
	for shard := 1; shard <= 2; shard++ {
		journal := fmt.Sprintf("shards/%d", shard)
		args := call(journal, "--shard", fmt.Sprintf("%d/2", shard))
		cmd, stderr := begin(t, path, dir, args...)
		at := 3 + random.IntN(40)
		text := func() []byte {
			text, _ := os.ReadFile(filepath.Join(dir, journal, "journal.ndjson"))
			return text
		}
		await(t, func() bool {
			return bytes.Count(text(), []byte("\n")) >= at || bytes.Contains(text(), []byte(`{"type":"end"`))
		})
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if !bytes.Contains(text(), []byte(`{"type":"end"`)) {
			killed++
			if strings.Contains(stderr.String(), "rror") {
				t.Error(stderr)
			}
		}
		nothingLives(t, text()[:bytes.LastIndexByte(text(), '\n')+1])
		finish(call(journal, "--shard", fmt.Sprintf("%d/2", shard), "--resume"))
	}
	if killed == 0 {
		t.Error("no shard was killed while it ran")
	}
	want := drawnAnew.ReplaceAllString(report("one/journal.ndjson"), "")
	if got := drawnAnew.ReplaceAllString(report("shards/2/journal.ndjson", "shards/1/journal.ndjson"), ""); got != want {
		t.Errorf("the shards say\n%s\none machine says\n%s", got, want)
	}
}

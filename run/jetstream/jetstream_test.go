package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tribunal/command"
	"tribunal/envelope"
	"tribunal/internal/run/process"
)

// isProgram is set for the processes in which this test binary is the program.
const isProgram = "TRIBUNAL_JETSTREAM_PROGRAM"

func TestMain(m *testing.M) {
	process.WatcherMain()
	if member := os.Getenv(isServer); member != "" {
		serveForever(member)
		return
	}
	if os.Getenv(isProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// serve starts a server, which ends with the test.
func serve(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	if o.StoreDir == "" {
		o.StoreDir = t.TempDir()
	}
	o.JetStream, o.Host, o.Port, o.NoLog, o.NoSigs = true, "127.0.0.1", server.RANDOM_PORT, true, true
	s := must(server.NewServer(&o))(t)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	await(t, "the server listens", func() bool { return s.Addr() != nil })
	return s
}

func serveIn(t *testing.T, store string) *server.Server {
	t.Helper()
	return serve(t, server.Options{StoreDir: store})
}

func address(s *server.Server) string { return s.Addr().String() }

// await waits for something that will be.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not happen that %s", what)
		}
	}
}

// started is a process of the program.
type started struct {
	*exec.Cmd
	said *speech
	gone chan struct{}
}

// speech is what a process says, to be read while it does.
type speech struct {
	mu   sync.Mutex
	text []byte
}

func (w *speech) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	return len(p), nil
}

func (w *speech) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}

// begin starts the program in a folder.
func begin(t *testing.T, dir string, args ...string) *started {
	t.Helper()
	self := must(os.Executable())(t)
	p := &started{exec.Command(self, args...), new(speech), make(chan struct{})}
	p.Dir, p.Env, p.Stderr = dir, append(os.Environ(), isProgram+"=1"), p.said
	if args[0] == roleRun { // it ends when its standard input does
		must(p.StdinPipe())(t)
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
		if t.Failed() {
			t.Logf("%s said:\n%s", args, p.said)
		}
	})
	return p
}

// end waits for the end of a process, which must have a code.
func (p *started) end(t *testing.T, code int) string {
	t.Helper()
	await(t, fmt.Sprint(p.Args[1:], " ends"), func() bool {
		select {
		case <-p.gone:
			return true
		default:
			return false
		}
	})
	if got := p.ProcessState.ExitCode(); got != code {
		t.Fatalf("%s: exit %d, want %d: %s", p.Args[1:], got, code, p.said)
	}
	return p.said.String()
}

// report is the report of journals as bytes, without the line that says how many trials
// were started again, and without the sum of the trials, which is one over their times as
// well.
func report(t *testing.T, pattern string) string {
	t.Helper()
	var out, errs bytes.Buffer
	command.Main([]string{"tribunal", "report", "--no-config", "-f", "tap", pattern},
		command.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
	if errs.Len() > 0 {
		t.Errorf("report: %s", &errs)
	}
	lines := slices.DeleteFunc(strings.SplitAfter(out.String(), "\n"), func(l string) bool {
		return strings.HasPrefix(l, "# problem: warning: ") && strings.Contains(l, "started again") || strings.HasPrefix(l, "# trials sum ")
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
	if said := begin(t, dir, publish...).end(t, 0); !strings.Contains(said, "0 new") {
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

// TestWorkerAndLeaderKilled: three servers and four workers. A worker and the server
// that leads the queue are killed in the middle of a trial, and the report has the bytes
// of one machine.
func TestWorkerAndLeaderKilled(t *testing.T) {
	dir := t.TempDir()
	members := cluster(t)
	var urls, tests []string
	for _, m := range members {
		urls = append(urls, m.URL)
	}
	servers := strings.Join(urls, ",")
	flags := []string{"--threshold", "0.9", "--seed", "7"}
	for i := range 6 {
		tests = append(tests, fmt.Sprint("t", i))
		flags = append(flags, "--test", tests[i])
	}
	// The trial 2 of t3 waits until there is a file go, and says meanwhile who runs it.
	waits := []string{"sh", "-c", `[ {test}{attempt} != t32 ] || {{ echo "$WORKER $$" > held.tmp; mv held.tmp held; while [ ! -e go ]; do sleep 0.02; done; }; ` + flaky[2]}
	file := func(name string) string { return filepath.Join(dir, name) }
	touch(t, file("go"))
	want := oneMachine(t, dir, 1, flags, waits)
	for _, name := range []string{"go", "held"} {
		if err := os.Remove(file(name)); err != nil {
			t.Fatal(err)
		}
	}

	begin(t, dir, append([]string{"publish", "--server", servers, "--replicas", "3", "--lease", "5s", "--threshold", "0.9", "--seed", "7"}, tests...)...).end(t, 0)
	sink := begin(t, dir, "sink", "--server", servers, "runs")
	workers := map[string]*started{}
	for _, name := range []string{"one", "two", "three", "four"} {
		t.Setenv("WORKER", name)
		workers[name] = begin(t, dir, append([]string{"work", "--server", servers, "--"}, waits...)...)
	}
	await(t, "a trial waits", func() bool { _, err := os.Stat(file("held")); return err == nil })
	held := must(os.ReadFile(file("held")))(t)
	holder, trial, _ := strings.Cut(strings.TrimSpace(string(held)), " ")
	_ = workers[holder].Process.Kill()
	leader := leaderOf(t, servers)
	for _, m := range members {
		if m.Name == leader {
			_ = m.cmd.Process.Kill()
		}
	}
	await(t, "the trial of the dead worker is ended", func() bool {
		return exec.Command("kill", "-0", trial).Run() != nil
	})
	touch(t, file("go"))
	for name, w := range workers {
		if name != holder {
			w.end(t, 0)
		}
	}
	sink.end(t, 0)
	if got := report(t, file("runs/**/journal.ndjson")); got != want {
		t.Errorf("the queue says\n%s\none machine says\n%s", got, want)
	}
	if !strings.Contains(journals(t, file("runs")), `"type":"resume"`) {
		t.Error("nobody went on with the test of the worker that was killed")
	}
}

func touch(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// journals are all journals of a folder.
func journals(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "journal.ndjson"))
	var all []byte
	for _, file := range files {
		text, failed := os.ReadFile(file)
		all, err = append(all, text...), errors.Join(err, failed)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// queueAt is the queue on a server, for tests that look into it.
func queueAt(t *testing.T, server string) *queue {
	t.Helper()
	nc := must(nats.Connect(server))(t)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	q := &queue{name: "tribunal", nc: nc, js: js, say: t.Logf}
	if err = errors.Join(err, q.find(t.Context())); err != nil {
		t.Fatal(err)
	}
	return q
}

func leaderOf(t *testing.T, servers string) string {
	t.Helper()
	info := must(queueAt(t, servers).tests.Info(t.Context()))(t)
	return info.Cluster.Leader
}

// TestPoison: a test that kills whoever runs it is an error of the infrastructure after
// three redeliveries, also where it left no journal, and the other tests are run.
func TestPoison(t *testing.T) {
	dir, url := t.TempDir(), serve(t, server.Options{}).ClientURL()
	begin(t, dir, "publish", "--server", url, "-n", "3", "bad", "good", "ugly").end(t, 0)
	q := queueAt(t, url)
	for range maxDeaths {
		r, err := q.fetch(t.Context(), idOf(envelope.Key{Test: "ugly"}))
		if err = errors.Join(err, r.claim(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	said := begin(t, dir, "work", "--server", url, "--", "sh", "-c", `[ {test} != bad ] || kill -9 $PPID`).end(t, 0)
	if n := strings.Count(said, "bad: tribunal run was killed"); n != maxDeaths {
		t.Errorf("bad was run %d times, want %d: %s", n, maxDeaths, said)
	}
	begin(t, dir, "sink", "--server", url, "runs").end(t, 0)
	got := report(t, filepath.Join(dir, "runs", "**", "journal.ndjson"))
	for _, want := range []string{"not ok 1 - bad\n", "ok 2 - good\n", "not ok 3 - ugly\n", "4 workers in a row died or were cut off while running it", "infrastructure"} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
}

// TestServerGoesAway: the link to the server is cut while a trial runs, and leads to the
// server again when that was started anew. Nothing is lost, and nothing runs twice.
func TestServerGoesAway(t *testing.T) {
	dir, store := t.TempDir(), t.TempDir()
	link := newRelay(t)
	first := serveIn(t, store)
	link.link(address(first))
	begin(t, dir, "publish", "--server", link.url(), "-n", "3", "a", "b").end(t, 0)
	work := begin(t, dir, "work", "--server", link.url(), "--", "sh", "-c",
		`echo {test}{attempt} >> ran; [ {test}{attempt} != a1 ] || {{ touch waits; while [ ! -e go ]; do sleep 0.02; done; }`)
	sink := begin(t, dir, "sink", "--server", link.url(), "runs")
	await(t, "a trial waits", func() bool { _, err := os.Stat(filepath.Join(dir, "waits")); return err == nil })
	link.link("")
	first.Shutdown()
	first.WaitForShutdown()
	await(t, "the worker sees it", func() bool { return strings.Contains(work.said.String(), "the server cannot be reached") })
	touch(t, filepath.Join(dir, "go"))
	link.link(address(serveIn(t, store)))
	work.end(t, 0)
	sink.end(t, 0)
	ran, err := os.ReadFile(filepath.Join(dir, "ran"))
	if lines := strings.Fields(string(ran)); err != nil || len(lines) != 6 {
		t.Errorf("run were %q, want each of six trials once: %v", lines, err)
	}
	if got := report(t, filepath.Join(dir, "runs", "**", "journal.ndjson")); !strings.Contains(got, "6 of 6 counted trials passed") {
		t.Errorf("the report says\n%s", got)
	}
}

// TestRefused: what cannot be is said, with what it is of and what to do, and loses no
// test.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	denied := &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"tribunal.test.>"}}}
	s := serve(t, server.Options{Users: []*server.User{{Username: "all", Password: "p"}, {Username: "some", Password: "p", Permissions: denied}}})
	as := func(user string) string { return strings.Replace(s.ClientURL(), "nats://", "nats://"+user+":p@", 1) }
	url := as("all")
	refused := func(want string, args ...string) {
		t.Helper()
		if said := begin(t, dir, args...).end(t, exitUnusable); !strings.Contains(said, want) {
			t.Errorf("%q says\n%swant %q", args, said, want)
		}
	}
	refused("there is no queue tribunal; create it with tribunal-jetstream publish", "sink", "--server", url, "runs")
	refused("cannot pass: rule wilson at threshold 0.9 passes a test after 35 trials", "publish", "--server", url, "-n", "3", "--rule", "wilson", "--threshold", "0.9", "a")
	refused("a is given twice", "publish", "--server", url, "-n", "3", "a", "a")
	refused("publish: flags come first: put --threshold before the other arguments", "publish", "--server", url, "-n", "3", "a", "--threshold")
	refused("publish: --list: the command ./gone was not found", "publish", "--server", url, "-n", "3", "--list", "./gone")
	begin(t, dir, "publish", "--server", url, "-n", "3", "a").end(t, 0)
	refused("publish: unknown flag: thresold; see tribunal-jetstream publish --help\n", "publish", "--server", url, "--thresold", "0.9", "b")
	refused(`was published with --trials=3 --seed=`, "publish", "--server", url, "-n", "4", "b")
	refused("tribunal.test.", "publish", "--server", as("some"), "-n", "3", "b")
	refused("there is no command; set run.command", "work", "--server", url)
	refused("no-such-program", "work", "--server", url, "--", "no-such-program", "{test}")
	refused("standard input is empty: a trial stream is expected", "feed", "--server", url)

	q := queueAt(t, url)
	if left, err := q.remaining(t.Context()); left != 1 || err != nil {
		t.Errorf("%d tests are left, want 1: %v", left, err)
	}
	config := q.tests.CachedInfo().Config
	become := func(key, value string) {
		t.Helper()
		config.Metadata[key] = value
		must(q.js.UpdateStream(t.Context(), config))(t)
	}
	become(metaRun, `{"flags":["--output=/etc/passwd"],"run":"r"}`)
	refused(`have the flag "--output", which a queue does not support`, "work", "--server", url, "--", "true")
	become(metaVersion, "2")
	for _, args := range [][]string{{"publish", "--server", url, "-n", "3", "a"}, {"work", "--server", url, "--", "true"}, {"sink", "--server", url, "runs"}} {
		refused(`its version is "2", not "1"; use the program that published it, NATS 2.10 or newer, or`, args...)
	}
}

// TestManyProducers: streams that several fed, one of them twice and one in the middle
// of a line's way, are one report.
func TestManyProducers(t *testing.T) {
	dir, url := t.TempDir(), serve(t, server.Options{}).ClientURL()
	feed := func(name, text string, code int) string {
		t.Helper()
		file := filepath.Join(dir, "stdin")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		in := must(os.Open(file))(t)
		defer in.Close()
		if got := call(t.Context(), []string{program, "feed", "--server", url, "--producer", name}, in, &said); got != code {
			t.Fatalf("exit %d, want %d: %s", got, code, &said)
		}
		return said.String()
	}
	one := `{"test":"a","attempt":0,"status":"pass"}` + "\n"
	two := `{"test":"a","attempt":1,"status":"fail","message":"` + strings.Repeat("long ", 100_000) + `"}` // more than a message holds
	feed("x", one, exitOK)
	feed("x", one+two, exitOK)
	feed("x", one+two, exitOK)
	feed("y", `{"test":"b","attempt":0,"status":"pass"}`, exitOK)
	if said := feed("y", one, exitUnusable); !strings.Contains(said, "line 1 differs from the line published earlier by this --producer") {
		t.Error(said)
	}
	if said := feed("z", "<testsuites/>", exitUnusable); !strings.Contains(said, "line 1 of standard input is not JSON") {
		t.Error(said)
	}
	begin(t, dir, "sink", "--server", url, "runs").end(t, 0)
	if got := report(t, filepath.Join(dir, "runs", "**", "journal.ndjson")); !strings.Contains(got, "# 2 of 3 counted trials passed over 2 tests") {
		t.Errorf("the report says\n%.2000s", got)
	}
}

// TestPartsOfConfiguration: what is run and how it is judged is the queue's, how a trial
// is started the worker's, and neither can say the other's.
func TestPartsOfConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tribunal.yaml")
	text := "rule: wilson\nthreshold: 0.9\nrun: {trials: 40, jobs: 3, before: [b], tests: [{test: x}], variants: [v], max_cost: 1}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	queues, workers, err := parts(file)
	if err != nil {
		t.Fatal(err)
	}
	got := string(configOf(common{Config: queues}, workers, []test{{Key: envelope.Key{Test: "a", Variant: "w"}}}))
	want := `{"rule":"wilson","run":{"before":["b"],"jobs":3,"tests":[{"test":"a"}],"trials":40,"variants":["w"]},"threshold":0.9}`
	if got != want {
		t.Errorf("the configuration is %s, want %s", got, want)
	}
	for part, want := range map[string]map[string]any{
		`{"rule":"wilson","run":{"trials":40},"threshold":0.9}`: queues,
		`{"run":{"before":["b"],"jobs":3}}`:                     workers,
	} {
		if got, _ := json.Marshal(want); string(got) != part {
			t.Errorf("a part is %s, want %s", got, part)
		}
	}
}

// TestFence: of two workers that both believe they have a test, the one that claimed
// last goes on. A message of which the acknowledgement was lost is no other's.
func TestFence(t *testing.T) {
	url := serve(t, server.Options{}).ClientURL()
	begin(t, t.TempDir(), "publish", "--server", url, "-n", "3", "a").end(t, 0)
	q, ctx := queueAt(t, url), t.Context()
	fetch := func() *record {
		t.Helper()
		r := must(q.fetch(ctx, "id"))(t)
		return r
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	first := fetch()
	must(first.claim(ctx))
	must(first.write(ctx, []byte(`{"test":"a","status":"pass"}`+"\n"+`{"te`)))
	second := fetch()
	must(second.claim(ctx))
	if err := first.write(ctx, []byte(`st":"a"}`+"\n")); !errors.Is(err, errTaken) {
		t.Errorf("the first worker goes on: %v", err)
	}
	lost := second.last
	must(second.write(ctx, []byte(`{"type":"end","how":"interrupted"}`+"\n")))
	id, _ := q.kept.GetLastMsgForSubject(ctx, second.subject)
	second.last = lost
	if err := second.refused(ctx, id.Header.Get(nats.MsgIdHdr), errTaken); err != nil || second.last != id.Sequence {
		t.Errorf("its own message is taken for another's: %v", err)
	}
	now := fetch()
	if want := `{"test":"a","status":"pass"}` + "\n" + `{"type":"end","how":"interrupted"}` + "\n"; string(now.text) != want {
		t.Errorf("the journal is %q, want %q", now.text, want)
	}
	if n := now.deaths(); n != 1 { // the first claim stands before a trial
		t.Errorf("%d deaths, want 1", n)
	}
	must(second.release(ctx))
	if n := fetch().deaths(); n != 0 {
		t.Errorf("%d deaths behind a release, want none", n)
	}
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

package gotest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// The counts are those of grep over the files, less the tests with subtests.
func TestSamples(t *testing.T) {
	cases := []struct{ file, counts, told, reason string }{
		{"gen_count7.jsonl", "11 tests, 77 trials: 55 pass, 15 fail, 0 error, 7 skip, 0 retries", "[]", "11 x 7, TestSubs with them, which passed 4 times and failed 3 times through its subtests"},
		{"gen_build_failed.jsonl", "12 tests, 23 trials: 16 pass, 4 fail, 1 error, 2 skip, 0 retries", "[]", "a package that does not build beside one that does"},
		{"gen_bench_builds_failed.jsonl", "3 tests, 3 trials: 1 pass, 0 fail, 2 error, 0 skip, 0 retries", "[]", "-bench: the failed build of d is named for a, too, which has its own"},
		{"gen_timeout.jsonl", "2 tests, 2 trials: 1 pass, 0 fail, 1 error, 0 skip, 0 retries", "[]", "a test that hangs"},
		{"gen_exit_count5.jsonl", "2 tests, 6 trials: 5 pass, 0 fail, 1 error, 0 skip, 0 retries", "[]", "os.Exit in the third of five"},
		{"gen_goroutine_panic.jsonl", "3 tests, 3 trials: 1 pass, 0 fail, 2 error, 0 skip, 0 retries", "[]", "a subtest and its parent die of another goroutine"},
		{"gen_killed.jsonl", "4 tests, 4 trials: 1 pass, 0 fail, 3 error, 0 skip, 0 retries", "[]", "SIGKILL in a subtest, beside a test that waits for its turn"},
		{"gen_no_tests.jsonl", "0 tests, 0 trials: 0 pass, 0 fail, 0 error, 0 skip, 0 retries", "[no-tests 5:1]", "-run Nope"},
		{"gen_race_abort.jsonl", "1 tests, 1 trials: 0 pass, 0 fail, 1 error, 0 skip, 0 retries", "[]", "GORACE=halt_on_error=1"},
		{"gotestsum__go-test-json-missing-test-fail.out.jsonl", "1 tests, 1 trials: 0 pass, 0 fail, 1 error, 0 skip, 0 retries", "[]", "a panic of Go 1.14"},
		{"gotestsum__go-test-json-with-timeout.out.jsonl", "48 tests, 48 trials: 35 pass, 5 fail, 4 error, 4 skip, 0 retries", "[cached-results 95:1]", "a timeout of Go 1.10, whose package has no end of its own; three tests waited for their turn"},
		{"gen_panic_and_exit.jsonl", "3 tests, 3 trials: 0 pass, 2 fail, 1 error, 0 skip, 0 retries", "[]", "a subtest that panics, a test that exits"},
		{"gotestsum__go-test-json-flaky-rerun.out.jsonl", "6 tests, 12 trials: 6 pass, 6 fail, 0 error, 0 skip, 6 retries", "[cached-results 75:1]", "three reruns of what failed"},
		{"gotestsum__go-test-json-panic-race-1.out.jsonl", "2 tests, 2 trials: 1 pass, 0 fail, 1 error, 0 skip, 0 retries", "[]", "a timeout after the test passed"},
		{"gotestsum__go-test-json-with-attributes.out.jsonl", "1 tests, 1 trials: 1 pass, 0 fail, 0 error, 0 skip, 0 retries", "[]", "attributes"},
		{"gotestsum__go-test-json-with-nonjson-stdout.out.jsonl", "1 tests, 1 trials: 1 pass, 0 fail, 0 error, 0 skip, 0 retries", "[noise 2:1]", "a line that is no event"},
		{"gotestsum__go-test-json-with-parallel-fails.out.jsonl", "12 tests, 12 trials: 4 pass, 8 fail, 0 error, 0 skip, 0 retries", "[]", "parallel tests, four of them below one that fails with them"},
	}
	if len(cases) != len(readtest.Samples(t)) {
		t.Errorf("%d cases for %q", len(cases), readtest.Samples(t))
	}
	for _, c := range cases {
		s := readtest.File(t, Read, "testdata/"+c.file)
		if got := s.Counts(); got != c.counts || fmt.Sprint(s.Told()) != c.told {
			t.Errorf("%s: got %s %s, want %s %s: %s", c.file, got, s.Told(), c.counts, c.told, c.reason)
		}
		readtest.Check(t, c.file, s)
	}
}

// TestFields compares whole trials with what stands in the files.
func TestFields(t *testing.T) {
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	cases := []struct {
		file, test string
		attempt    int32
		want       envelope.Trial
	}{
		{"gen_count7.jsonl", "TestSometimes", 2, envelope.Trial{Status: envelope.Fail, DurationMS: envelope.Some(0.0), Message: "call 3\nflaked on call 3",
			Output: "    flaky_test.go:5: call 3\n    flaky_test.go:5: flaked on call 3\n", File: "flaky_test.go", Line: 5, StartedAt: at("2026-11-21T10:32:47.377961356Z")}},
		{"gen_count7.jsonl", "TestSubs/b/c", 0, envelope.Trial{Status: envelope.Pass, DurationMS: envelope.Some(10.0), StartedAt: at("2026-11-21T10:32:47.336761593Z")}},
		{"gen_count7.jsonl", "TestAttr", 0, envelope.Trial{Status: envelope.Pass, DurationMS: envelope.Some(0.0), CostUSD: envelope.Some(0.012),
			Labels: []envelope.Label{{Name: "suite", Value: "smoke"}}, StartedAt: at("2026-11-21T10:32:47.357160622Z")}},
	}
	for _, c := range cases {
		s := readtest.File(t, Read, "testdata/"+c.file)
		c.want.Key = envelope.Key{Suite: "example.test/flaky", Test: c.test}
		c.want.Attempt = envelope.Some(c.attempt)
		if got := s.Find(t, c.test, c.attempt); !reflect.DeepEqual(got, c.want) {
			t.Errorf("got %#v\nwant %#v", got, c.want)
		}
		if s.Headers[0].StartedAt != "2026-11-21T10:32:47.334657333Z" {
			t.Errorf("%+v", s.Headers)
		}
	}
}

func TestReasons(t *testing.T) {
	cases := []struct{ file, test, class, message, output, reason string }{
		{"gen_timeout.jsonl", "TestHang", "timeout", "panic: test timed out after 1s", "example.test/flaky.TestHang(", "the hung test has the stack"},
		{"gen_panic_and_exit.jsonl", "TestA/s", "", "panic: boom [recovered, repanicked]", "flaky.TestA.func1(", "the text of a panic stands with the parent, after the end of the subtest"},
		{"gen_panic_and_exit.jsonl", "TestExit", "crash", "the process died before the test ended", "", "the process ended in the test"},
		{"gen_build_failed.jsonl", "[package]", "pre-validation", "bad/x_test.go:3:28: undefined: undefined", "# example.test/flaky/bad", "what the compiler said"},
		{"gen_killed.jsonl", "TestKilled/sub/deep", "crash", "the process died before the test ended: signal: killed", "signal: killed", "what go test said last"},
		{"gen_goroutine_panic.jsonl", "TestParent", "crash", "the process died before the test ended: panic: in another goroutine", "", "a parent dies of what its subtest dies of"},
		{"gen_goroutine_panic.jsonl", "TestParent/child", "crash", "panic: in another goroutine", "goroutine 8 [running]:", "the panic itself"},
		{"gen_race_abort.jsonl", "TestRace", "crash", "the process died before the test ended: ==================\nWARNING: DATA RACE\nRead at 0x00c000096198 by goroutine 7:", "Previous write", "what the race detector said"},
		{"gotestsum__go-test-json-missing-test-fail.out.jsonl", "TestWaitOn_WithCompare", "crash", "panic: runtime error: index out of range [1] with length 1", "goroutine 7", "Go 1.14 ends no test whose process died"},
		{"gotestsum__go-test-json-panic-race-1.out.jsonl", "[package]", "timeout", "panic: test timed out after 1s", "goroutine 20", "the text stands with a test that passed"},
		{"gotestsum__go-test-json-flaky-rerun.out.jsonl", "TestFailsRarely", "", "not this time", "SEED:  0", "the place is behind the name in Go 1.14"},
	}
	for _, c := range cases {
		got := readtest.File(t, Read, "testdata/"+c.file).Find(t, c.test, 0)
		if got.ErrorClass != c.class || got.Message != c.message || !strings.Contains(got.Output, c.output) {
			t.Errorf("%s: got %q %q %.200q", c.reason, got.ErrorClass, got.Message, got.Output)
		}
	}
}

// TestPlacesOfPanics: a panic logs no place, and its stack has one; at a timeout it has the
// places of all that runs.
func TestPlacesOfPanics(t *testing.T) {
	stack := []string{"output A panic: boom", "output A goroutine 9 [running]:", "output A panic({0x5520a0?, 0x595d00?})", "output A \t/usr/lib/go/src/runtime/panic.go:860 +0x13a",
		"output A example.com/pay.Refund(...)", "output A \t/app/pay/pay.go:30", "output A example.com/pay.TestRefund(0x6e98d1d4908?)", "output A \t/app/pay/pay_test.go:11 +0x3e", "fail A", "fail"}
	for _, c := range []struct {
		reason, file, want string
		text               []string
	}{
		{reason: "the frame of the test", text: stack, want: "pay_test.go:11"},
		{reason: "a test that logged before", text: append([]string{"output A     pay_test.go:4: before"}, stack...), want: "pay_test.go:4"},
		{reason: "no file of tests", text: append(stack[:6:6], "fail A", "fail"), want: ":0"},
		{reason: "a stack of Windows", text: []string{"output A panic: boom", `output A 	C:/app/pay/pay_test.go:7 +0x3e`, "fail A", "fail"}, want: "pay_test.go:7"},
		{reason: "the time was over", text: append([]string{"output A panic: test timed out after 1s"}, stack[1:]...), want: ":0"},
		{reason: "Go 1.14", file: "gotestsum__go-test-json-missing-test-fail.out.jsonl", want: "poll_test.go:81"},
	} {
		sink := readtest.Text(t, Read, events(append([]string{"run A"}, c.text...)...))
		test := "A"
		if c.file != "" {
			sink, test = readtest.File(t, Read, "testdata/"+c.file), "TestWaitOn_WithCompare"
		}
		if got := sink.Find(t, test, 0); fmt.Sprintf("%s:%d", got.File, got.Line) != c.want {
			t.Errorf("%s: %s:%d, want %s", c.reason, got.File, got.Line, c.want)
		}
	}
}

// TestEachPackageTellsOfItsOwnBuild: go test -bench runs packages one after the
// other, and Go 1.26.8 names the build that failed last for those before it.
func TestEachPackageTellsOfItsOwnBuild(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_bench_builds_failed.jsonl")
	want := map[string]string{"ex.com/g/a": "a/a_test.go:4:1: ExampleHi refers to unknown identifier: Hi", "ex.com/g/d": "d/d_test.go:3:27: undefined: undefined"}
	for _, trial := range s.Trials {
		if trial.Test == packageTest && trial.Message != want[trial.Suite] {
			t.Errorf("%s: %q, want %q", trial.Suite, trial.Message, want[trial.Suite])
		}
	}
}

// events makes a stream of package p: "run T", "fail T", "output T text".
func events(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		action, rest, _ := strings.Cut(line, " ")
		test, output, _ := strings.Cut(rest, " ")
		fmt.Fprintf(&b, `{"Action":%q,"Package":"p"`, action)
		if test != "" {
			fmt.Fprintf(&b, `,"Test":%q`, test)
		}
		if output != "" {
			text, _ := json.Marshal(output + "\n")
			fmt.Fprintf(&b, `,"Output":%s`, text)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// TestNotBuilt: Go before 1.24 prints a line for a package that could not be loaded or built,
// and writes no event.
func TestNotBuilt(t *testing.T) {
	text := `{"Action":"run","Package":"p/a","Test":"TestA"}
{"Action":"pass","Package":"p/a","Test":"TestA"}
{"Action":"pass","Package":"p/a"}
FAIL	p/c [setup failed]
FAIL	p/d [build failed]
FAIL	p/e 0.01s
`
	s := readtest.Text(t, Read, text)
	var got []string
	for _, trial := range s.Trials {
		got = append(got, strings.TrimSpace(fmt.Sprint(trial.Suite, " ", trial.Test, " ", trial.Status, " ", trial.ErrorClass, " ", trial.Message)))
	}
	want := []string{"p/a TestA pass", "p/c [package] error pre-validation FAIL\tp/c [setup failed]", "p/d [package] error pre-validation FAIL\tp/d [build failed]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestShapes(t *testing.T) {
	cases := []struct {
		text   string
		want   []string
		told   []string
		reason string
	}{
		{events("run A", "pause A", "run A", "pause A", "cont A", "cont A", "pass A", "fail A", "fail"), []string{"p/A #0 pass", "p/A #1 fail"}, nil, "a package and its external tests both have a parallel A"},
		{events("run A", "pause A", "run A", "pause A", "cont A", "pass A"), []string{"p/A #0 pass", "p/A #1 error infrastructure"}, []string{"truncated-line 6:1"}, "one of two did not end"},
		{events("run A", "pass A", "run A", "fail A", "fail"), []string{"p/A #0 pass", "p/A #1 fail"}, nil, "-count=2: two trials, no retry"},
		{events("run A", "fail A", "fail", "run A", "fail A", "fail"), []string{"p/A #0 fail", "p/A #1 fail retry"}, nil, "a block with nothing but what failed is a rerun"},
		{events("run A", "pass A", "run B", "fail B", "fail", "run A", "pass A", "run B", "pass B", "pass"),
			[]string{"p/A #0 pass", "p/B #0 fail", "p/A #1 pass", "p/B #1 pass"}, nil, "a block with all tests is a repeat"},
		{events("run B", "fail B", "run A", "pass A", "fail", "run B", "pass B", "run A", "pass A", "pass"),
			[]string{"p/B #0 fail", "p/A #0 pass", "p/B #1 pass", "p/A #1 pass"}, nil, "a repeat, though its first test had failed"},
		{events("run A", "run A/x", "run A/y", "fail A/x", "pass A/y", "fail A", "fail", "run A", "run A/x", "run A/y", "pass A/x", "pass A/y", "pass A", "pass"),
			[]string{"p/A/y #0 pass", "p/A/x #0 fail", "p/A #0 fail", "p/A/x #1 pass retry", "p/A/y #1 pass retry", "p/A #1 pass retry"}, nil, "gotestsum --rerun-fails-run-root-test reruns the subtests that had passed, too"},
		{events("run A", "run A/x", "pass A/x", "fail A", "fail"), []string{"p/A/x #0 pass", "p/A #0 fail"}, nil, "a test that failed by itself, beside its subtests"},
		{events("run A", "run A/x", "run A/x/y", "fail A", "fail A/x/y", "fail A/x", "fail"), []string{"p/A #0 fail", "p/A/x/y #0 fail", "p/A/x #0 fail"}, nil, "subtests that end after their parents are not waited for"},
		{events("run A", "run A/b/c", "fail A/b/c", "fail A", "fail"), []string{"p/A/b/c #0 fail", "p/A #0 fail"}, nil, "names of subtests may have slashes"},
		{events("run A", "fail"), []string{"p/A #0 error crash"}, nil, "the process died in the test"},
		{events("run A", "run A/x", "output A/x signal: killed", "fail"), []string{"p/A/x #0 error crash", "p/A #0 error crash"}, nil, "it died in a subtest, and in the test that waited for it"},
		{events("run A", "pass A", "run A", "pass A", "run A", "fail"), []string{"p/A #0 pass", "p/A #1 pass", "p/A #2 error crash"}, nil, "-count=5 and an exit in the third: it counts"},
		{events("run A", "run A/x", "pass A", "run B", "fail B", "fail"), []string{"p/A #0 pass", "p/B #0 fail", "p/A/x #0 error infrastructure"}, nil, "Go waits for subtests: the end of A/x was lost (golang/go#40771)"},
		{events("run A", "run A/x", "pass A", "fail"), []string{"p/A #0 pass", "p/A/x #0 error infrastructure", "p/[package] #0 error fail"}, nil, "what is left out of the verdict does not account for the failure of the package"},
		{events("run A", "pass A", "run A", "run A", "pass A", "fail"), []string{"p/A #0 pass", "p/A #1 error infrastructure", "p/A #2 pass", "p/[package] #0 error fail"}, nil, "nor does a test that began anew"},
		{events("run B", "pause B", "run A", "output A panic: x", "output A FAIL\tp\t0.01s", "fail A"), []string{"p/A #0 fail", "p/B #0 error crash"}, nil, "Go before 1.11 has the end of the package in the output of the test"},
		{events("run A", "run B", "pause B", "output A panic: test timed out after 1s", "fail"), []string{"p/B #0 error crash", "p/A #0 error timeout"}, nil,
			"what was paused at the timeout did not hang"},
		{events("run A", "run A/x", "output A/x panic: test timed out after 1s", "fail"), []string{"p/A/x #0 error timeout", "p/A #0 error timeout"}, nil, "a hung subtest hangs its parent"},
		{events("run A", "pass A", "output  FAIL p 1s", "fail"), []string{"p/A #0 pass", "p/[package] #0 error fail"}, nil, "the package failed and no test did"},
		{events("start", "output  FAIL p [setup failed]", "fail"), []string{"p/[package] #0 error fail pre-validation"}, nil, "a package that cannot be set up"},
		{events("output  ? p [no test files]", "skip"), nil, []string{"no-tests 2:1"}, "nothing ran at all"},
		{events("output  ok p 0s [no tests to run]", "pass"), nil, []string{"no-tests 2:1"}, "a pattern that matches nothing"},
		{events("output  ? p [no test files]", "skip") + strings.ReplaceAll(events("run A", "pass A", "pass"), `"p"`, `"q"`),
			[]string{"q/A #0 pass"}, []string{"no-tests 2:1"}, "a package without tests beside others is no test"},
		{events("run A", "pass A"), []string{"p/A #0 pass"}, []string{"truncated-line 2:1"}, "the stream ends early: later tests are missing"},
		{events("run A"), []string{"p/A #0 error infrastructure"}, []string{"truncated-line 1:1"}, "the stream ends in a test"},
		{events("start", "run A", "start", "run A", "pass A", "pass"), []string{"p/A #0 error infrastructure", "p/A #1 pass retry"}, []string{"truncated-line 3:1"}, "a killed run, then another of what had not passed"},
		{events("pass A", "pass"), []string{"p/A #0 pass"}, nil, "an end without a beginning"},
		{events("run BenchmarkA", "pass"), nil, nil, "a benchmark has no verdict"},
		{events("run BenchmarkA", "run A", "pass A"), []string{"p/A #0 pass"}, []string{"truncated-line 3:1"}, "a benchmark has no verdict in a stream that ends early"},
		{events("run BenchmarkA", "bench BenchmarkA", "pass"), []string{"p/BenchmarkA #0 pass"}, nil, "a benchmark that says how it ended"},
		{events("run A", "pass A", "run A", "pass"), []string{"p/A #0 pass", "p/A #1 error infrastructure"}, nil, "a test that never ended though its package passed"},
		{events("run A", "skip A", "pass"), []string{"p/A #0 skip"}, nil, "a skip"},
		{events("later A", "run A", "artifacts A", "pass A", "pass"), []string{"p/A #0 pass"}, nil, "actions of later versions are passed over"},
		{"{\"Package\":\"p\"}\n" + events("run A", "pass A", "pass"), []string{"p/A #0 pass"}, []string{"malformed-record 1:1"}, "no action"},
		{"{\"Action\":\"pass\",\n" + events("run A", "pass A", "pass"), []string{"p/A #0 pass"}, []string{"malformed-record 1:17"}, "a broken line"},
		{events("run A") + `{"Action":"pass","Package":"p","Test":"A","Elapsed":"x"}` + "\n" + events("pass"), []string{"p/A #0 pass"}, []string{"ignored-field 2:55"}, "a duration that is none"},
		{events("run A", "pass A", "pass") + `{"Action":"ru`, []string{"p/A #0 pass"}, []string{"truncated-line 4:13"}, "cut in a line"},
		{`{"ImportPath":"p [p.test]","Action":"build-output","Output":"# p\n"}` + "\n" + `{"ImportPath":"p [p.test]","Action":"build-fail"}`, []string{"p/[package] #0 error build-fail pre-validation"}, nil,
			"a build that no package speaks of"},
		{failed("q") + `{"Action":"fail","Package":"p","FailedBuild":"q"}` + "\n" + `{"Action":"fail","Package":"q","FailedBuild":"q"}`, []string{"p/[package] #0 error build-fail pre-validation", "q/[package] #0 error build-fail pre-validation"}, nil,
			"a package that imports one that does not build"},
		{failed("p [p.test]") + failed("p_test [p.test]") + `{"Action":"fail","Package":"p","FailedBuild":"p_test [p.test]"}`, []string{"p/[package] #0 error build-fail pre-validation"}, nil,
			"vet and the compiler found fault with the tests: a package fails once"},
		{failed("p") + events("fail") + events("run A", "pass A", "fail"), []string{"p/[package] #0 error build-fail pre-validation", "p/A #0 pass", "p/[package] #1 error fail"}, nil,
			"a build that was told says nothing of a later failure"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

// failed is a build that failed.
func failed(path string) string {
	return fmt.Sprintf(`{"ImportPath":%q,"Action":"build-output","Output":"# x\n"}`+"\n"+`{"ImportPath":%[1]q,"Action":"build-fail"}`+"\n", path)
}

func TestAttributes(t *testing.T) {
	attr := func(key, value string) string {
		return fmt.Sprintf(`{"Action":"attr","Package":"p","Test":"A","Key":%q,"Value":%q}`+"\n", key, value)
	}
	text := events("run A") + attr("cost_usd", "0.5") + attr("score", "0.25") + attr("tokens", "7") + attr("tool_calls", "0") + attr("seed", "3") + events("fail A", "fail")
	got := readtest.Text(t, Read, text).Trials[0]
	want := envelope.Trial{Key: envelope.Key{Suite: "p", Test: "A"}, Attempt: envelope.Some[int32](0), Status: envelope.Fail, Message: "failed without a message",
		CostUSD: envelope.Some(0.5), Score: envelope.Some(0.25), Tokens: envelope.Some[int64](7), ToolCalls: envelope.Some[int32](0), Labels: []envelope.Label{{Name: "seed", Value: "3"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// TestTextsStay: what a trial says is not changed by later tests, even when it
// must wait.
func TestTextsStay(t *testing.T) {
	block := events("run A", "run A/x", "output A/x  ", "fail A/x", "run B", "output B     b_test.go:7: B's own", "fail B", "run C", "output C     c_test.go:9: C's own reason", "fail C", "fail A", "fail")
	got := readtest.Text(t, Read, block+block)
	for attempt := range int32(2) {
		for _, want := range []envelope.Trial{{Key: envelope.Key{Test: "A/x"}, Output: " \n"},
			{Key: envelope.Key{Test: "B"}, Output: "    b_test.go:7: B's own\n", File: "b_test.go"}, {Key: envelope.Key{Test: "C"}, Output: "    c_test.go:9: C's own reason\n", File: "c_test.go"}} {
			if trial := got.Find(t, want.Test, attempt); trial.Output != want.Output || trial.File != want.File {
				t.Errorf("%s #%d says %q in %q, want %q in %q", want.Test, attempt, trial.Output, trial.File, want.Output, want.File)
			}
		}
	}
}

func TestHostileOutputIsBounded(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	text := events("run A", "output A "+long, "output A "+long, "output A \x1b[31m]]></script>\u202e`|::error", "fail A", "fail")
	got := readtest.Text(t, Read, text).Trials[0]
	if len(got.Output) > 4*kept || !strings.Contains(got.Output, "bytes left out") || !strings.HasSuffix(got.Output, "::error\n") || len(got.Message) > 1000 {
		t.Errorf("%d bytes of output, %d of message", len(got.Output), len(got.Message))
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"Time":"2024-01-01T00:00:00Z","Action":"run","Package":"p","Te`, true, "cut"},
		{"go: downloading x v1.0.0\n" + `{"Action":"start","Package":"p"}`, true, "noise first"},
		{`{"ImportPath":"p","Action":"build-output","Output":"x"}`, true, "a build first"},
		{`{"Action":"run","Test":"T"}`, true, "test2json of one binary"},
		{`{"Action":"start"}`, false, "anybody's start"},
		{`{"Action":"buy","Package":"p"}`, false, "another action"},
		{`[{"Action":"run","Package":"p"}]`, false, "an array"},
		{``, false, "nothing"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzGotest(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, events("run A", "run A/x", "pass A/x", "fail A", "fail", "run A", "pass A", "pass"), `{"Action":"fail","Package":"p","FailedBuild":"x"}`)
}

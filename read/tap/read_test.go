package tap

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func readText(t testing.TB, text string) *readtest.Sink {
	t.Helper()
	return readtest.Text(t, Read, text)
}

func sample(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// samples are read by hand.
var samples = []struct {
	file   string
	strips map[string]string
}{
	{"gen_node-test.tap", map[string]string{"agent/passes": "P", "agent/fails": "F", "agent/skips": "S", "agent/todo": "S", "agent/times out": "F"}},
	{"gen_node-hooks.tap", map[string]string{"b": "E", "b/one": "E", "b/two": "E", "be/three": "E", "ae/four": "E", "a": "E", "a/five": "P", "a/six": "F"}},
	{"gen_perl_bailout.tap", map[string]string{"one": "P", "(bail out)": "E"}},
	{"gen_perl_test-more.tap", map[string]string{"first": "P", "second": "F", "third": "F", "(test 4)": "S", "todo item": "S", "sub/in1": "P", "sub/in2": "F"}},
}

func TestSamples(t *testing.T) {
	for _, c := range samples {
		s := readText(t, sample(t, c.file))
		if diff := cmp.Diff(c.strips, s.Strips()); diff != "" || len(s.Problems) > 0 {
			t.Errorf("%s: problems %v (-want +got):\n%s", c.file, s.Problems, diff)
		}
	}
}

// TestHooks: what a hook of node says is kept, on the suite whose tests it kept
// from running, or beside a test that failed by itself.
func TestHooks(t *testing.T) {
	s := readText(t, sample(t, "gen_node-hooks.tap"))
	for name, message := range map[string]string{"b": "db down", "three": "no login", "four": "no logout", "a": "no cleanup"} {
		if got := s.Find(t, name, 0); got.ErrorClass != "" || got.Message != message {
			t.Errorf("%s: %q %q, want %q", name, got.ErrorClass, got.Message, message)
		}
	}
}

func TestFields(t *testing.T) {
	s := readText(t, sample(t, "gen_node-test.tap"))
	zero := envelope.Some[int32](0)
	want := []envelope.Trial{
		{Key: envelope.Key{Suite: "agent", Test: "passes"}, Attempt: zero, Status: envelope.Pass, DurationMS: envelope.Some(0.984519)},
		{Key: envelope.Key{Suite: "agent", Test: "fails"}, Attempt: zero, Status: envelope.Fail, DurationMS: envelope.Some(1.475017),
			File: "/home/dev/shop/t.test.mjs", Line: 4, Message: "Expected values to be strictly equal:\n1 !== 2"},
		{Key: envelope.Key{Suite: "agent", Test: "skips"}, Attempt: zero, Status: envelope.Skip, DurationMS: envelope.Some(0.234137), Message: "no key"},
		{Key: envelope.Key{Suite: "agent", Test: "todo"}, Attempt: zero, Status: envelope.Skip, RawStatus: "todo", DurationMS: envelope.Some(12.259032),
			File: "/home/dev/shop/t.test.mjs", Line: 6},
		{Key: envelope.Key{Suite: "agent", Test: "times out"}, Attempt: zero, Status: envelope.Fail, DurationMS: envelope.Some(101.080799),
			File: "/home/dev/shop/t.test.mjs", Line: 7, ErrorClass: envelope.ClassTimeout, Message: "test timed out after 100ms"},
	}
	for i := range s.Trials {
		if out := s.Trials[i].Output; (out != "") != (s.Trials[i].Status == envelope.Fail) {
			t.Errorf("%s: output %q", s.Trials[i].Key, out)
		}
		s.Trials[i].Output = ""
	}
	if diff := cmp.Diff(want, s.Trials); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const vitest = `TAP version 13
1..1
not ok 1 - a.test.js # time=50.00ms {
    1..3
    ok 1 - group # time=1.5s {
        1..1
        ok 1 - x # time=1.25ms
    }
    not ok 2 - y # time=2.00ms
        ---
        error:
            name: "AssertionError"
            message: "expected 'a' to be 'b' // Object.is
equality"
        at: "/src/a.test.js:7:81"
        ---
        actual: "a"
        ...
    ok 3 - z # SKIP
}
`

// mocha is what Mocha 12.0.3 writes with --reporter tap --reporter-option
// tapVersion=13, of a run with more tests.
const mocha = `TAP version 13
ok 1 A ok
not ok 2 A bad
  ---
    message: |-
      b
    stack: |-
      Error: b
          at Context.<anonymous> (mo/a.js:1:57)
          at process.processImmediate (node:internal/timers:483:21)
  ...
ok 3 A pend # SKIP -
not ok 4 A slow
  ---
    message: |-
      Timeout of 20ms exceeded. For async tests and hooks, ensure "done()" is called; if returning a Promise, ensure it resolves. (/home/dev/shop/mo/a.js)
    stack: |-
      Error: Timeout of 20ms exceeded. For async tests and hooks, ensure "done()" is called; if returning a Promise, ensure it resolves. (/home/dev/shop/mo/a.js)
          at listOnTimeout (node:internal/timers:581:17)
          at process.processTimers (node:internal/timers:519:7)
  ...
1..4
`

// TestShapes are the dialects, each with its pitfall.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text   string
		strips map[string]string
		told   []string
		reason string
	}{
		{"1..2\nok\nnot ok\n", map[string]string{"(test 1)": "P", "(test 2)": "F"}, nil, "no names, no version"},
		{"ok 1 - a\nok 2 a\nok a\n1..3\n", map[string]string{"a": "PPP"}, nil, "the plan last; the same description is another attempt"},
		{"TAP version 13\n1..3\n# selftests: timers: sleep\nok 1 selftests: timers: sleep\n# selftests: timers: nanosleep\nnot ok 2 selftests: timers: nanosleep # exit=1\n# selftests: timers: lat\nnot ok 3 selftests: timers: lat # TIMEOUT 45 seconds\n",
			map[string]string{"selftests: timers: sleep": "P", "selftests: timers: nanosleep": "F", "selftests: timers: lat": "F"}, nil, "the selftests of Linux (kselftest/runner.sh): how a test ended is no part of its name"},
		{"KTAP version 1\n1..2\n  KTAP version 1\n  1..2\n    KTAP version 1\n    1..1\n    # test_1: initializing\n    ok 1 test_1\n  ok 1 suite_1\n    KTAP version 1\n    1..2\n    ok 1 test_1 # SKIP why\n    not ok 2 test_2\n  not ok 2 suite_2\nnot ok 1 main\nok 2 other\n",
			map[string]string{"main/suite_1/test_1": "P", "main/suite_2/test_1": "S", "main/suite_2/test_2": "F", "other": "P"}, nil, "KTAP as specified, with subtests indented by two"},
		{"KTAP version 1\n1..1\n    KTAP version 1\n    # Subtest: sysctl_test\n    1..2\n    # module: test\n    ok 1 null\n    ok 2 length\n# sysctl_test: pass:2 fail:0 skip:0 total:2\n# Totals: pass:2 fail:0 skip:0 total:2\nok 1 sysctl_test\n",
			map[string]string{"sysctl_test/null": "P", "sysctl_test/length": "P"}, nil, "KTAP of KUnit, indented by four"},
		{"KTAP version 1\n1..1\n  KTAP version 1\n  1..2\n  ok 1 a\n", map[string]string{"(unnamed)/a": "P", "(unnamed)/(plan)": "E", "(plan)": "E"}, nil, "KTAP of a kernel that died"},
		{"TAP Version 13\n1..2\nok 1 - a\nnot ok 2 - b\n", map[string]string{"a": "P", "b": "F"}, nil, "a version in other letters"},
		{"TAP version 13\n# Subtest: s\n    ok 1 - a\nx={\n  \"k\": 1\n}\n    ok 2 - b\n    1..2\nok 1 - s\n1..1\n", map[string]string{"s/a": "P", "s/b": "P"}, []string{"noise 4:1"}, "a brace that a test printed ends no subtest"},
		{"TAP version 13\n1..1\npragma +strict\nNonsense!\npragma -strict\nDoesn't matter.\nok 1 All OK\n", map[string]string{"All OK": "P", "(plan)": "E"}, []string{"noise 4:1"}, "prove fails such a stream (TAP::Parser, _make_state_table: Unknown TAP token)"},
		{"TAP version 14\r\n1..1\r\nok 1 - a\r\n", map[string]string{"a": "P"}, nil, "line ends of Windows"},
		{"\ufeff1..1\nok 1 - a", map[string]string{"a": "P"}, nil, "a byte order mark, no line end"},
		{"1..3\nok 1 - C# SKIP x\nok 2 - a \\# TODO b\nok 3 - a\\\\\n", map[string]string{"C# SKIP x": "P", "a # TODO b": "P", "a\\": "P"}, nil, "a # that is no directive"},
		{"1..4\nnot ok 1 - a \\# \\TODO b\nnot ok 2 - c \\#\\skipped \\\\# \\\\TODO\nnot ok 3 - \\# \\\\TODO\nnot ok 4 - \\# \\TO\n", map[string]string{"a # TODO b": "F", "c #skipped \\# \\TODO": "F", "# \\TODO": "F", "# \\TO": "F"}, nil,
			"a directive in a name of ours, broken for parsers without escapes; other backslashes stay"},
		{"1..3\nok 1 adds # in 12 ms\nok 2 adds # in 15 ms\nok 3 waits # in 3 days\n", map[string]string{"adds": "PP", "waits # in 3 days": "P"}, nil, "bats-core with --timing: the time is no part of the name"},
		{"1..5\nok 1 - a # SKIP\nnot ok 2 - b # skip why\nok 3 - c # TODO x\nnot ok 4 - d # todo\nok 5 - e # Skipped: why\n",
			map[string]string{"a": "S", "b": "S", "c": "S", "d": "S", "e": "S"}, []string{"failed-and-skipped 4:1"}, "directives in any case; a TODO that is not ok is no failure, and prove 3.44 and Meson call b one"},
		{"1..2\nok 1 - a # TODO inconclusive\nok 2 - b # SKIP inconclusive\n", map[string]string{"a": "S", "b": "S"}, []string{"aggregated 3:1"}, "inconclusive without trials"},
		{"TAP version 13\n1..2\nnot ok 1 - lint\n  ---\n  verdict: gate\n  ...\nok 2 - b\n", map[string]string{"lint": "F", "b": "P"}, nil, "a word of our gate in a block of somebody else"},
		{vitest, map[string]string{"a.test.js/group/x": "P", "a.test.js/y": "F", "a.test.js/z": "S"}, nil, "Vitest: braces, raw line ends in a block, a block that starts again"},
		{"1..1\n# Subtest: s\n    ok 1 - a\n    1..1\nnot ok 1 - s\n", map[string]string{"s/a": "P", "s": "F"}, nil, "a subtest that failed although its tests passed"},
		{"1..1\n    ok 1 - a\n        ok 1 - b\n    ok 2 - c\n    1..2\nok 1 - s\n", map[string]string{"s/a": "P", "s/c/b": "P"}, nil, "names that are known behind the subtests only"},
		{"1..1\n    # Subtest: s\n    ok 1 - a\n    1..1\nok 1 - s\n", map[string]string{"s/a": "P"}, nil, "the comment indented"},
		{"1..1\n# Subtest: s\n    1..0 # SKIP no\nok 1 - s # SKIP no\n", map[string]string{"s": "S"}, nil, "a subtest without tests"},
		{"1..1\n# Subtest: s\n    1..3\n    ok 1 - a\nnot ok 1 - s\n", map[string]string{"s/a": "P", "s/(plan)": "E"}, nil, "a subtest that broke off"},
		{"1..3\nok 1 - a\n", map[string]string{"a": "P", "(plan)": "E"}, nil, "fewer than planned"},
		{"ok 1 - a\n", map[string]string{"a": "P", "(plan)": "E"}, nil, "no plan"},
		{"1..1\nok 1 - a\nok 2 - b\n", map[string]string{"a": "P", "b": "P", "(plan)": "E"}, nil, "more than planned"},
		{"1..0 # SKIP nothing to do\n", map[string]string{}, []string{"empty-run 1:1"}, "nothing ran"},
		{"1..5\nok 1 - a\n    ok 1 - b\n    Bail out! gone\n", map[string]string{"a": "P", "(unnamed)/b": "P", "(bail out)": "E"}, nil, "Bail out! in a subtest: no plan is looked at"},
		{"1..2\nok 1 - a\nstarting server\nok 2 - b\n", map[string]string{"a": "P", "b": "P"}, []string{"noise 3:1"}, "output between the points"},
		{"1..2\nnot ok 1 - a\n  ---\n  message: 'x'\nok 2 - b\n", map[string]string{"a": "F", "b": "P"}, []string{"malformed-record 4:1"}, "a block without end"},
		{"1..1\nnot ok 1 - a\n  ---\n  message: 'x'\n", map[string]string{"a": "F"}, []string{"malformed-record 4:1"}, "cut in a block"},
		{"", map[string]string{}, nil, "nothing"},
		{"TAP version 13\n", map[string]string{}, nil, "a version only"},
	} {
		s := readText(t, c.text)
		if diff := cmp.Diff(c.strips, s.Strips()); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", c.reason, c.text, diff)
		}
		if diff := cmp.Diff(c.told, s.Told()); diff != "" {
			t.Errorf("%s: %q: problems %v (-want +got):\n%s", c.reason, c.text, s.Problems, diff)
		}
	}
}

// TestBelowPoint: what Mocha writes with --reporter tap and no version, indented below the
// point; public repositories have such streams of Mocha 1 to 10.
func TestBelowPoint(t *testing.T) {
	s := readText(t, "1..3\nok 1 A ok\nprinted\nnot ok 2 A bad\n  expected 1 to equal 2\n  AssertionError: expected 1 to equal 2\n      at Context.<anonymous> (a.js:4:33)\n"+
		"not ok 3 A slow\n  Timeout of 20ms exceeded.\n# tests 3\n# pass 1\n# fail 2\n")
	got, want := s.Find(t, "A bad", 0), "expected 1 to equal 2\nAssertionError: expected 1 to equal 2\n    at Context.<anonymous> (a.js:4:33)"
	if got.Message != strings.Replace(want, "    at", "at", 1) || got.Output != want || !slices.Equal(s.Told(), []string{"noise 3:1"}) {
		t.Errorf("%q %q %q", got.Message, got.Output, s.Told())
	}
	if got := s.Find(t, "A slow", 0); got.ErrorClass != "timeout" {
		t.Errorf("%+v", got)
	}
}

// TestStreams: TAP of several programs in one file, as the linter of Node.js leaves it (its
// TestStreamsOfSeveralPrograms: a loop over programs, of which some points are called alike, is
// told from a loop that runs one program again.
func TestStreamsOfSeveralPrograms(t *testing.T) {
	const a, b, c = "TAP version 13\n1..2\nok 1 - loads\nok 2 - adds\n", "TAP version 13\n1..2\nok 1 - loads\nnot ok 2 - pays\n", "TAP version 13\n1..1\nok 1 - waits\n"
	for _, tt := range []struct {
		text   string
		want   []string
		reason string
	}{
		{a + b, []string{"ambiguous-streams 8:1"}, "two programs that load something"},
		{a + b + a, []string{"ambiguous-streams 9:1"}, "each of them again"},
		{c + a + b, []string{"ambiguous-streams 11:1"}, "behind another"},
		{a + a + a, nil, "one program three times"},
		{a + c + a + c, nil, "two programs twice"},
		{a + c, nil, "programs that have nothing in common"},
		{a + "TAP version 13\n1..2\nok 1 - other\nok 2 - other\n", nil, "a name twice in one program"},
		{"TAP version 13\n1..2\nok 1 - a\nTAP version 13\n1..2\nok 1 - b\n", nil, "both break off"},
	} {
		s := readtest.Text(t, Read, tt.text)
		if diff := cmp.Diff(tt.want, s.Told()); diff != "" {
			t.Errorf("%s: %s", tt.reason, diff)
		}
	}
}

// tap2junit has such files) and make run_tests of the selftests of Linux.
func TestStreams(t *testing.T) {
	for _, c := range []struct {
		text   string
		strips map[string]string
		reason string
	}{
		{"TAP version 13\n1..1\nok 1 - a\n\nTAP version 13\n1..2\nok 1 - b\nok 2 - c\n", map[string]string{"a": "P", "b": "P", "c": "P"}, "each with its plan"},
		{"TAP version 13\n1..1\n# selftests: x\nok 1 selftests: x\nTAP version 13\n1..1\nnot ok 1 selftests: y\n", map[string]string{"selftests: x": "P", "selftests: y": "F"}, "one fails"},
		{"KTAP version 1\n1..1\nok 1 a\nKTAP version 1\n1..1\nok 1 b\n", map[string]string{"a": "P", "b": "P"}, "KTAP"},
		{"TAP version 13\n1..3\nok 1 - a\nTAP version 13\n1..1\nok 1 - b\n", map[string]string{"a": "P", "(plan)": "E", "b": "P"}, "the first breaks off"},
		{"TAP version 13\nok 1 - a\nTAP version 13\nok 1 - b\n1..1\n", map[string]string{"a": "P", "(plan)": "E", "b": "P"}, "the first has no plan"},
		{"TAP version 13\n1..1\nok 1 - a\nTAP version 13\n1..2\nok 1 - b\n", map[string]string{"a": "P", "b": "P", "(plan)": "E"}, "the last breaks off"},
		{"TAP version 13\n1..2\nok 1 - a\nBail out! gone\nTAP version 13\n1..2\nok 1 - b\n", map[string]string{"a": "P", "(bail out)": "E", "b": "P", "(plan)": "E"}, "one bails out"},
		{"TAP version 13\n# x\nok 1 is\nok 2 is\n1..2\n# tests 2\n# fail 0\nTAP version 13\n# y\nok 1 is\n1..1\n# fail 1\n", map[string]string{"x/is": "P", "x/is (2)": "P", "y/is": "P", "[run]": "E"}, "tape, of which the second counts a failure that no point has"},
		{"TAP version 13\nTAP version 13\n1..1\nok 1 - a\n", map[string]string{"(plan)": "E", "a": "P"}, "the first dies before its first point"},
		{"TAP version 13\n1..1\nok 1 - a\nTAP version 13\n", map[string]string{"(plan)": "E", "a": "P"}, "and the last"},
	} {
		s := readText(t, c.text)
		if diff := cmp.Diff(c.strips, s.Strips()); diff != "" || len(s.Told()) > 0 {
			t.Errorf("%s: %q: problems %v (-want +got):\n%s", c.reason, c.text, s.Problems, diff)
		}
	}
}

// TestWriter: names are parted only where render/tap put them together.
// TestNumbers: what TAP::Parser (prove 3.44) fails a stream for, and tap-parser 18, as far as
// the specification of version 14 does not allow it.
func TestNumbers(t *testing.T) {
	const old, v14 = "TAP version 13\n", "TAP version 14\n"
	for _, c := range []struct {
		text, want string
		reason     string
	}{
		{old + "1..3\nok 1 - a\nok 2 - b\nok 2 - c\n", "there are two tests of number 2", "prove: Tests out of sequence; tap-parser: appears multiple times"},
		{v14 + "1..3\nok 1 - a\nok 2 - b\nok 2 - c\n", "there are two tests of number 2", "version 14 leaves it to the harness"},
		{v14 + "1..2\nok 2 - a\nok 2 - b\n", "there are two tests of number 2", "the same before the numbers below it"},
		{old + "1..3\nok 1 - a\nok 3 - c\nok 2 - b\n", "test 3 came where number 2 was expected", "prove: Tests out of sequence"},
		{"1..3\nok 1 - a\nok 3 - c\nok 2 - b\n", "test 3 came where number 2 was expected", "without a version it is an older one"},
		{v14 + "1..3\nok 2 - a\nok 3 - b\nok 1 - c\n", "", "the example of version 14 for any order"},
		{v14 + "1..3\nok 2 - a\nok 4 - b\nok 1 - c\n", "3 tests came, and number 3 is missing", "its example for a number outside of the plan"},
		{old + "1..2\nok 0 - a\nok 1 - b\n", "test 0 came where number 1 was expected", "tap-parser: id less than plan start"},
		{"1..3\nok - a\nok 2 - b\nok - c\n", "", "who has no number is counted"},
		{"1..2\nok 1 - a\nok 2 - b\n1..2\n", "there are two plans: if these are several streams, write a file for each", "prove: More than one plan found"},
		{"ok 1 - a\n1..2\nok 2 - b\n", "the plan came after 1 of 2 tests: it must be the first line or the last one", "prove: Plan must be at the beginning or end"},
		{"ok 1 - a\nok 2 - b\n1..2\n", "", "a plan at the end"},
		{v14 + "1..1\n    1..2\n    ok 1 - a\n    ok 1 - b\nok 1 - s\n", "there are two tests of number 1", "a subtest"},
		{"1..3\nok 1 - a\nnot ok 2 - hook\nok 2 - b\n", "", "Mocha 12 of a hook that failed: the stream is red"},
	} {
		said := ""
		for _, trial := range readText(t, c.text).Trials {
			if trial.Test == "(plan)" && trial.Status == envelope.Error && trial.ErrorClass == envelope.ClassInfrastructure {
				said = trial.Message
			}
		}
		if said != c.want {
			t.Errorf("%s: %q, want %q", c.reason, said, c.want)
		}
	}
}

// TestLateFailures: node 20 wrote these, called with the file alone, and ended with 1; Perl
// 5.36 those of Test::More, where a script of one test ended with 3 or died behind it.
func TestLateFailures(t *testing.T) {
	const comment = `# Error: Test "a" at nt/late.mjs:1:31 generated asynchronous activity after the test ended. This activity created the error "Error: late" and would have caused the test to fail, but instead triggered an uncaughtException event.` + "\n"
	for text, want := range map[string]string{
		"TAP version 13\n# Subtest: a\nok 1 - a\n1..1\n" + comment:                                                                            "E",
		"TAP version 13\nnot ok 1 - a\n1..1\n" + comment:                                                                                      "",
		"TAP version 13\nok 1 - a\n1..1\n# Error: Test \"a\"\n":                                                                               "",
		"1..1\nok 1 - a\n# Looks like your test exited with 3 just after 1.\n":                                                                "E",
		"ok 1 - a\n1..1\nx at d.t line 1.\n# Looks like your test exited with 255 just after 1.\n":                                            "E",
		"1..1\nnot ok 1 - a\n#   Failed test 'a'\n# Looks like you failed 1 test of 1.\n# Looks like your test exited with 1 just after 1.\n": "",
		"1..1\nok 1 - a\n# Looks like you planned well\n":                                                                                     "",
	} {
		if got := readText(t, text).Strips()["(behind its test)"]; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCounted: what a runner counts in a comment behind its last point.
func TestCounted(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"Qt Test 5.15.8, which calls a test that passed unexpectedly ok and TODO, and ends with 1", "TAP version 13\n# T\nok 1 - ok()\nok 2 - bl() # TODO QCOMPARE(1, 1) returned TRUE unexpectedly.\n1..2\n# tests 2\n# pass 1\n# fail 1\n", "E"},
		{"tape 5.10.2, all well", "TAP version 13\n# ok\nok 1 x\n\n1..1\n# tests 1\n# pass  1\n\n# ok\n", ""},
		{"AVA 7.0, which counts what is to be done and ends with 0", "TAP version 13\nok 1 - s # SKIP\nnot ok 2 - td # TODO\nok 3 - ok\n\n1..3\n# tests 2\n# pass 1\n# skip 1\n# fail 1\n\n", ""},
		{"a point tells", "TAP version 13\nnot ok 1 - a\n1..1\n# pass 0\n# fail 1\n", ""},
		{"none", "TAP version 13\nok 1 - a\n1..1\n# pass 1\n# fail 0\n", ""},
		{"printed in the middle, or by a subtest", "TAP version 13\n# fail 3\nok 1 - a\n1..1\n    # fail 1\n", ""},
	} {
		if got := readText(t, c.text).Strips()["[run]"]; got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// tape is what tape 5.10.2 writes of three tests: the first has an assertion twice, the
// second fails, the third is still to be done.
const tape = "TAP version 13\n# adds\nok 1 should be strictly equal\nok 2 should be strictly equal\n# fails\nnot ok 3 should be strictly equal\n  ---\n    operator: equal\n    expected: 2\n    actual:   1\n  ...\n" +
	"# TODO later\nnot ok 4 x # TODO\n  ---\n    operator: fail\n  ...\n\n1..4\n# tests 4\n# pass  3\n# fail  1\n\n"

// TestHeadings: an assertion of another test, or of another place in a test, is no attempt at
// the same one.
func TestHeadings(t *testing.T) {
	want := map[string]string{"adds/should be strictly equal": "P", "adds/should be strictly equal (2)": "P", "fails/should be strictly equal": "F", "later/x": "S"}
	for _, c := range []struct {
		reason, text string
		want         map[string]string
	}{
		{"tape", tape, want},
		{"a name with a dash: node-tap, AVA and Perl say the name of a test there", "TAP version 13\n# a\nok 1 - a\n# b\nok 2 - b\n1..2\n", map[string]string{"a": "P", "b": "P"}},
		{"the plan first: the selftests of Linux print what a test says over its point", "TAP version 13\n1..2\n# out\nok 1 a\n# out\nok 2 a\n", map[string]string{"a": "PP"}},
		{"no heading over the first point: QUnit", "TAP version 13\nok 1 a\n# x\nok 2 a\n1..2\n", map[string]string{"a": "PP"}},
		{"no version: Bats", "# x\nok 1 a\n# y\nok 2 a\n1..2\n", map[string]string{"a": "PP"}},
	} {
		if s := readText(t, c.text); !maps.Equal(s.Strips(), c.want) || len(s.Problems) > 0 {
			t.Errorf("%s: %v %v, want %v", c.reason, s.Strips(), s.Problems, c.want)
		}
	}
}

func TestWriter(t *testing.T) {
	const head = "TAP version 13\n1..2\n"
	for _, c := range []struct {
		text   string
		keys   []envelope.Key
		told   []string
		reason string
	}{
		{head + "ok 1 - vt/a.test.ts > api > GET /users [1] # time=1.32ms\nnot ok 2 - vt/a.test.ts > api > GET /users [2] # time=12.98ms\n    ---\n    error:\n        name: \"Error\"\n        message: \"trials: PFF\"\n    ...\n",
			[]envelope.Key{{Test: "vt/a.test.ts > api > GET /users [1]"}, {Test: "vt/a.test.ts > api > GET /users [2]"}}, nil, "Vitest 2.1.9, tap-flat: starts like a report of ours"},
		{head + "ok 1 - vt/a.test.ts > skip # SKIP\nok 2 - vt/a.test.ts > b # SKIP\n", []envelope.Key{{Test: "vt/a.test.ts > skip"}, {Test: "vt/a.test.ts > b"}}, nil, "Vitest again: nothing in it could not be ours"},
		{head + "# problem: x: warning: y\nok 1 - s/a [v]\nBail out!\n", []envelope.Key{{Test: "s/a [v]"}, {Test: "(bail out)"}}, nil, "ours ends otherwise"},
		{head + "ok 1 - s/a [v]\nok 2 - s/b # SKIP no key\n# problem: x.json:1: warning: odd\n# 3 of 3 counted trials passed over 2 tests\n",
			[]envelope.Key{{Suite: "s", Test: "a", Variant: "v"}, {Suite: "s", Test: "b"}}, []string{"recorded-problem 5:1"}, "ours, which only its end tells"},
		{head + "ok 1 - s/a\nnot ok 2 - s/b [v]\n  ---\n  verdict: \"fail\"\n  passed: 1\n  counted: 2\n  trials: \"PF\"\n  ...\n",
			[]envelope.Key{{Suite: "s", Test: "a"}, {Suite: "s", Test: "b", Variant: "v"}, {Suite: "s", Test: "b", Variant: "v"}}, nil, "ours, which a block tells, cut before its end"},
		{strings.ReplaceAll(head+"ok 1 - s/a\nnot ok 2 - s/b [v]\n  ---\n  verdict: \"fail\"\n  passed: 1\n  counted: 2\n  trials: \"PF\"\n  ...\n", "\n", "\r\n"),
			[]envelope.Key{{Suite: "s", Test: "a"}, {Suite: "s", Test: "b", Variant: "v"}, {Suite: "s", Test: "b", Variant: "v"}}, nil, "ours, with the line ends of Windows"},
	} {
		s := readText(t, c.text)
		var keys []envelope.Key
		for i := range s.Trials {
			keys = append(keys, s.Trials[i].Key)
		}
		if diff := cmp.Diff(c.keys, keys); diff != "" || !slices.Equal(c.told, s.Told()) {
			t.Errorf("%s: problems %v (-want +got):\n%s", c.reason, s.Problems, diff)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		text   string
		want   envelope.Trial
		reason string
	}{
		{strings.ReplaceAll(vitest[strings.Index(vitest, "not ok 2"):strings.Index(vitest, "    ok 3")], "\n    ", "\n"), envelope.Trial{Status: envelope.Fail, DurationMS: envelope.Some(2.0),
			File: "/src/a.test.js", Line: 7, Message: "expected 'a' to be 'b' // Object.is"}, "Vitest: a message that its line end cuts"},
		{"not ok 1 - x # time=1.5s\n#   Failed test 'x'\n#   at a.t line 3.\n# Looks like you failed", envelope.Trial{Status: envelope.Fail, DurationMS: envelope.Some(1500.0),
			Message: "Failed test 'x'\nat a.t line 3.", Output: "Failed test 'x'\nat a.t line 3."}, "perl says it in comments"},
		{"not ok 1 sub fails # in 7 ms\n# (in test file a.bats, line 3)\n#   `false' failed", envelope.Trial{Status: envelope.Fail, DurationMS: envelope.Some(7.0),
			Message: "`false' failed", Output: "`false' failed"}, "bats-core with --timing (libexec/bats-core/bats-format-tap)"},
		{"not ok 2 selftests: timers: nanosleep # exit=1", envelope.Trial{Status: envelope.Fail, Message: "exit=1"}, "kselftest: the name is that of a run in which it passed"},
		{"not ok 3 selftests: timers: nsleep-lat # TIMEOUT 45 seconds", envelope.Trial{Status: envelope.Fail, Message: "TIMEOUT 45 seconds", ErrorClass: envelope.ClassTimeout}, "kselftest (runner.sh)"},
		{"not ok 1 slow # in 1002 ms # timeout after 1 s", envelope.Trial{Status: envelope.Fail, DurationMS: envelope.Some(1002.0),
			Message: "timeout after 1 s", ErrorClass: envelope.ClassTimeout}, "bats-core with BATS_TEST_TIMEOUT=1"},
		{mocha[strings.Index(mocha, "not ok 2"):strings.Index(mocha, "ok 3")], envelope.Trial{Status: envelope.Fail, Message: "b"}, "Mocha 12.0.3, tapVersion=13: the keys stand deeper than the start of the block"},
		{mocha[strings.Index(mocha, "not ok 4"):strings.Index(mocha, "1..4")], envelope.Trial{Status: envelope.Fail, ErrorClass: envelope.ClassTimeout,
			Message: `Timeout of 20ms exceeded. For async tests and hooks, ensure "done()" is called; if returning a Promise, ensure it resolves. (/home/dev/shop/mo/a.js)`}, "Mocha: a timeout"},
		{"not ok 1 - x\n  ---\n  failureType: 'cancelledByParent'\n  error: 'gone'\n  ...", envelope.Trial{Status: envelope.Error, Message: "gone"}, "node cancelled it"},
		{"not ok 1 - x\n  ---\n  failureType: hookFailed\n  ...", envelope.Trial{Status: envelope.Error}, "its hook failed"},
		{"not ok 1 - x\n  ---\n  message: \"a\\n\\u00e4\"\n  file: a.t\n  line: 5\n  duration_ms: -1\n  ...", envelope.Trial{Status: envelope.Fail, Message: "a\nä", File: "a.t", Line: 5}, "quotes of JSON; a time that is none"},
		{"ok 1 - x # TODO later", envelope.Trial{Status: envelope.Skip, RawStatus: "todo", Message: "later"}, "Vitest 2.1.9 writes an it.todo so, which never ran; node counts one that passed as todo as well"},
	} {
		s := readText(t, "1..1\n"+c.text+"\n")
		if len(s.Trials) == 0 {
			t.Fatal(c.reason)
		}
		got := s.Trials[0]
		got.Key, got.Attempt = envelope.Key{}, envelope.Opt[int32]{}
		if c.want.Output == "" {
			got.Output = ""
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		head   string
		ours   bool
		reason string
	}{
		{"TAP version 13\n", true, "a version"}, {"TAP Version 13\n", true, "in other letters"}, {"KTAP version 1\n1..1\n", true, "that of KTAP"}, {"\ufeff\n# hello\nTAP version 14", true, "a comment first"},
		{"1..4\n", true, "a plan"}, {"1..0 # SKIP x\n", true, "a plan of nothing"}, {"ok 1 - a\n", true, "a point"}, {"not ok 12\n", true, "no name"}, {"ok - a", true, "no number"},
		{"    ok 1 - a\nok 1 - s", true, "a subtest first"},
		{"ok  \texample.test/p\t0.1s\n", false, "go test"}, {"ok\n", false, "a bare word"}, {"okay 1\n", false, "a word"}, {"1..x", false, "no plan"}, {"ok 1a", false, "no number"},
		{`{"ok":1}`, false, "JSON"}, {"<testsuites>", false, "XML"}, {"", false, "nothing"}, {"# only a comment\n", false, "nothing to tell it by"},
	} {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %t: %s", c.head, got, c.reason)
		}
	}
	readtest.Sniffed(t, Sniff)
}

// TestCut: a stream that is cut never looks like one that passed.
func TestCut(t *testing.T) {
	for _, c := range samples {
		text := sample(t, c.file)
		for n := 1; n < len(text)-97; n += 97 {
			s := readText(t, text[:n])
			bad := slices.ContainsFunc(s.Trials, func(t envelope.Trial) bool { return t.Status == envelope.Fail || t.Status == envelope.Error })
			if len(s.Trials) > 0 && !bad {
				t.Errorf("%s cut to %d bytes passes", c.file, n)
			}
		}
	}
}

func TestReadError(t *testing.T) {
	cable := errors.New("the cable is broken")
	for _, text := range []string{"1..2\nok 1 - a\nok 2", "1..1\nok 1 - a\n  ---\n  x: 1\n"} {
		s := &readtest.Sink{}
		err := Read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(cable)), s)
		if !errors.Is(err, cable) || len(s.Trials) == 0 {
			t.Errorf("%q: error %v, %d trials", text, err, len(s.Trials))
		}
	}
}

type endless struct {
	text string
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

func repeated(text string, n int64) io.Reader {
	return io.LimitReader(&endless{text: text}, n*int64(len(text)))
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		reason string
		body   io.Reader
	}{
		{"a line of 96 MiB", repeated("xxxxxxxxxxxxxxxx", 6<<20)},
		{"a line of 14 MiB of #", repeated(" # skip # todo", 1<<20)},
		{"a block of 14 MiB", io.MultiReader(strings.NewReader("  ---\n"), repeated("  a: b\n", 2<<20))},
		{"indented by 16 MiB", repeated(" ", 16<<20)},
		{"10^6 lines of output", repeated("    x\n", 1e6)},
	} {
		before := sys()
		s := &readtest.Sink{}
		if err := Read(io.MultiReader(strings.NewReader("1..9\nnot ok 1 - a\n"), c.body), s); err != nil {
			t.Fatal(err)
		}
		if used := sys() - before; used > 200<<20 {
			t.Errorf("%s: %d MB", c.reason, used>>20)
		}
		if len(s.Trials) < 1 || s.Trials[0].Test != "a" {
			t.Errorf("%s: what came before is lost", c.reason)
		}
	}
}

// TestLongLines: a line counts up to 64 MiB, as in other formats.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	s := readText(t, "1..3\nok 1 - "+long+" # SKIP why\n# "+long+"\nnot ok 2 - b\n  ---\n  message: 'm "+long+"'\n  ...\nok 3 - c\n")
	if diff := cmp.Diff(map[string]string{long: "S", "b": "F", "c": "P"}, s.Strips()); diff != "" || len(s.Problems) > 0 {
		t.Errorf("problems %v (-want +got):\n%.300s", s.Problems, diff)
	}
	if got := s.Trials[1].Message; !strings.HasPrefix(got, "'m xxx") && !strings.HasPrefix(got, "m xxx") {
		t.Errorf("the start of a long message is lost: %.50q", got)
	}
}

func sys() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

func FuzzTAP(f *testing.F) {
	for _, c := range samples {
		f.Add([]byte(sample(f, c.file)))
	}
	f.Add([]byte(vitest))
	f.Add([]byte("TAP version 13\n1..1\nok 1 - s/a [v] # TODO inconclusive\n  ---\n  verdict: \"inconclusive\"\n  trials: \"PFX\"\n  rule: \"wald\"\n  threshold: 0.5\n  ...\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		Sniff(text)
		s := readText(t, string(text))
		for _, p := range s.Problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
		for _, trial := range s.Trials {
			if trial.Test == "" || trial.Status == "" || !trial.Attempt.OK || trial.Attempt.V < 0 || trial.Line < 0 {
				t.Errorf("%#v", trial)
			}
		}
	})
}

// TestManyPassing: a stream that may be ours to its end is not held whole.
func TestManyPassing(t *testing.T) {
	var text strings.Builder
	fmt.Fprintf(&text, "TAP version 13\n1..%d\n", mostWaiting+10)
	for n := range mostWaiting + 10 {
		fmt.Fprintf(&text, "ok %d - s/t%d\n", n+1, n)
	}
	got := readText(t, text.String())
	if len(got.Trials) != mostWaiting+10 || got.Trials[0].Key != (envelope.Key{Suite: "s", Test: "t0"}) || got.Trials[mostWaiting+9].Key.Suite != "s" {
		t.Errorf("%d trials, the first %v", len(got.Trials), got.Trials[0].Key)
	}
}

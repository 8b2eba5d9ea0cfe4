package libtest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const sample = "testdata/gen_libtest.jsonl"

func TestSample(t *testing.T) {
	s := readtest.File(t, Read, sample)
	want := []string{"tests::ignored #0 skip ignored", "tests::passes #0 pass ok", "tests::should_panic_but_doesnt #0 fail failed", "tests::fails #0 fail failed"}
	if got := s.Lines(); !slices.Equal(got, want) || len(s.Problems) > 0 {
		t.Errorf("got %q %q\nwant %q", got, s.Told(), want)
	}
}

// TestBareNames: libtest before Rust 1.49 wrote the names of doc tests as they are, and on Windows
// they have paths (rust-lang/rust#76151), as ui_test still did in 2025 (oli-obk/ui_test#326).
func TestBareNames(t *testing.T) {
	const a, b = `src\lib.rs - _foo (line 1)`, `tests\ui\absurd.rs () - tests\ui\absurd.rs`
	s := readtest.Text(t, Read, `{ "type": "suite", "event": "started", "test_count": 3 }
{ "type": "test", "event": "started", "name": "`+a+`" }
{ "type": "test", "name": "`+a+`", "event": "ok" }
{ "type": "test", "event": "started", "name": "`+b+`" }
{ "type": "test", "name": "`+b+`", "event": "failed", "stdout": "a \"quoted\" \\ word\n" }
{ "type": "test", "name": "x\\y \u00e9", "event": "ok" }
{ "type": "suite", "event": "failed", "passed": 2, "failed": 1, "allowed_fail": 0, "ignored": 0, "measured": 0, "filtered_out": 0 }
`)
	want := []string{a + " #0 pass ok", b + " #0 fail failed", `x\y é #0 pass ok`}
	if got := s.Lines(); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := s.Find(t, b, 0).Output; got != "a \"quoted\" \\ word\n" {
		t.Errorf("what the test printed is %q", got)
	}
	if len(s.Problems) != 1 || s.Problems[0].Severity != envelope.SeverityWarning || s.Problems[0].Line != 2 {
		t.Errorf("told %q, want one warning at line 2", s.Told())
	}
}

// TestBrokenLinesStayBroken: what is not the name of an event is never repaired.
func TestBrokenLinesStayBroken(t *testing.T) {
	for _, line := range []string{
		`{ "type": "test", "name": "a", "event": "ok", "stdout": "C:\lib" }`,
		`{ "type": "test", "name": "src\lib.rs", "event": "ok"`,
		`{ "type": "test", "name": "src\lib.rs }`,
		`{ "type": "test", "name": "src\lib.rs\`,
	} {
		s := readtest.Text(t, Read, begin+line+"\n"+end)
		if len(s.Trials) > 0 || !slices.ContainsFunc(s.Problems, func(p envelope.Problem) bool { return p.Severity == envelope.SeverityError }) {
			t.Errorf("%s: %q %q", line, s.Lines(), s.Told())
		}
	}
}

// TestFields compares whole trials with what stands in the file.
func TestFields(t *testing.T) {
	s := readtest.File(t, Read, sample)
	if got := s.Find(t, "tests::fails", 0); !strings.HasPrefix(got.Output, "some output\n\nthread 'tests::fails'") {
		t.Errorf("%q", got.Output)
	}
	for _, want := range []envelope.Trial{
		{Status: envelope.Fail, RawStatus: "failed", Key: envelope.Key{Test: "tests::fails"}, DurationMS: envelope.Some(98.42298),
			Message: "assertion `left == right` failed: one is not two", File: "src/lib.rs", Line: 4},
		{Status: envelope.Skip, RawStatus: "ignored", Key: envelope.Key{Test: "tests::ignored"}, Message: "no network"},
		{Status: envelope.Fail, RawStatus: "failed", Key: envelope.Key{Test: "tests::should_panic_but_doesnt"}, DurationMS: envelope.Some(0.000551),
			Message: "test did not panic as expected at src/lib.rs:6:32"},
	} {
		want.Attempt = envelope.Some[int32](0)
		got := s.Find(t, want.Test, 0)
		if got.Output = ""; !reflect.DeepEqual(got, want) {
			t.Errorf("got %#v\nwant %#v", got, want)
		}
	}
}

func TestNames(t *testing.T) {
	cases := []struct {
		name, suite, test string
		runs              int32
		reason            string
	}{
		{"tests::a", "", "tests::a", 1, "libtest"},
		{"p::b$tests::a", "p::b", "tests::a", 1, "nextest"},
		{"p::b$tests::a#3", "p::b", "tests::a", 3, "run three times"},
		{"p::b@stress-4$tests::a", "p::b", "tests::a", 1, "the fifth repeat"},
		{"p::b@stress-4$tests::a#2", "p::b", "tests::a", 2, "both"},
		{"tests::a#3", "", "tests::a#3", 1, "a # of its own"},
		{"p$a#x", "p", "a#x", 1, "no number"},
		{"src/lib.rs - f (line $3)", "", "src/lib.rs - f (line $3)", 1, "a test in the docs"},
	}
	for _, c := range cases {
		if runs, key := parse(c.name); runs != c.runs || key != (envelope.Key{Suite: c.suite, Test: c.test}) {
			t.Errorf("%s: %q gives %d %+v", c.reason, c.name, runs, key)
		}
	}
}

func TestPanics(t *testing.T) {
	cases := []struct{ stdout, message, file, reason string }{
		{"thread 'a' panicked at src/lib.rs:4:51:\nboom\nnote: x", "boom", "src/lib.rs", "since Rust 1.73"},
		{"thread 'a' panicked at 'it's ', gone', src/lib.rs:4:51\nnote: x", "it's ', gone", "src/lib.rs", "before"},
		{"thread 'a' panicked at /rustc/1/library/core/x.rs:4:51:\nboom", "boom", "", "not in the crate"},
		{"plain text", "plain text", "", "no panic"},
		{"", "failed without a message", "", "nothing"},
	}
	for _, c := range cases {
		e, got := event{Stdout: c.stdout}, envelope.Trial{Status: envelope.Fail}
		if e.explain(&got); got.Message != c.message || got.File != c.file {
			t.Errorf("%s: %q %q", c.reason, got.Message, got.File)
		}
	}
}

// TestPrintedOnStderr: nextest and some versions of libtest keep it apart.
func TestPrintedOnStderr(t *testing.T) {
	s := readtest.Text(t, Read, begin+ended("failed", "a", `,"stderr":"thread 'a' panicked at src/lib.rs:4:51:\nboom\n"`)+strings.Replace(end, "ok", "failed", 1))
	if got := s.Find(t, "a", 0); got.Message != "boom" || got.File != "src/lib.rs" || got.Line != 4 {
		t.Errorf("%+v", got)
	}
}

func ended(event, name, more string) string {
	return `{"type":"test","event":"` + event + `","name":"` + name + `"` + more + "}\n"
}

const (
	begin = `{"type":"suite","event":"started","test_count":1}` + "\n"
	end   = `{"type":"suite","event":"ok"}` + "\n"
)

func TestShapes(t *testing.T) {
	cases := []struct {
		text   string
		want   []string
		told   []string
		reason string
	}{
		{begin + ended("ok", "p::b@stress-0$a", "") + end + begin + ended("failed", "p::b@stress-1$a", "") + end, []string{"p::b/a #0 pass ok", "p::b/a #1 fail failed"}, nil, "stress runs are repeats"},
		{begin + ended("ok", "p::b$a#3", "") + end, []string{"p::b/a #2 pass ok retry"}, []string{"retries-lost 2:1"}, "the third run: the two before are lost"},
		{begin + ended("ok", "a", "") + end + begin + ended("ok", "a", "") + end, []string{"a #0 pass ok", "a #1 pass ok"}, []string{"ambiguous-suites 5:1"}, "two binaries, or two runs"},
		{begin + ended("failed", "a", `,"reason":"time limit exceeded"`) + end, []string{"a #0 fail failed timeout"}, nil, "a timeout"},
		{begin + ended("started", "a", "") + ended("timeout", "a", "") + ended("ok", "a", "") + end, []string{"a #0 pass ok"}, nil, "slow, but it ended"},
		{begin + ended("started", "a", "") + ended("timeout", "a", ""), []string{"a #0 error timeout"}, []string{"truncated-line 3:1"}, "slow, and it never ended"},
		{begin + ended("started", "a", "") + end, []string{"a #0 error infrastructure"}, nil, "the suite passed: the end of the test was lost"},
		{begin + ended("started", "a", "") + strings.Replace(end, "ok", "failed", 1), []string{"a #0 error crash"}, nil, "the suite failed: the process died in the test"},
		{begin + ended("started", "a", "") + begin + ended("ok", "b", "") + end, []string{"a #0 error crash", "b #0 pass ok"}, nil, "the next suite begins: the process of this one died"},
		{begin + begin + ended("ok", "b", "") + end, []string{"b #0 pass ok"}, []string{"truncated-line 2:1"}, "it died before its test began"},
		{begin + ended("ok", "a", "") + begin + ended("ok", "b", "") + end, []string{"a #0 pass ok", "b #0 pass ok"}, []string{"truncated-line 3:1"}, "it died behind its last test"},
		{begin + ended("started", "a", ""), []string{"a #0 error infrastructure"}, []string{"truncated-line 2:1"}, "only the stream ends: nobody knows"},
		{begin + ended("started", "a", "") + ended("timeout", "a", "") + strings.Replace(end, "ok", "failed", 1), []string{"a #0 error timeout"}, nil, "it hung until its process was ended"},
		{begin + ended("started", "a", "") + "  process didn't exit successfully: `b a` (signal: 9, SIGKILL: kill)\n", []string{"a #0 error crash"}, []string{"noise 3:1"}, "cargo says it"},
		{"  process didn't exit successfully: `rustc` (exit status: 1)\n" + begin + ended("ok", "a", "") + end, []string{"a #0 pass ok"}, []string{"noise 1:1"}, "it was none of a suite"},
		{begin + ended("ok", "a", ""), []string{"a #0 pass ok"}, []string{"truncated-line 2:1"}, "the suite never ended"},
		{begin + ended("ok", "", "") + ended("exploded", "a", "") + `{"event":"ok"}` + "\n" + end, nil, []string{"malformed-record 2:1", "malformed-record 3:1", "malformed-record 4:1"}, "no name, no event, no type"},
		{begin + ended("ok", "a", `,"exec_time":"soon"`) + end, []string{"a #0 pass ok"}, nil, "a duration that is none"},
		{`{"reason":"build-finished","success":true}` + "\n" + begin + `{"level":"INFO","fields":{"message":"x"}}` + "\n" + ended("ok", "a", "") + end, []string{"a #0 pass ok"}, []string{"noise 1:1"}, "objects of cargo, and of a test that prints JSON"},
		{begin + `{"type":"bench","name":"b","median":1}` + "\n" + end, nil, nil, "a benchmark has no verdict"},
		{"   Compiling x\n" + begin + ended("ok", "a", "") + end, []string{"a #0 pass ok"}, []string{"noise 1:1"}, "cargo speaks in between"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

// TestDurations: a number of seconds, and the text that libtest wrote from July 2020 until
// February 2021 (cargo2junit has such files).
func TestDurations(t *testing.T) {
	for text, want := range map[string]envelope.Opt[float64]{"0.25": envelope.Some(250.0), `"0.072s"`: envelope.Some(72.0), `"soon"`: {}, "null": {}, "[1]": {}} {
		s := readtest.Text(t, Read, begin+ended("ok", "a", `,"exec_time":`+text)+end)
		if got := s.Find(t, "a", 0).DurationMS; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestDied reads what cargo 1.95 wrote of processes that ended in a test.
func TestDied(t *testing.T) {
	for _, c := range []struct {
		file        string
		lines, told []string
		message     string
	}{
		{"gen_died.jsonl", []string{"a_passes #0 pass ok", "b_aborts #0 error crash", "a_passes #1 pass ok", "b_exits #0 error crash", "passes #0 pass ok"},
			[]string{"truncated-line 7:1", "ambiguous-suites 9:1", "truncated-line 11:1"}, "the process died before the test ended"},
		{"gen_died_stderr.jsonl", []string{"a_passes #0 pass ok", "b_aborts #0 error crash"},
			[]string{"truncated-line 9:1", "noise 1:1"}, "the process died before the test ended: signal: 6, SIGABRT: process abort signal"},
	} {
		s := readtest.File(t, Read, "testdata/"+c.file)
		if !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) || s.Find(t, "b_aborts", 0).Message != c.message {
			t.Errorf("%s: %q %q %q", c.file, s.Lines(), s.Told(), s.Find(t, "b_aborts", 0).Message)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{ "type": "suite", "event": "started", "test_co`, true, "cut"},
		{`{"type":"test","event":"ok","name":"a"}`, true, "no suite"},
		{`{"type":"test","suite":"s","test":"a","status":"pass","rows":{}}`, false, "a line of an envelope"},
		{`{"type":"match","event_id":0}`, false, "OpenAI evals"},
		{``, false, "nothing"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzLibtest(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, begin+ended("failed", "p::b@stress-1$a#2", `,"stdout":"thread 'a' panicked at 'x', a:1:2"`)+end)
}

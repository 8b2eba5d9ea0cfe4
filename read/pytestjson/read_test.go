package pytestjson

import (
	"reflect"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const sample = "testdata/gen_reruns2.json"

// TestSample: its summary says 2 passed, 2 rerun (passed at last), 2 failed, 1
// skipped, 1 xfailed, 1 xpassed, 2 error.
func TestSample(t *testing.T) {
	s := readtest.File(t, Read, sample)
	want := []string{
		"test_flaky.py/test_passes #0 pass passed", "test_flaky.py/test_fails_once #0 pass rerun", "test_flaky.py/test_always_fails #0 fail failed",
		"test_flaky.py/test_skipped #0 skip skipped", "test_flaky.py/test_xfail #0 skip xfailed", "test_flaky.py/test_xpass #0 pass xpassed",
		"test_flaky.py/test_setup_error #0 error", "test_flaky.py/test_teardown_error #0 error",
		"test_flaky.py/test_param[1] #0 pass passed", "test_flaky.py/test_param[2] #0 fail failed", "test_flaky.py/test_slow #0 pass rerun",
	}
	if got := s.Lines(); !slices.Equal(got, want) || len(s.Problems) != 1 || s.Problems[0].Code != envelope.CodeRetriesLost {
		t.Errorf("got %q %q\nwant %q", got, s.Told(), want)
	}
	if want := []envelope.Header{{StartedAt: "2026-11-21T10:35:06.452085Z"}}; !reflect.DeepEqual(s.Headers, want) {
		t.Errorf("%+v", s.Headers)
	}
}

// TestFields compares whole trials with what stands in the file.
func TestFields(t *testing.T) {
	s := readtest.File(t, Read, sample)
	for _, want := range []envelope.Trial{
		{Key: envelope.Key{Suite: "test_flaky.py", Test: "test_always_fails"}, Attempt: envelope.Some[int32](0), Status: envelope.Fail, RawStatus: "failed",
			DurationMS: envelope.Some(0.00015409899992847476 * 1000), SetupMS: envelope.Some(8.949299990490545e-05 * 1000), File: "test_flaky.py", Line: 6,
			Message: "AssertionError: never equal\nassert 1 == 2",
			Output:  ">   def test_always_fails(): print(\"captured\"); assert 1 == 2, \"never equal\"\nE   AssertionError: never equal\nE   assert 1 == 2\n\ntest_flaky.py:6: AssertionError\ncaptured"},
		{Key: envelope.Key{Suite: "test_flaky.py", Test: "test_fails_once"}, Attempt: envelope.Some[int32](0), Status: envelope.Pass, RawStatus: "rerun", CostUSD: envelope.Some(0.004),
			DurationMS: envelope.Some(9.793499998522748e-05 * 1000), SetupMS: envelope.Some(0.00019902499980162247 * 1000), File: "test_flaky.py", Line: 5},
	} {
		got := s.Find(t, want.Test, 0)
		got.DurationMS.V, want.DurationMS.V = float64(int(got.DurationMS.V*1e9)), float64(int(want.DurationMS.V*1e9))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %#v\nwant %#v", got, want)
		}
	}
	if got := s.Find(t, "test_skipped", 0); got.Message != "no api key" {
		t.Errorf("%q", got.Message)
	}
}

func report(tests string) string {
	return `{"created":1,"exitcode":0,"root":"/x","summary":{},"tests":[` + tests + `]}`
}

func TestShapes(t *testing.T) {
	cases := []struct {
		text   string
		want   []string
		told   []string
		reason string
	}{
		{report(`{"nodeid":"a.py::t","outcome":"passed"}`), []string{"a.py/t #0 pass passed"}, nil, "phases left out"},
		{report(`{"nodeid":"a.py::t","outcome":"xfailed"},{"nodeid":"a.py::u","outcome":"xpassed"}`), []string{"a.py/t #0 skip xfailed", "a.py/u #0 pass xpassed"}, nil, "expected failures without phases"},
		{report(`{"nodeid":"a.py::t","outcome":"failed","call":{"outcome":"failed","crash":{"message":"Failed: Timeout (>1.0s) from pytest-timeout."}}}`), []string{"a.py/t #0 fail failed timeout"}, nil, "a timeout"},
		{report(`{"nodeid":"a.py::t[1-2]","outcome":"passed"},{"nodeid":"a.py::t[2-2]","outcome":"failed"}`), []string{"a.py/t #0 pass passed", "a.py/t #1 fail failed"}, nil, "pytest-repeat"},
		{`{"created":1,"exitcode":2,"root":"/x","collectors":[{"nodeid":"","outcome":"passed"},{"nodeid":"a.py","outcome":"failed","longrepr":"ImportError: b"}],"tests":[]}`,
			[]string{"a.py/[file] #0 error failed pre-validation"}, []string{"interrupted 0:0"}, "a file that does not load"},
		{`{"created":1,"exitcode":1,"root":"/x","summary":{"passed":42,"failed":15,"total":57}}`, nil, []string{"unreadable-input 1:1"}, "--json-report-summary"},
		{`{"created":1,"exitcode":5,"root":"/x","tests":[]}`, []string{"[run] #0 error empty-run"}, nil, "nothing to run"},
		{report(`{"nodeid":"a.py::t","outcome":"passed"},7,{"outcome":"passed"}`), []string{"a.py/t #0 pass passed"}, []string{"ignored-field 1:101", "malformed-record 1:101", "malformed-record 1:103"}, "tests that are none"},
		{report(`{"nodeid":"a.py::t","outcome":"passed","call":{"duration":"x","outcome":"passed"}}`), []string{"a.py/t #0 pass passed"}, []string{"ignored-field 1:121"}, "a duration that is none"},
		{report(`{"nodeid":"a.py::t","outcome":"passed"},{"nodeid"`)[:110], []string{"a.py/t #0 pass passed"}, []string{"unreadable-input 1:101"}, "cut: what came before counts"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
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
		{`{"created": 1, "duration": 2, "exitcode": 1, "root": "/x", "environment": {"Py`, true, "cut in the environment"},
		{`{"created":1,"exitcode":0,"root":"/x","summary":{}`, true, "no environment"},
		{`{"collectors": [{"nodeid": "", "outcome": "passed", "result": [{"nodeid": "tests", "ty`, true, "sorted keys, cut in what was collected"},
		{`{"collectors":[{"name":"otlp"}]}`, false, "other collectors"},
		{`{"created":1,"model":"x"}`, false, "anything that was created"},
		{`[{"created":1,"exitcode":0,"root":"/","tests":[]}]`, false, "an array"},
		{``, false, "nothing"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzPytestJSON(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, report(`{"nodeid":"a.py::t","outcome":"passed","setup":{"outcome":"failed"}}`))
}

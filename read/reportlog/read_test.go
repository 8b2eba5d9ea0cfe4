package reportlog

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const sample = "testdata/gen_reruns2.jsonl"

func TestSample(t *testing.T) {
	s := readtest.File(t, Read, sample)
	want := []string{
		"test_flaky.py/test_passes #0 pass passed",
		"test_flaky.py/test_fails_once #0 fail rerun", "test_flaky.py/test_fails_once #1 pass passed retry",
		"test_flaky.py/test_always_fails #0 fail rerun", "test_flaky.py/test_always_fails #1 fail rerun retry", "test_flaky.py/test_always_fails #2 fail failed retry",
		"test_flaky.py/test_skipped #0 skip skipped", "test_flaky.py/test_xfail #0 skip xfailed", "test_flaky.py/test_xpass #0 pass xpassed",
		"test_flaky.py/test_setup_error #0 error rerun", "test_flaky.py/test_setup_error #1 error rerun retry", "test_flaky.py/test_setup_error #2 error failed retry",
		"test_flaky.py/test_teardown_error #0 error rerun", "test_flaky.py/test_teardown_error #1 error rerun retry", "test_flaky.py/test_teardown_error #2 error failed retry",
		"test_flaky.py/test_param[1] #0 pass passed",
		"test_flaky.py/test_param[2] #0 fail rerun", "test_flaky.py/test_param[2] #1 fail rerun retry", "test_flaky.py/test_param[2] #2 fail failed retry",
		"test_flaky.py/test_slow #0 fail rerun timeout", "test_flaky.py/test_slow #1 pass passed retry",
	}
	if got := s.Lines(); !slices.Equal(got, want) || len(s.Problems) > 0 {
		t.Errorf("got %q %q\nwant %q", got, s.Told(), want)
	}
}

// TestFields compares whole trials with what stands in the file.
func TestFields(t *testing.T) {
	s := readtest.File(t, Read, sample)
	want := envelope.Trial{
		Key: envelope.Key{Suite: "test_flaky.py", Test: "test_fails_once"}, Attempt: envelope.Some[int32](1), Status: envelope.Pass, RawStatus: "passed", Retry: true,
		DurationMS: envelope.Some(0.00011751400006687618 * 1000), SetupMS: envelope.Some(0.00031790100001671817 * 1000), CostUSD: envelope.Some(0.004),
		File: "test_flaky.py", Line: 5,
	}
	if got := s.Find(t, want.Test, 1); !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v\nwant %#v", got, want)
	}
	got := s.Find(t, "test_always_fails", 2)
	if got.Message != "AssertionError: never equal\nassert 1 == 2" || strings.Count(got.Output, "captured\n") != 1 || !strings.Contains(got.Output, "E   assert 1 == 2\ntest_flaky.py:6: AssertionError") {
		t.Errorf("%q %q: the output of earlier runs is theirs", got.Message, got.Output)
	}
	if got := s.Find(t, "test_xfail", 0); got.Message != "known bug" {
		t.Errorf("%q", got.Message)
	}
}

func phase(when, outcome, more string) string {
	return `{"nodeid":"a.py::t","when":"` + when + `","outcome":"` + outcome + `"` + more + `,"$report_type":"TestReport"}` + "\n"
}

func whole(outcome, more string) string {
	return phase("setup", "passed", more) + phase("call", outcome, more) + phase("teardown", "passed", more)
}

const (
	begin = `{"$report_type":"SessionStart"}` + "\n"
	end   = `{"exitstatus":0,"$report_type":"SessionFinish"}` + "\n"
)

func TestShapes(t *testing.T) {
	cases := []struct {
		text   string
		want   []string
		told   []string
		reason string
	}{
		{begin + whole("passed", "") + whole("failed", "") + end, []string{"a.py/t #0 pass passed", "a.py/t #1 fail failed"}, nil, "two runs of a test are no retries"},
		{begin + phase("setup", "passed", "") + phase("setup", "passed", "") + phase("call", "passed", "") + end, []string{"a.py/t #0 error infrastructure", "a.py/t #1 pass passed"}, nil, "a run without an end, then another"},
		{begin + phase("setup", "passed", "") + phase("call", "rerun", "") + whole("passed", "") + end, []string{"a.py/t #0 fail rerun", "a.py/t #1 pass passed retry"}, nil, "a plugin that does not count reruns"},
		{begin + phase("setup", "passed", "") + phase("call", "rerun", "") + whole("passed", "") + `{"exitstatus":1,"$report_type":"SessionFinish"}`,
			[]string{"a.py/t #0 fail rerun", "a.py/t #1 pass passed retry", "[run] #0 error infrastructure"}, nil, "a test that passed when it was run again does not say why pytest ended with 1, as by pytest-cov's --cov-fail-under"},
		{begin + phase("setup", "passed", ""), []string{"a.py/t #0 error infrastructure"}, []string{"truncated-line 2:1"}, "the process died in the test"},
		{begin + whole("passed", ""), []string{"a.py/t #0 pass passed"}, []string{"truncated-line 4:1"}, "the session never ended"},
		{begin + phase("???", "failed", `,"longrepr":"worker 'gw0' crashed"`) + end, []string{"a.py/t #0 error failed crash"}, nil, "xdist lost a worker"},
		{begin + `{"nodeid":"a.py","outcome":"failed","longrepr":"ImportError","$report_type":"CollectReport"}` + "\n" + `{"exitstatus":2,"$report_type":"SessionFinish"}`, []string{"a.py/[file] #0 error failed pre-validation"}, []string{"interrupted 0:0"}, "a file that does not load"},
		{begin + `{"nodeid":"a.py","outcome":"skipped","longrepr":["a.py",1,"Skipped: no"],"$report_type":"CollectReport"}` + "\n" + end, []string{"a.py/[file] #0 skip skipped"}, nil, "a file that skips itself"},
		{begin + `{"exitstatus":5,"$report_type":"SessionFinish"}`, []string{"[run] #0 error empty-run"}, nil, "nothing to run"},
		{begin + strings.ReplaceAll(whole("passed", ""), "::t", "::t[1-2]") + strings.ReplaceAll(whole("failed", ""), "::t", "::t[2-2]") + end, []string{"a.py/t #0 pass passed", "a.py/t #1 fail failed"}, nil, "pytest-repeat"},
		{begin + whole("passed", `,"keywords":{"parametrize":1}`) + end, []string{"a.py/t #0 pass passed"}, nil, "keywords"},
		{begin + "{\"nodeid\":\n" + whole("passed", "") + end, []string{"a.py/t #0 pass passed"}, []string{"malformed-record 2:10"}, "a broken line"},
		{begin + phase("call", "passed", `,"duration":"x"`) + end, []string{"a.py/t #0 pass passed"}, []string{"ignored-field 2:67"}, "a duration that is none"},
		{begin + `{"outcome":"passed","$report_type":"TestReport"}` + "\n" + end, nil, []string{"malformed-record 2:1"}, "no test"},
		{begin + `{"a":1}` + "\n" + end, nil, []string{"malformed-record 2:1"}, "no report"},
		{begin + whole("passed", `,"longrepr":{"reprcrash":7},"location":{},"user_properties":[[1,2],["k"]],"sections":[["x"]]`) + end, []string{"a.py/t #0 pass passed"}, nil, "members of other shapes"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

// reported is what _pytest/subtests.py of pytest 9.0 (SubtestReport._to_json)
// makes of a subtest, as pytest-reportlog writes it before 1.0.0.
func reported(outcome string) string {
	return `{"nodeid":"a.py::t","location":["a.py",3,"t"],"outcome":"` + outcome + `","longrepr":{"reprcrash":{"path":"a.py","lineno":7,"message":"AssertionError: 0 != 1"},"reprtraceback":{"reprentries":[]}},"when":"call",` +
		`"user_properties":[],"sections":[],"duration":7.5,"start":1700000000.1,"_report_type":"SubTestReport","_subtest.context":{"msg":"each","kwargs":{"j":"2","i":"0"}}}` + "\n"
}

func TestSubtests(t *testing.T) {
	setup, teardown := phase("setup", "passed", ""), phase("teardown", "passed", "")
	passed := phase("call", "passed", `,"duration":0.25`) // pytest fails it only later, for the terminal (pytest_report_teststatus)
	fixed := strings.Replace(reported("failed"), "_report_type", "$report_type", 1)
	cases := []struct {
		text   string
		want   []string
		told   []string
		reason string
	}{
		{setup + reported("passed") + reported("failed") + reported("passed") + passed + teardown, []string{"a.py/t #0 fail failed"}, nil, "a subtest failed"},
		{setup + fixed + passed + teardown, []string{"a.py/t #0 fail failed"}, nil, "as pytest-reportlog 1.0.0 writes it (plugin.py)"},
		{setup + reported("skipped") + passed + teardown, []string{"a.py/t #0 pass passed"}, nil, "a subtest was skipped, its test was not"},
		{setup + reported("passed") + phase("call", "skipped", "") + teardown, []string{"a.py/t #0 skip skipped"}, nil, "the test was skipped behind a subtest"},
		{setup + reported("passed"), []string{"a.py/t #0 error infrastructure"}, nil, "the process died between subtests"},
		{reported("failed") + setup + phase("call", "rerun", `,"rerun":0`) + reported("passed") + phase("setup", "passed", `,"rerun":1`) + phase("call", "passed", `,"rerun":1`) + phase("teardown", "passed", `,"rerun":1`),
			[]string{"a.py/t #0 fail failed", "a.py/t #1 pass passed retry"}, nil, "pytest-rerunfailures (pytest_runtest_protocol) logs the phases of a run when it has ended, and older ones no teardown before a rerun"},
		{strings.Replace(reported("failed"), "a.py::t", "", 1), nil, []string{"malformed-record 2:1"}, "no test"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, begin+c.text+end)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
	got := readtest.Text(t, Read, begin+cases[0].text+end).Trials[0]
	if got.Message != "[each] (i=0, j=2): AssertionError: 0 != 1" || got.DurationMS != envelope.Some(250.0) {
		t.Errorf("%q took %v: the time is that of the call", got.Message, got.DurationMS)
	}
}

func TestPropertiesAndTimes(t *testing.T) {
	got := readtest.Text(t, Read, begin+whole("failed", `,"start":1700000000.5,"user_properties":[["score",0.25],["tokens","7"],["seed",3],["list",[1,"a"]]]`)+end).Trials[0]
	want := []envelope.Label{{Name: "seed", Value: "3"}, {Name: "list", Value: `[1,"a"]`}}
	if got.Score != envelope.Some(0.25) || got.Tokens != envelope.Some[int64](7) || !reflect.DeepEqual(got.Labels, want) || !got.StartedAt.Equal(time.UnixMilli(1700000000500)) {
		t.Errorf("%#v", got)
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"pytest_version": "7.2.1", "$report_type": "SessionStart"}`, true, "the first line"},
		{`{"nodeid": "a.py::t", "outcome": "failed", "when": "call", "longrepr": "very long`, true, "a log that begins in the middle, cut"},
		{`{"nodeid":"a","outcome":"passed"}`, false, "too little"},
		{`{"created":1,"exitcode":0,"summary":{},"tests":[]}`, false, "pytest-json-report"},
		{``, false, "nothing"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzReportlog(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, begin+whole("failed", "")+end, begin+phase("setup", "rerun", `,"rerun":0`)+phase("setup", "failed", `,"rerun":1`), begin+reported("failed")+whole("passed", ""))
}

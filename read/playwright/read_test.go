package playwright

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const sample = "testdata/gen_retries2_2projects.json"

// TestSample: 18 pairs of test and project, 31 results. Its stats say 4
// expected, 4 flaky, 6 unexpected, 4 skipped: 8 of the 18 pass at last. Results
// by hand, both projects: throws 3+2, fails once 1+1, always fails 3+2, times out
// 3+2, times out once 1+1 fail.
func TestSample(t *testing.T) {
	s := readtest.File(t, Read, sample)
	want := "18 tests, 31 trials: 8 pass, 19 fail, 0 error, 4 skip, 13 retries"
	if got := s.Counts(); got != want || len(s.Problems) > 0 {
		t.Errorf("got %s %q, want %s", got, s.Told(), want)
	}
	if want := []envelope.Header{{StartedAt: "2026-11-21T10:28:55.615Z"}}; !reflect.DeepEqual(s.Headers, want) {
		t.Errorf("%+v", s.Headers)
	}
}

// TestFields compares whole trials with what stands in the file.
func TestFields(t *testing.T) {
	s := readtest.File(t, Read, sample)
	for i := range s.Trials {
		s.Trials[i].Output = ""
	}
	key := func(test string) envelope.Key {
		return envelope.Key{Suite: "checkout.spec.js", Test: test, Variant: "default"}
	}
	for _, want := range []envelope.Trial{
		{Key: key("checkout › times out once"), Attempt: envelope.Some[int32](0), Status: envelope.Fail, RawStatus: "timedOut", ErrorClass: "timeout", DurationMS: envelope.Some(302.0),
			Message: "\x1b[31mTest timeout of 300ms exceeded.\x1b[39m", File: "tests/checkout.spec.js", Line: 10, StartedAt: time.Date(2026, 11, 21, 10, 29, 3, 202e6, time.UTC)},
		{Key: key("checkout › times out once"), Attempt: envelope.Some[int32](1), Status: envelope.Pass, RawStatus: "passed", Retry: true, DurationMS: envelope.Some(4.0),
			File: "tests/checkout.spec.js", Line: 10, StartedAt: time.Date(2026, 11, 21, 10, 29, 4, 447e6, time.UTC)},
		{Key: key("checkout › expected to fail"), Attempt: envelope.Some[int32](0), Status: envelope.Pass, RawStatus: "failed", DurationMS: envelope.Some(14.0),
			File: "tests/checkout.spec.js", Line: 12, StartedAt: time.Date(2026, 11, 21, 10, 29, 4, 571e6, time.UTC)},
		{Key: key("throws in the middle @agent"), Attempt: envelope.Some[int32](2), Status: envelope.Fail, RawStatus: "failed", Retry: true, DurationMS: envelope.Some(22.0),
			Message: "Error: ECONNREFUSED 127.0.0.1:9", Labels: []envelope.Label{{Name: "tags", Value: "agent"}},
			File: "tests/checkout.spec.js", Line: 15, StartedAt: time.Date(2026, 11, 21, 10, 29, 6, 597e6, time.UTC)},
	} {
		if got := s.Find(t, want.Test, want.Attempt.V); !reflect.DeepEqual(readtest.Outside(got)[0], want) {
			t.Errorf("got %#v\nwant %#v", got, want)
		}
	}
	whole := readtest.File(t, Read, sample).Find(t, "throws in the middle @agent", 0)
	if !strings.Contains(whole.Output, "Error: ECONNREFUSED 127.0.0.1:9\n\n  13 |") {
		t.Errorf("%q", whole.Output)
	}
}

// report is a report with one spec of these tests.
func report(tests string) string {
	return `{"config":{},"suites":[{"title":"a.ts","specs":[{"title":"t","file":"a.ts","line":3,"tests":[` + tests + `]}]}],"errors":[],"stats":{}}`
}

func ended(status, more string) string {
	return `{"projectName":"p","expectedStatus":"passed","results":[{"status":"` + status + `","retry":0` + more + `}]}`
}

const flaky = `{"projectName":"p","expectedStatus":"passed","results":[{"status":"failed","retry":0},{"status":"passed","retry":1}]}`

func TestShapes(t *testing.T) {
	cases := []struct {
		text   string
		want   []string
		told   []string
		reason string
	}{
		{report(ended("passed", `,"startTime":"2026-01-01T00:00:02Z"`) + "," + ended("failed", `,"startTime":"2026-01-01T00:00:01Z"`)),
			[]string{"a.ts/t [p] #0 fail failed", "a.ts/t [p] #1 pass passed"}, nil, "--repeat-each: attempts follow their times, and are no retries"},
		{report(ended("passed", "") + "," + ended("failed", `,"startTime":"2026-01-01T00:00:01Z"`)),
			[]string{"a.ts/t [p] #0 pass passed", "a.ts/t [p] #1 fail failed"}, nil, "without times, as they stand"},
		{report(ended("interrupted", "")), []string{"a.ts/t [p] #0 error interrupted infrastructure"}, nil, "the run was stopped"},
		{report(`{"projectName":"p","expectedStatus":"failed","results":[{"status":"passed"}]}`), []string{"a.ts/t [p] #0 fail passed"}, nil, "expected to fail, and passed"},
		{report(`{"projectName":"p","expectedStatus":"failed","results":[{"status":"timedOut"}]}`), []string{"a.ts/t [p] #0 fail timedOut timeout"}, nil, "expected to fail, but not by time"},
		{report(`{"projectName":"p","expectedStatus":"skipped","results":[]}`), []string{"a.ts/t [p] #0 skip"}, nil, "a test that is to be skipped, without a result"},
		{report(`{"projectName":"p","expectedStatus":"passed","results":[],"status":"skipped"},` + ended("passed", "")),
			[]string{"a.ts/t [p] #0 skip", "a.ts/t [p] #1 pass passed", "[run] #0 error infrastructure"}, nil, "Ctrl-C between two tests, of which the report says no more (json.ts): Playwright ends with 130"},
		{report(`{"projectName":"p","expectedStatus":"passed","results":[]},` + ended("failed", "")),
			[]string{"a.ts/t [p] #0 skip", "a.ts/t [p] #1 fail failed"}, nil, "maxFailures: a test says why the run ended"},
		{report(ended("passed", "") + "," + ended("interrupted", "")),
			[]string{"a.ts/t [p] #0 pass passed", "a.ts/t [p] #1 error interrupted infrastructure", "[run] #0 error infrastructure"}, nil, "--repeat-each, and Ctrl-C in the second: it does not count beside the first, and Playwright ends with 130"},
		{report(`{"projectName":"p","expectedStatus":"passed","results":[],"status":"skipped"},` + flaky),
			[]string{"a.ts/t [p] #0 skip", "a.ts/t [p] #1 fail failed", "a.ts/t [p] #2 pass passed retry", "[run] #0 error infrastructure"}, nil, "a try that failed and was tried again does not say why others were not run"},
		{strings.Replace(strings.Replace(report(flaky), `"config":{}`, `"config":{"failOnFlakyTests":true}`, 1), `"stats":{}`, `"stats":{"flaky":1}`, 1),
			[]string{"a.ts/t [p] #0 fail failed", "a.ts/t [p] #1 pass passed retry", "[run] #0 error infrastructure"}, nil, "failOnFlakyTests, for which Playwright ends with 1 (failureTracker.ts, result)"},
		{strings.Replace(report(flaky), `"stats":{}`, `"stats":{"flaky":1}`, 1), []string{"a.ts/t [p] #0 fail failed", "a.ts/t [p] #1 pass passed retry"}, nil, "flaky tests otherwise"},
		{report(`{"results":[{"status":"passed"}]}`), []string{"a.ts/t #0 pass passed"}, nil, "no projects"},
		{report(ended("lost", "")), nil, []string{"malformed-record 1:49"}, "a status of another world"},
		{report(ended("passed", `,"duration":"x"`)), []string{"a.ts/t [p] #0 pass passed"}, []string{"ignored-field 1:192"}, "a duration that is none"},
		{`{"config":{"shard":{"current":2,"total":3}},"suites":[],"errors":[{"message":"Error: No tests found"},{"message":"Error: global setup\nx"}]}`,
			[]string{"[run] #0 error empty-run", "[run] #1 error pre-validation"}, nil, "errors outside of tests"},
		{`{"config":{},"suites":[{"title":"a.ts","specs":[{"title":"","tests":[]}]}]}`, nil, []string{"malformed-record 1:49"}, "no title"},
		{`{"config":{},"suites":[7,{"title":"a.ts","suites":null,"specs":{}}]}`, nil, []string{"malformed-record 1:24", "malformed-record 1:64"}, "suites that are none"},
		{report(ended("passed", ""))[:180], nil, []string{"unreadable-input 1:49"}, "cut in the first spec"},
		{`{"config":{},"suites":` + strings.Repeat(`[{"suites":`, 5000) + "[]" + strings.Repeat("}]", 5000) + "}", nil, []string{"malformed-record 1:1134"}, "suites nested very deep"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestShardAndCommit(t *testing.T) {
	s := readtest.Text(t, Read, `{"config":{"shard":{"current":2,"total":3},"metadata":{"gitCommit":{"hash":"abc"}}},"suites":[{"title":"a","specs":[{"title":"t","tests":[`+ended("passed", "")+`]}]}]}`)
	if s.Trials[0].Run != "shard 2 of 3" || s.Headers[0].Commit != "abc" {
		t.Errorf("%+v %+v", s.Trials, s.Headers)
	}
}

func TestAnnotations(t *testing.T) {
	s := readtest.Text(t, Read, report(`{"expectedStatus":"skipped","annotations":[{"type":"skip","description":"no key"},{"type":"cost_usd","description":"0.5"},{"type":"issue","description":"#1"}],"results":[{"status":"skipped"}]}`))
	got := s.Trials[0]
	if got.Message != "no key" || got.CostUSD != envelope.Some(0.5) || !reflect.DeepEqual(got.Labels, []envelope.Label{{Name: "issue", Value: "#1"}}) {
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
		{`{"config":{"rootDir":"/x"},"suites":[`, true, "cut in the suites"},
		{`{"config":{"rootDir":"/x","projects":[{`, true, "cut in a long configuration"},
		{`{"config":{"model":"x","suites":1},"results":[]}`, false, "another one's configuration"},
		{`[{"config":{},"suites":[]}]`, false, "an array"},
		{``, false, "nothing"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzPlaywright(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, report(ended("passed", "")), `{"config":{},"errors":[{}],"suites":[{"suites":[{}]}]}`)
}

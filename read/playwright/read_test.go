package playwright

import (
	"slices"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

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
		text     string
		want     []string
		reported []string
		reason   string
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
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Reported(), c.want, c.reported)
		}
	}
}

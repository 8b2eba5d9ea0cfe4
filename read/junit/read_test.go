package junit

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func readText(t testing.TB, text string) *readtest.Sink {
	t.Helper()
	return readtest.Text(t, Read, text)
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// samples are the tests of each file with a letter a trial, read off the files
// by hand; those of Playwright are the results of its own JSON report of the run.
var samples = []struct {
	file   string
	strips map[string]string
	told   []string
	reason string
}{
	{"gen_gotestsum_rerun3.xml", map[string]string{
		"example.test/flaky/TestNever": "Ffff", "example.test/flaky/TestRerunPassesThird": "Ffp", "example.test/flaky/TestSkip": "S",
		"example.test/flaky/TestAlways": "P", "example.test/flaky/TestSometimes": "P", "example.test/flaky/TestSubs/a": "P", "example.test/flaky/TestSubs/d_e": "P",
		"example.test/flaky/TestSubs/b/c": "P", "example.test/flaky/TestSubs": "P", "example.test/flaky/TestAttr": "P", "example.test/flaky/TestHang": "P", "example.test/flaky/TestPanic": "P",
	}, nil, "failures first, the pass of a rerun last"},
	{"gen_playwright_retries2.xml", map[string]string{
		"checkout.spec.js/checkout › always passes [default]": "P", "checkout.spec.js/checkout › fails once then passes [default]": "Fp",
		"checkout.spec.js/checkout › always fails [default]": "Fff", "checkout.spec.js/checkout › times out [default]": "Eee",
		"checkout.spec.js/checkout › times out once [default]": "Fp", "checkout.spec.js/checkout › skipped on purpose [default]": "S",
		"checkout.spec.js/checkout › expected to fail [default]": "P", "checkout.spec.js/checkout › fixme [default]": "S",
		"checkout.spec.js/throws in the middle @agent [default]": "Eee",
		"checkout.spec.js/checkout › always passes [second]":     "P", "checkout.spec.js/checkout › fails once then passes [second]": "Fp",
		"checkout.spec.js/checkout › always fails [second]": "Ff", "checkout.spec.js/checkout › times out [second]": "Ee",
		"checkout.spec.js/checkout › times out once [second]": "Fp", "checkout.spec.js/checkout › skipped on purpose [second]": "S",
		"checkout.spec.js/checkout › expected to fail [second]": "P", "checkout.spec.js/checkout › fixme [second]": "S",
		"checkout.spec.js/throws in the middle @agent [second]": "Ee",
	}, []string{"inferred-trials 5:1"}, "18 tests, 31 results: two projects told apart by hostname"},
	{"gen_playwright_includeRetries.xml", map[string]string{
		"a.spec.js/ok [p1]": "P", "a.spec.js/flaky [p1]": "Fp", "a.spec.js/bad [p1]": "Ee", "a.spec.js/xfail [p1]": "P", "a.spec.js/xpass [p1]": "F",
		"a.spec.js/slow [p1]": "Ee", "a.spec.js/skip [p1]": "S", "a.spec.js/fixme [p1]": "S", "a.spec.js/ba › x [p1]": "Ee", "a.spec.js/ba › y [p1]": "S",
		"a.spec.js/ser › 1 [p1]": "P", "a.spec.js/ser › 2 [p1]": "Fp", "a.spec.js/ser › 3 [p1]": "P", "a.spec.js/aa › x [p1]": "Ee",
	}, nil, "@playwright/test 1.65.1 told includeRetries: each try that failed is there (its reporter writes none for a retry that passed)"},
	{"gen_pytest_rerunfailures.xml", map[string]string{
		"test_flaky/test_passes": "P", "test_flaky/test_fails_once": "P", "test_flaky/test_always_fails": "F", "test_flaky/test_skipped": "S",
		"test_flaky/test_xfail": "S", "test_flaky/test_xpass": "P", "test_flaky/test_setup_error": "E", "test_flaky/test_teardown_error": "PE",
		"test_flaky/test_param[1]": "P", "test_flaky/test_param[2]": "F", "test_flaky/test_slow": "P",
	}, nil, "a teardown error is no try of its own; reruns are not in the file"},
	{"gen_vitest_retry_repeats.xml", map[string]string{
		"flaky.test.js/agent > always passes": "P", "flaky.test.js/agent > fails twice then passes": "P", "flaky.test.js/agent > always fails with retry": "Fff",
		"flaky.test.js/agent > repeats 4, third fails": "F", "flaky.test.js/agent > times out": "F", "flaky.test.js/agent > skipped": "S", "flaky.test.js/agent > todo case": "S",
	}, []string{"inferred-trials 8:9"}, "a failure a try"},
	{"jenkinsci__TEST-io.olamy.AlwaysFailTest.xml", map[string]string{"io.olamy.AlwaysFailTest/testApp": "Ffff"}, nil, "one failure and three rerunFailure"},
	{"jenkinsci__TEST-io.olamy.FlakyTest.xml", map[string]string{"io.olamy.FlakyTest/testApp": "Ffp"}, nil, "1 test, 3 attempts, passed at last"},
	{"mikepenz__expectedRetries.xml", map[string]string{}, []string{"unreadable-input 9:59"}, "malformed: a < in an attribute"},
	{"mikepenz__surefire-report.xml", map[string]string{"io.sodadata.dependson.soda.integrations.msteams.MicrosoftTeamsCrudTest/createWebhook": "Fp"}, nil, "a flakyFailure"},
	{"nextest__fixture-project-junit.xml", map[string]string{
		"fixture-project::basic/test_cwd": "P", "fixture-project::basic/test_failure_assert": "Fff", "fixture-project::basic/test_flaky_mod_4": "Fffp",
	}, nil, "reruns with times of their own"},
	{"nextest__stress-test-junit.xml", map[string]string{
		"nextest-filtering::match/test_expr_deps": "PP", "nextest-filtering::match/test_expr_package_regex": "PP",
	}, nil, "two stress runs are repeats"},
}

func TestSamples(t *testing.T) {
	for _, c := range samples {
		s := readText(t, string(sample(t, c.file)))
		if diff := cmp.Diff(c.strips, s.Strips()); diff != "" {
			t.Errorf("%s (%s) (-want +got):\n%s", c.file, c.reason, diff)
		}
		if !slices.Equal(c.told, s.Told()) {
			t.Errorf("%s: problems %v, want %v", c.file, s.Problems, c.told)
		}
	}
}

// at is an instant of a sample.
func at(text string) time.Time {
	when, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return when.UTC()
}

// TestFields compares one whole trial of each dialect with what the file says.
func TestFields(t *testing.T) {
	cases := []struct {
		file    string
		attempt int32
		output  []string // parts of it
		want    envelope.Trial
	}{
		{"gen_gotestsum_rerun3.xml", 1, []string{"rerun_test.go:4: run 2 of 3"}, envelope.Trial{
			Key: envelope.Key{Suite: "example.test/flaky", Test: "TestRerunPassesThird"}, Status: envelope.Fail, Retry: true,
			DurationMS: envelope.Some(0.0), Message: "rerun_test.go:4: run 2 of 3"}},
		{"gen_gotestsum_rerun3.xml", 0, nil, envelope.Trial{
			Key: envelope.Key{Suite: "example.test/flaky", Test: "TestAttr"}, Status: envelope.Pass, DurationMS: envelope.Some(0.0),
			CostUSD: envelope.Some(0.012), Labels: []envelope.Label{{Name: "suite", Value: "smoke"}}}},
		{"gen_playwright_retries2.xml", 2, []string{"Retry #2", "default-retry2"}, envelope.Trial{
			Key: envelope.Key{Suite: "checkout.spec.js", Test: "checkout › times out", Variant: "default"}, Status: envelope.Error, Retry: true,
			ErrorClass: envelope.ClassTimeout, Message: "Test timeout of 300ms exceeded."}},
		{"gen_playwright_includeRetries.xml", 0, []string{"a.spec.js:3:73", "try [33m0"}, envelope.Trial{
			Key: envelope.Key{Suite: "a.spec.js", Test: "flaky", Variant: "p1"}, Status: envelope.Fail,
			DurationMS: envelope.Some(13.0), Message: "expect(received).toBe(expected) // Object.is equality"}},
		{"gen_playwright_includeRetries.xml", 1, nil, envelope.Trial{
			Key: envelope.Key{Suite: "a.spec.js", Test: "flaky", Variant: "p1"}, Status: envelope.Pass, Retry: true, DurationMS: envelope.Some(11.0)}},
		{"gen_playwright_includeRetries.xml", 1, []string{"Test timeout of 100ms exceeded."}, envelope.Trial{
			Key: envelope.Key{Suite: "a.spec.js", Test: "slow", Variant: "p1"}, Status: envelope.Error, Retry: true,
			ErrorClass: envelope.ClassTimeout, DurationMS: envelope.Some(103.0), Message: "Test timeout of 100ms exceeded."}},
		{"gen_pytest_rerunfailures.xml", 0, []string{"database gone", "test_flaky.py:14: RuntimeError"}, envelope.Trial{
			Key: envelope.Key{Suite: "test_flaky", Test: "test_setup_error"}, Status: envelope.Error,
			DurationMS: envelope.Some(1.0), Message: `failed on setup with "RuntimeError: database gone"`}},
		{"gen_pytest_rerunfailures.xml", 0, nil, envelope.Trial{
			Key: envelope.Key{Suite: "test_flaky", Test: "test_skipped"}, Status: envelope.Skip, DurationMS: envelope.Some(0.0), Message: "no api key"}},
		{"gen_vitest_retry_repeats.xml", 0, []string{"flaky.test.js:8:7"}, envelope.Trial{
			Key: envelope.Key{Suite: "flaky.test.js", Test: "agent > times out"}, Status: envelope.Fail, ErrorClass: envelope.ClassTimeout, DurationMS: envelope.Some(203.664616),
			Message: "Test timed out in 200ms.\nIf this is a long-running test, pass a timeout value as the last argument or configure it globally with \"testTimeout\"."}},
		{"jenkinsci__TEST-io.olamy.FlakyTest.xml", 1, []string{"FlakyTest.java:", "this will fail maybe", "this will maybe fail"}, envelope.Trial{
			Key: envelope.Key{Suite: "io.olamy.FlakyTest", Test: "testApp"}, Status: envelope.Fail, Retry: true, Message: "try one more time maybe"}},
		{"jenkinsci__TEST-io.olamy.FlakyTest.xml", 2, nil, envelope.Trial{
			Key: envelope.Key{Suite: "io.olamy.FlakyTest", Test: "testApp"}, Status: envelope.Pass, Retry: true, DurationMS: envelope.Some(1.0)}},
		{"nextest__fixture-project-junit.xml", 2, []string{"attempt 3 % 4 != 0", "running 1 test"}, envelope.Trial{
			Key: envelope.Key{Suite: "fixture-project::basic", Test: "test_flaky_mod_4"}, Status: envelope.Fail, Retry: true,
			DurationMS: envelope.Some(5.0), StartedAt: at("2024-01-09T07:50:12.676Z"), Message: "thread 'test_flaky_mod_4' panicked at tests/basic.rs:43:9:"}},
	}
	for _, c := range cases {
		s := readText(t, string(sample(t, c.file)))
		c.want.Attempt = envelope.Some(c.attempt)
		i := slices.IndexFunc(s.Trials, func(g envelope.Trial) bool { return g.Key == c.want.Key && g.Attempt == c.want.Attempt })
		if i < 0 {
			t.Errorf("%s: no attempt %d of %s", c.file, c.attempt, c.want.Key)
			continue
		}
		got := s.Trials[i]
		for _, part := range c.output {
			if !strings.Contains(got.Output, part) {
				t.Errorf("%s, %s: the output lacks %q: %q", c.file, c.want.Key, part, got.Output)
			}
		}
		if c.output == nil && got.Output != "" {
			t.Errorf("%s, %s: output %q", c.file, c.want.Key, got.Output)
		}
		got.Output = ""
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", c.file, c.want.Key, diff)
		}
	}
}

func TestHeader(t *testing.T) {
	s := readText(t, string(sample(t, "nextest__stress-test-junit.xml")))
	want := []envelope.Header{{Name: "nextest-run", ID: "64f8ba6c-b032-4093-8323-0960f2b47fc9", StartedAt: "2025-08-24T20:53:16.476Z"}}
	if diff := cmp.Diff(want, s.Headers); diff != "" || s.Policies[0] != nil {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		head   string
		ours   bool
		reason string
	}{
		{"<testsuites/>", true, "an empty report"},
		{"\ufeff<?xml version=\"1.1\" encoding='latin1'?>\n<!-- a > b --><!DOCTYPE x [<!ENTITY a \"b\">]>\n<?style x?><testsuite na", true, "everything that may stand before the root"},
		{"\xff\xfe<\x00t\x00e\x00s\x00t\x00s\x00u\x00i\x00t\x00e\x00 \x00n", true, "UTF-16, cut in a character"},
		{"<x:testsuites xmlns:x='y'>", true, "a prefix"},
		{"<testsuitesx>", false, "another element"},
		{"<testsuite", false, "cut in the name: it may be longer"},
		{"<promptfoo><testsuite>", false, "promptfoo's own XML"},
		{"<assemblies><assembly/>", false, "xUnit"},
		{"<test-run id='2'>", false, "NUnit"},
		{"<?xml version='1.0'?><TestRun xmlns='x'>", false, "TRX"},
		{"<!-- <testsuites> -->", false, "in a comment"},
		{"<!-- <testsuites>", false, "in an open comment"},
		{"<!DOCTYPE [<testsuites>", false, "in an open document type"},
		{`{"a":"<testsuites>"}`, false, "JSON"},
		{"TAP version 13", false, "TAP"},
		{"", false, "nothing"},
	} {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %t: %s", c.head, got, c.reason)
		}
	}
}

// TestOfNoTest: shapes of Gradle's JUnitXmlResultWriter and sbt's JUnitXmlTestsListener, of
// classes without a test, beside those that look like them and are news.
func TestOfNoTest(t *testing.T) {
	const (
		gradle = `<testsuite name="a.Pages" tests="0" skipped="0" failures="0" errors="0" timestamp="2026-11-19T17:09:28" hostname="ci" time="0.0">` + "\n  <properties/>\n  <system-out><![CDATA[printed\n]]></system-out>\n  <system-err><![CDATA[]]></system-err>\n</testsuite>\n"
		sbt    = `<testsuite hostname="ci" name="a.SlowSpec" tests="0" errors="0" failures="0" skipped="0" time="0.0" timestamp="2026-11-19T17:09:28">` + "\n  <properties>\n<property name=\"a\" value=\"b\"/></properties>\n<system-out><![CDATA[]]></system-out></testsuite>"
		xml    = `<?xml version='1.0' encoding='UTF-8'?>` + "\n"
	)
	for _, c := range []struct {
		text   string
		want   bool
		reason string
	}{
		{xml + gradle, true, "Gradle, of a class that printed something"},
		{xml + sbt, true, "sbt, of a suite of which a tag left none"},
		{strings.Replace(gradle, `errors="0"`, `errors="1"`, 1), false, "counts an error"},
		{strings.Replace(gradle, `failures="0"`, `failures="2"`, 1), false, "counts failures"},
		{strings.Replace(gradle, `tests="0"`, `tests="3"`, 1), false, "counts tests that are not there"},
		{strings.TrimSuffix(gradle, "</testsuite>\n"), false, "cut off"},
		{gradle[:len(gradle)/2], false, "cut off earlier"},
		{strings.Replace(gradle, "<properties/>", `<testcase name="a"/>`, 1), false, "has a test"},
		{`<testsuites><testsuite name="pytest" errors="0" failures="0" skipped="0" tests="0" time="0.01" timestamp="2026-11-19T17:09:28" hostname="ci"></testsuite></testsuites>`, false, "pytest, which ends with 5"},
		{`<testsuites name="nextest-run" tests="0" failures="0" errors="0" uuid="928e89c4" timestamp="2026-08-23T15:41:56.194+00:00" time="0.000"></testsuites>`, false, "nextest, which ends with 4"},
		{`<testsuite name="a" tests="0" skipped="0" failures="0" errors="0"/>`, false, "nobody knows of which program"},
	} {
		if got := OfNoTest([]byte(c.text)); got != c.want {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}

// TestSniffSamples holds the sniffer against the samples of all formats.
func TestSniffSamples(t *testing.T) {
	readtest.Sniffed(t, Sniff)
}

// TestCut: what is complete before the cut counts, and the cut is told.
func TestCut(t *testing.T) {
	for _, c := range samples {
		text := sample(t, c.file)
		whole := readText(t, string(text))
		end := bytes.LastIndex(text, []byte("</testsuite"))
		for n := 0; n < end; n += 97 {
			s := readText(t, string(text[:n]))
			if len(s.Trials) > len(whole.Trials) || len(s.Problems) == 0 {
				t.Errorf("%s cut to %d bytes: %d trials, problems %v", c.file, n, len(s.Trials), s.Problems)
			}
			for _, p := range s.Problems {
				if p.Line < 1 || p.Column < 1 {
					t.Errorf("%s cut to %d bytes: %+v", c.file, n, p)
				}
			}
		}
		if s := readText(t, string(text[:end])); len(s.Trials) != len(whole.Trials) {
			t.Errorf("%s cut behind its last testcase: %d trials, want %d", c.file, len(s.Trials), len(whole.Trials))
		}
	}
}

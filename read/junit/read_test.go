package junit

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// at is an instant of a sample.
func at(text string) time.Time {
	when, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return when.UTC()
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

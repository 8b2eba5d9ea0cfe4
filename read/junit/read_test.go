package junit

import (
	"bytes"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

func readText(t testing.TB, text string) *readtest.Sink {
	t.Helper()
	return readtest.Text(t, Read, text)
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
	for _, name := range readtest.Samples(t) {
		text := readtest.Bytes(t, name)
		whole := readText(t, string(text))
		end := bytes.LastIndex(text, []byte("</testsuite"))
		for n := 0; n < end; n += 97 {
			s := readText(t, string(text[:n]))
			if len(s.Trials) > len(whole.Trials) || len(s.Problems) == 0 {
				t.Errorf("%s cut to %d bytes: %d trials, problems %v", name, n, len(s.Trials), s.Problems)
			}
			for _, p := range s.Problems {
				if p.Line < 1 || p.Column < 1 {
					t.Errorf("%s cut to %d bytes: %+v", name, n, p)
				}
			}
		}
		if s := readText(t, string(text[:end])); len(s.Trials) != len(whole.Trials) {
			t.Errorf("%s cut behind its last testcase: %d trials, want %d", name, len(s.Trials), len(whole.Trials))
		}
	}
}

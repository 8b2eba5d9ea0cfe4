package trx

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: counted by hand. A result around rows is no trial, one without an
// outcome did not pass.
func TestSamples(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"mstest_rows.trx": {
			"Shop.Tests.MathTests/Adds": "P", "Shop.Tests.MathTests/Divides": "FP", "Shop.Tests.MathTests/Rows (1,2)": "P", "Shop.Tests.MathTests/Rows (3,4)": "F",
			"Shop.Tests.MathTests/Rows (row 2)": "S", "Shop.Tests.StoreTests/Waits": "F", "Compares": "E", `Shop.Tests.StoreTests/Opens(day: "Mo")`: "F", "Shop.Tests.StoreTests/Unsure": "S",
		},
		"aborted.trx": {"Shop.Tests/A": "P", "[run]": "E"},
	} {
		s := readtest.File(t, Read, "testdata/"+name)
		if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 {
			t.Errorf("%s: got %v %q\nwant %v", name, got, s.Problems, want)
		}
	}
}

func TestFields(t *testing.T) {
	s := readtest.File(t, Read, "testdata/mstest_rows.trx")
	want := envelope.Trial{Key: envelope.Key{Suite: "Shop.Tests.MathTests", Test: "Divides"}, Attempt: envelope.Some[int32](0), Status: envelope.Fail,
		DurationMS: envelope.Some(250.0), StartedAt: time.Date(2026, 3, 2, 9, 0, 2, 0, time.UTC),
		Message: "Assert.AreEqual failed. Expected:<2>. Actual:<3>.\nsecond line",
		Output:  "Assert.AreEqual failed. Expected:<2>. Actual:<3>. \r\nsecond line\n\n   at Shop.Tests.MathTests.Divides() in C:\\src\\MathTests.cs:line 21\n\ndividing\n\nby zero"}
	if diff := cmp.Diff(want, s.Find(t, "Divides", 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for test, want := range map[string]envelope.Trial{
		"Adds":             {Status: envelope.Pass, DurationMS: envelope.Some(1.2345)},
		"Waits":            {Status: envelope.Fail, RawStatus: "Timeout", ErrorClass: envelope.ClassTimeout, DurationMS: envelope.Some(1000.0), Message: "Test 'Waits' exceeded execution timeout period."},
		"Compares":         {Status: envelope.Error, RawStatus: "NotRunnable", ErrorClass: envelope.ClassPreValidation},
		`Opens(day: "Mo")`: {Status: envelope.Fail, DurationMS: envelope.Some(65.4321), Message: "the result has no outcome that is known"},
		"Unsure":           {Status: envelope.Skip, RawStatus: "Inconclusive", Message: "Assert.Inconclusive failed. later"},
		"Rows (3,4)":       {Status: envelope.Fail, DurationMS: envelope.Some(400.0), Message: "3 is not 4"},
	} {
		got := s.Find(t, test, 0)
		got.Key, got.Attempt, got.StartedAt = envelope.Key{}, envelope.Opt[int32]{}, time.Time{}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test, diff)
		}
	}
	if days := s.Find(t, "Divides", 1).DurationMS; days != envelope.Some(93_784_500.0) { // 86,400 + 7,200 + 180 + 4.5 seconds
		t.Error(days)
	}
	if h := s.Headers; len(h) != 1 || h[0].StartedAt != "2026-03-02T09:00:01.5Z" || h[0].ID != "5a1d8c1e-0f9a-4d0a-9c52-0c3a1e7f2b11" {
		t.Errorf("%+v", h)
	}
	gone := readtest.File(t, Read, "testdata/aborted.trx").Find(t, "[run]", 0)
	if gone.ErrorClass != envelope.ClassInfrastructure || gone.Message != "the run was aborted\nThe active Test Run was aborted because the host process exited unexpectedly." {
		t.Errorf("%+v", gone)
	}
}

func TestShapes(t *testing.T) {
	const run = `<TestRun xmlns="x"><Results>`
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{run + `<WebTestResult testName="w" outcome="Passed"/><TestResultAggregation testName="o" outcome="Failed"><InnerResults><UnitTestResult testName="a" outcome="Aborted"/></InnerResults></TestResultAggregation></Results></TestRun>`,
			[]string{"w #0 pass", "a #0 error Aborted"}, nil, "other kinds of results, and an ordered test"},
		{run + `<UnitTestResult outcome="Passed"/></Results></TestRun>`, nil, []string{"malformed-record 1:29"}, "a result without a name"},
		{run + `<UnitTestResult testName="a" outcome="Passed"/><UnitTestResult testName="b" `, []string{"a #0 pass"}, []string{"unreadable-input 1:105"}, "cut: what came before counts"},
		{run + `<UnitTestResult testName="a" outcome="Sideways"/></Results></TestRun>`, []string{"a #0 fail Sideways"}, nil, "a word that nobody knows is no pass"},
		{run + `<UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Aborted"/></TestRun>`, []string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "aborted without a reason"},
		{run + `<UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Timeout"/></TestRun>`, []string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "the run took too long (TestOutcome.cs of vstest has the words)"},
		{run + `<UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="InProgress"/></TestRun>`, []string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "the run goes on, or died"},
		{run + `<UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="NotRunnable"/></TestRun>`, []string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "the run could not be made"},
		{run + `<UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Warning"/></TestRun>`, []string{"a #0 pass"}, nil, "a warning is no failure"},
		{run + `<UnitTestResult testName="a" outcome="Passed"/><UnitTestResult testName="a" outcome="Aborted"/></Results></TestRun>`, []string{"a #0 pass", "a #1 error Aborted"}, nil, "a repeat that was aborted counts"},
		{run + `<UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Failed"><RunInfos><RunInfo outcome="Error"><Text>An exception occurred while invoking executor 'executor://nunit3testexecutor/': Unexpected Word 'on' at position 43 in selection expression.</Text></RunInfo></RunInfos></ResultSummary></TestRun>`,
			[]string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "an adapter that could not begin"},
		{run + `<UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Failed"><RunInfos><RunInfo outcome="Error"><Text>Exit code indicates failure: '9'.</Text></RunInfo></RunInfos></ResultSummary></TestRun>`,
			[]string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "fewer tests than Microsoft.Testing.Platform was told to expect"},
		{run + `<UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Failed"/></TestRun>`, []string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "failed without a word"},
		{run + `<UnitTestResult testName="a" outcome="Failed"/></Results><ResultSummary outcome="Failed"><RunInfos><RunInfo outcome="Error"><Text>[xUnit.net 00:00:00.74]     a [FAIL]</Text></RunInfo></RunInfos></ResultSummary></TestRun>`,
			[]string{"a #0 fail"}, nil, "what xunit's adapter says of a result that failed"},
		{run + `<UnitTestResult testName="a" outcome="Failed"/></Results><ResultSummary outcome="Failed"><RunInfos><RunInfo outcome="Error"><Text>[xUnit.net 00:00:00.50]     Tests: Catastrophic failure: System.BadImageFormatException</Text></RunInfo></RunInfos></ResultSummary></TestRun>`,
			[]string{"a #0 fail", "[run] #0 error infrastructure"}, nil, "a catastrophe beside a result that failed"},
		{`<TestRun runUser="tribunal 1-6a488a1f86f054df"><Results><UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Failed"/></TestRun>`, []string{"a #0 pass"}, nil, "our own, which failed by its gate"},
		{`<TestRun runUser="tribunal 1-6a488a1f86f054df"><Times start="0001-01-01T00:00:00.0000000Z"/><Results><UnitTestResult testName="a" outcome="Failed"><Output><ErrorInfo><Message>error: no trial counts</Message><StackTrace>at a in a.py:line 3</StackTrace></ErrorInfo></Output></UnitTestResult></Results></TestRun>`,
			[]string{"a #0 error"}, nil, "our own, of a test that errored, and of a time that nobody knows"},
		{`<a/>`, nil, []string{"unreadable-input 1:1"}, "another root"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

// TestOfNoTest: what vstest's TrxLogger writes of a project in which a filter found no test,
// for which dotnet test ends with 0, beside files of runs that broke.
func TestOfNoTest(t *testing.T) {
	const text = `<?xml version="1.0" encoding="utf-8"?>
<TestRun id="1" name="a@ci 2026-11-19" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
  <Times creation="2026-11-19T17:09:28.1+00:00" />
  <TestLists><TestList name="Results Not in a List" id="8c84fa94" /></TestLists>
  <ResultSummary outcome="Completed">
    <Counters total="0" executed="0" passed="0" failed="0" error="0" timeout="0" aborted="0" />
    <RunInfos>
      <RunInfo computerName="ci" outcome="Warning" timestamp="2026-11-19T17:09:28.4+00:00">
        <Text>No test matches the given testcase filter ` + "`Category=Slow`" + ` in /src/A.Tests.dll</Text>
      </RunInfo>
    </RunInfos>
  </ResultSummary>
</TestRun>`
	for _, c := range []struct {
		text   string
		want   bool
		reason string
	}{
		{text, true, "the filter left none"},
		{strings.Replace(text, "    <RunInfos>", "    <Output>\n      <StdOut>Discovering: A</StdOut>\n    </Output>\n    <RunInfos>", 1), true, "and the runner printed something"},
		{strings.Replace(text, `"Completed"`, `"Failed"`, 1), false, "the run failed"},
		{strings.Replace(text, `"Warning"`, `"Error"`, 1), false, "an error"},
		{strings.Replace(text, "</RunInfo>\n", "</RunInfo>\n<RunInfo outcome=\"Error\"><Text>crashed</Text></RunInfo>\n", 1), false, "an error beside it"},
		{strings.Replace(text, "No test matches the given testcase filter", "No test is available in", 1), false, "no adapter: the tests are there and none was found"},
		{strings.Replace(text, `total="0"`, `total="2"`, 1), false, "counts tests"},
		{strings.TrimSuffix(text, "</TestRun>"), false, "cut off"},
	} {
		if got := OfNoTest([]byte(c.text)); got != c.want {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzTRX(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `<TestRun><Results><UnitTestResult testName="a"/></Results></TestRun>`)
}

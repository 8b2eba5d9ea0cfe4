package trx

import (
	"strings"
	"testing"
)

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

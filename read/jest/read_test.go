package jest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestJest: its counts say 3 failed, 3 passed, 1 pending, 1 todo, and one file
// that does not load; invocations are 1, 3, 3, 3, 1, 1, 1, 3.
func TestJest(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_jest_retryTimes2.json")
	if got, want := s.Counts(), "9 tests, 17 trials: 3 pass, 11 fail, 1 error, 2 skip, 8 retries"; got != want || len(s.Problems) > 0 {
		t.Errorf("got %s %q, want %s", got, s.Told(), want)
	}
	if got := s.Headers; !reflect.DeepEqual(got, []envelope.Header{{StartedAt: "2026-11-21T10:30:49.831Z"}}) {
		t.Errorf("%+v", got)
	}
	const suite = "/home/dev/shop/flaky.test.js"
	for _, want := range []envelope.Trial{
		{Key: envelope.Key{Suite: suite, Test: "agent › fails twice then passes"}, Attempt: envelope.Some[int32](1), Status: envelope.Fail, RawStatus: "failed", Retry: true,
			Message: "Error: expect(received).toBe(expected) // Object.is equality\nExpected: 3\nReceived: 2", File: suite, Line: 5},
		{Key: envelope.Key{Suite: suite, Test: "agent › fails twice then passes"}, Attempt: envelope.Some[int32](2), Status: envelope.Pass, RawStatus: "passed", Retry: true,
			DurationMS: envelope.Some(0.0), File: suite, Line: 5},
		{Key: envelope.Key{Suite: suite, Test: "agent › todo case"}, Attempt: envelope.Some[int32](0), Status: envelope.Skip, RawStatus: "todo", File: suite, Line: 9},
	} {
		got := s.Find(t, want.Test, want.Attempt.V)
		if got.Output = ""; !reflect.DeepEqual(got, want) {
			t.Errorf("got %#v\nwant %#v", got, want)
		}
	}
	if got := s.Find(t, "agent › times out", 2); got.ErrorClass != "timeout" || got.DurationMS.V != 201 {
		t.Errorf("%#v", got)
	}
	if got := s.Find(t, "[file]", 0); got.Suite != "/home/dev/shop/broken.test.js" || got.ErrorClass != "pre-validation" || !strings.HasPrefix(got.Message, "Cannot find module './does-not-exist' from 'broken.test.js'") {
		t.Errorf("%#v", got)
	}
}

// TestVitest: its counts say 2 passed, 3 failed, 1 pending, 1 todo; one of the
// passed has the messages of two failed tries.
func TestVitest(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_vitest_retry_repeats.json")
	const suite = "/home/dev/shop/flaky.test.js/agent > "
	want := []string{
		suite + "always passes #0 pass passed",
		suite + "fails twice then passes #0 fail failed", suite + "fails twice then passes #1 fail failed retry", suite + "fails twice then passes #2 pass passed retry",
		suite + "always fails with retry #0 fail failed", suite + "repeats 4, third fails #0 fail failed", suite + "times out #0 fail failed",
		suite + "skipped #0 skip skipped", suite + "todo case #0 skip todo",
	}
	if got := s.Lines(); !slices.Equal(got, want) || len(s.Problems) != 1 || s.Problems[0].Code != envelope.CodeRetriesLost {
		t.Errorf("got %q %q\nwant %q", got, s.Told(), want)
	}
	if got := s.Find(t, "agent > fails twice then passes", 2); got.DurationMS.V < 6.3 || got.DurationMS.V > 6.4 {
		t.Errorf("%#v", got)
	}
}

func report(tests ...string) string {
	return `{"numTotalTests":1,"numTotalTestSuites":1,"testResults":[{"name":"a.js","status":"passed","assertionResults":[` + strings.Join(tests, ",") + `]}]}`
}

func TestShapes(t *testing.T) {
	cases := []struct {
		text   string
		want   []string
		told   []string
		reason string
	}{
		{report(`{"title":"t","status":"passed"}`, `{"title":"t","status":"failed"}`), []string{"a.js/t #0 pass passed", "a.js/t #1 fail failed"}, nil, "one name twice: two attempts, no retry"},
		{report(`{"title":"t","status":"passed","invocations":3}`), []string{"a.js/t #0 fail failed", "a.js/t #1 fail failed retry", "a.js/t #2 pass passed retry"}, nil, "Jest without reasons: the tries are known all the same"},
		{report(`{"title":"t","status":"failed","invocations":1,"failureMessages":["a","b"]}`), []string{"a.js/t #0 fail failed"}, nil, "Jest: two messages of one try"},
		{report(`{"title":"t","status":"passed","invocations":2000000000}`)[:60], nil, []string{"unreadable-input 1:58"}, "cut"},
		{report(`{"fullName":"x t","status":"passed","location":null,"duration":null}`), []string{"a.js/x t #0 pass passed"}, nil, "no title"},
		{report(`{"title":"t","status":"focused"}`, `{"title":"","status":"passed"}`), nil, []string{"malformed-record 1:58", "malformed-record 1:58"}, "no status, no name"},
		{report(`{"title":"t","status":"passed","duration":"x"}`), []string{"a.js/t #0 pass passed"}, []string{"ignored-field 1:155"}, "a duration that is none"},
		{`{"testResults":[{"name":"a.js","status":"failed","message":"afterAll broke","assertionResults":[{"title":"t","status":"passed"}]}]}`, []string{"a.js/t #0 pass passed", "a.js/[file] #0 error failed"}, nil, "the file failed and no test did"},
		{`{"testResults":[{"name":"a.js","status":"failed","assertionResults":[]}]}`, []string{"a.js/[file] #0 error failed pre-validation"}, nil, "a file that does not load"},
		{`{"testResults":[7,{"name":"a.js"}],"startTime":"x"}`, nil, []string{"ignored-field 1:17", "ignored-field 1:50"}, "files that are none"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

// TestFlakyBesideTheRun: a test that passed when it was tried again does not say why Jest
// calls the run no success, as of a limit of coverage that was not kept: it ends with 1.
func TestFlakyBesideTheRun(t *testing.T) {
	const flaky = `"numTotalTestSuites":1,"numTotalTests":1,"testResults":[{"name":"a.js","status":"passed","message":"",
		"assertionResults":[{"ancestorTitles":[],"title":"a","status":"passed","invocations":2,"retryReasons":["Error: x"]}]}]}`
	for success, want := range map[string][]string{
		"true":  {"a.js/a #0 fail failed", "a.js/a #1 pass passed retry"},
		"false": {"a.js/a #0 fail failed", "a.js/a #1 pass passed retry", "[run] #0 error infrastructure"},
	} {
		if s := readtest.Text(t, Read, `{"success":`+success+`,`+flaky); !slices.Equal(s.Lines(), want) {
			t.Errorf("success %s: got %q %q, want %q", success, s.Lines(), s.Told(), want)
		}
	}
}

// TestBothNames: a file that has the names of --json counts by those, whatever else it has.
func TestBothNames(t *testing.T) {
	s := readtest.Text(t, Read, `{"numTotalTestSuites":1,"numTotalTests":1,"success":true,"testResults":[{"name":"a.js","testFilePath":"/w/a.js","status":"passed","message":"",
		"assertionResults":[{"ancestorTitles":[],"title":"a","status":"passed"}]}]}`)
	if got := s.Lines(); !slices.Equal(got, []string{"a.js/a #0 pass passed"}) {
		t.Errorf("got %q %q", got, s.Told())
	}
}

// TestGivenToReporters: the shape of AggregatedResult in @jest/test-result 28, which reporters
// are given, and of which public repositories have files. Its counts say 2 passed, 1 failed
// and one file that does not load.
func TestGivenToReporters(t *testing.T) {
	s := readtest.Text(t, Read, `{"numFailedTestSuites":2,"numFailedTests":1,"numPassedTests":2,"numRuntimeErrorTestSuites":1,"numTotalTestSuites":3,"numTotalTests":3,"success":false,"testResults":[
		{"leaks":false,"numFailingTests":1,"numPassingTests":1,"perfStats":{"end":9,"runtime":8,"slow":false,"start":1},"testFilePath":"/w/a.spec.ts","failureMessage":"● A › b\n\nboom","testResults":[
			{"ancestorTitles":["A"],"duration":5,"failureDetails":[],"failureMessages":[],"fullName":"A a","invocations":1,"location":null,"numPassingAsserts":0,"status":"passed","title":"a"},
			{"ancestorTitles":["A"],"duration":7,"failureMessages":["boom"],"fullName":"A b","invocations":1,"location":null,"numPassingAsserts":0,"status":"failed","title":"b"}]},
		{"numFailingTests":0,"testExecError":{"message":"Cannot find module"},"failureMessage":"● Test suite failed to run\n\nCannot find module","testFilePath":"/w/b.spec.ts","testResults":[]},
		{"numFailingTests":0,"testFilePath":"/w/c.spec.ts","failureMessage":null,"testResults":[
			{"ancestorTitles":[],"duration":1,"failureMessages":[],"fullName":"c","status":"passed","title":"c"}]}]}`)
	want := []string{"/w/a.spec.ts/A › a #0 pass passed", "/w/a.spec.ts/A › b #0 fail failed", "/w/b.spec.ts/[file] #0 error failed pre-validation", "/w/c.spec.ts/c #0 pass passed"}
	if got := s.Lines(); !slices.Equal(got, want) || len(s.Problems) > 0 {
		t.Errorf("got %q %q\nwant %q", got, s.Told(), want)
	}
}

func TestHostileTriesAreBounded(t *testing.T) {
	if s := readtest.Text(t, Read, report(`{"title":"t","status":"passed","invocations":2000000000}`)); len(s.Trials) != maxTries+1 {
		t.Errorf("%d trials", len(s.Trials))
	}
}

func TestMeta(t *testing.T) {
	got := readtest.Text(t, Read, report(`{"title":"t","status":"passed","meta":{"score":0.5,"seed":3,"b":{"x":1}}}`)).Trials[0]
	if got.Score != envelope.Some(0.5) || fmt.Sprint(got.Labels) != "[{seed 3}]" {
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
		{`{"numFailedTestSuites":2,"numTotalTestSuites":2,"numTotalTests":8,"openHandles":[],"snap`, true, "Jest, cut"},
		{`{"numTotalTestSuites":2,"numTotalTests":7,"testResults":[{"ass`, true, "Vitest, cut"},
		{`{"numTotalTests":7}`, false, "anybody's count"},
		{`[{"numTotalTestSuites":2,"numTotalTests":7}]`, false, "an array"},
		{``, false, "nothing"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzJest(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, report(`{"title":"t","status":"passed","invocations":3,"failureMessages":["x"]}`))
}

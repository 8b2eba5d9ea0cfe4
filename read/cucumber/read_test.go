package cucumber

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// The counts are those of grep over testCaseStarted and of the steps by hand.
func TestSamples(t *testing.T) {
	cases := []struct{ file, counts, reason string }{
		{"cck__retry.ndjson", "4 tests, 9 trials: 3 pass, 6 fail, 0 error, 0 skip, 5 retries", "attempts are trials, and retries"},
		{"cck__all-statuses.ndjson", "6 tests, 6 trials: 1 pass, 1 fail, 2 error, 2 skip, 0 retries", "undefined and ambiguous are errors, pending and skipped skips"},
		{"cck__examples-tables.ndjson", "7 tests, 7 trials: 5 pass, 2 fail, 0 error, 0 skip, 0 retries", "rows of an outline are tests of their own"},
	}
	if len(cases) != len(readtest.Samples(t)) {
		t.Errorf("%d cases for %q", len(cases), readtest.Samples(t))
	}
	for _, c := range cases {
		s := readtest.File(t, Read, "testdata/"+c.file)
		if got := s.Counts(); got != c.counts || len(s.Problems) > 0 {
			t.Errorf("%s: got %s %q, want %s: %s", c.file, got, s.Told(), c.counts, c.reason)
		}
		want := envelope.Header{ID: "154666429", Commit: "99684bcacf01d95875834d87903dcb072306c9ad", StartedAt: "1970-01-01T00:00:00Z"}
		if !reflect.DeepEqual(s.Headers, []envelope.Header{want}) {
			t.Errorf("%+v", s.Headers)
		}
	}
}

// TestFields compares a whole trial with what stands in the file.
func TestFields(t *testing.T) {
	s := readtest.File(t, Read, "testdata/cck__retry.ndjson")
	want := envelope.Trial{
		Key:     envelope.Key{Suite: "samples/retry/retry.feature", Test: "Test cases won't retry after failing more than the --retry limit"},
		Attempt: envelope.Some[int32](2), Status: envelope.Fail, RawStatus: "FAILED", Retry: true, DurationMS: envelope.Some(3.0),
		Message: "Exception in step", Output: "Exception in step", File: "samples/retry/retry.feature", Line: 17, StartedAt: time.Unix(0, 33e6).UTC(),
	}
	if got := s.Find(t, want.Test, 2); !reflect.DeepEqual(readtest.Outside(got)[0], want) {
		t.Errorf("got %#v\nwant %#v", got, want)
	}
	s = readtest.File(t, Read, "testdata/cck__examples-tables.ndjson")
	if got := s.Find(t, "Eating cucumbers (example 3)", 0); got.Line != 25 || got.Message != "Expected values to be strictly equal:\n-8 !== 0" || !reflect.DeepEqual(got.Labels, []envelope.Label{{Name: "tags", Value: "@failing"}}) {
		t.Errorf("%#v", got)
	}
}

const (
	head = `{"gherkinDocument":{"feature":{"children":[{"rule":{"children":[{"scenario":{"id":"s","location":{"line":4},"examples":[{"tableBody":[{"id":"r1","location":{"line":7}},{"id":"r2","location":{"line":8}}]}]}}]}}]}}}
{"pickle":{"id":"p1","uri":"a.feature","name":"n","astNodeIds":["s","r1"],"steps":[{"id":"t","text":"a step"}]}}
{"pickle":{"id":"p2","uri":"a.feature","name":"n","astNodeIds":["s","r2"]}}
{"testRunStarted":{"timestamp":{"seconds":"5","nanos":0}}}
{"testCase":{"id":"c1","pickleId":"p1","testSteps":[{"id":"u","pickleStepId":"t"}]}}
{"testCase":{"id":"c2","pickleId":"p2"}}
`
	begin   = `{"testCaseStarted":{"id":"x","testCaseId":"c1","attempt":0}}` + "\n"
	finish  = `{"testCaseFinished":{"testCaseStartedId":"x"}}` + "\n"
	started = `{"testRunStarted":{"timestamp":{"seconds":1,"nanos":0}}}` + "\n"
	done    = `{"testRunFinished":{"success":true}}` + "\n"
)

func step(status string) string {
	return `{"testStepFinished":{"testCaseStartedId":"x","testStepId":"u","testStepResult":{"status":"` + status + `"}}}` + "\n"
}

func TestShapes(t *testing.T) {
	cases := []struct {
		text   string
		want   []string
		told   []string
		reason string
	}{
		{head + begin + step("PASSED") + finish + done, []string{"a.feature/n (example 1) #0 pass PASSED"}, nil, "places of rows by the nodes of the feature, before version 33"},
		{head + begin + step("PASSED") + finish + begin + step("FAILED") + finish + done, []string{"a.feature/n (example 1) #0 pass PASSED", "a.feature/n (example 1) #1 fail FAILED"}, nil, "two runs in a stream: both say attempt 0, and are no retries"},
		{head + begin + finish + done, []string{"a.feature/n (example 1) #0 skip empty-run"}, nil, "no step ran"},
		{head + begin + step("PASSED") + done, []string{"a.feature/n (example 1) #0 error infrastructure"}, nil, "an attempt whose end was lost: the run passed"},
		{head + begin + step("PASSED") + strings.Replace(done, "true", "false", 1), []string{"a.feature/n (example 1) #0 error crash"}, nil, "the run failed: its process died in the attempt"},
		{head + begin + step("PASSED"), []string{"a.feature/n (example 1) #0 error infrastructure"}, []string{"truncated-line 8:1"}, "only the stream ends: nobody knows"},
		{head + begin + step("PASSED") + started + begin + step("PASSED") + finish + done, []string{"a.feature/n (example 1) #0 error crash", "a.feature/n (example 1) #1 pass PASSED"}, []string{"truncated-line 9:1"}, "the next run begins: the process of this one died"},
		{head + begin + step("PASSED") + finish, []string{"a.feature/n (example 1) #0 pass PASSED"}, []string{"truncated-line 9:1"}, "the run never ended: later trials are missing"},
		{head + begin + `{"testStepFin`, []string{"a.feature/n (example 1) #0 error infrastructure"}, []string{"truncated-line 8:13", "truncated-line 8:1"}, "cut in a line"},
		{head + begin + "oops\n" + step("PASSED") + finish + done, []string{"a.feature/n (example 1) #0 pass PASSED"}, []string{"noise 8:1"}, "a line that is no message"},
		{head + begin + step(`PASSED","duration":"x`) + finish + done, []string{"a.feature/n (example 1) #0 pass PASSED"}, nil, "fields that are not needed may be anything"},
		{head + begin + strings.Replace(step("PASSED"), `"PASSED"`, `7`, 1) + finish + done, []string{"a.feature/n (example 1) #0 error unknown"}, []string{"ignored-field 8:90"}, "a status that is a number"},
		{strings.ReplaceAll(head, `"name":"n"`, `"name":""`) + begin + step("PASSED") + finish + done, []string{"a.feature/(line 7) #0 pass PASSED"}, nil, "cucumber-js 12.9.0 of `Scenario Outline:` without a name, which Gherkin allows"},
		{`{"pickle":{"id":"p1","uri":"a.feature","name":""}}` + "\n" + `{"testCase":{"id":"c1","pickleId":"p1"}}` + "\n" + begin, nil, []string{"malformed-record 3:1"}, "neither name nor line"},
		{`{"testCase":{"id":"c","pickleId":"p"}}` + "\n" + begin, nil, []string{"malformed-record 1:1", "malformed-record 2:1"}, "nothing of what these speak of was there"},
		{`{"parseError":{"source":{"uri":"b.feature","location":{"line":3}},"message":"(3:1): expected\nmore"}}`, []string{"b.feature/[file] #0 error pre-validation"}, nil, "a feature that cannot be parsed"},
		{head + `{"testRunHookFinished":{"result":{"status":"FAILED","message":"no database"}}}` + "\n" + done, []string{"[run] #0 error FAILED pre-validation"}, nil, "the setup of the run failed"},
		{head + begin + step("PASSED") + finish + `{"testRunHookFinished":{"result":{"status":"FAILED"}}}` + "\n" + done, []string{"a.feature/n (example 1) #0 pass PASSED", "[run] #0 error FAILED"}, nil, "the end of the run failed"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestUndefinedStepsAndLogs(t *testing.T) {
	log := `{"attachment":{"testCaseStartedId":"x","body":"hello","contentEncoding":"IDENTITY","mediaType":"text/x.cucumber.log+plain"}}` + "\n"
	got := readtest.Text(t, Read, head+begin+log+step("UNDEFINED")+finish+done).Trials[0]
	if got.Message != "undefined: a step" || got.Output != "hello" || got.Line != 7 || got.DurationMS.OK || !got.StartedAt.IsZero() {
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
		{`{"meta":{"protocolVersion":"33`, true, "cut in the first line"},
		{`{"source":{"data":"Feature: x`, true, "no meta"},
		{`{"meta":{"page":1}}`, false, "anybody's meta"},
		{`{"source":"x","target":"y"}`, false, "two members"},
		{`[{"uri":"a.feature","elements":[]}]`, false, "the legacy format"},
		{``, false, "nothing"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzCucumber(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, head+begin+step("FAILED")+finish+done, head+begin)
}

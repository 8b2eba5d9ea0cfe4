package terminalbench

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestRun(t *testing.T) {
	s := readtest.File(t, Read, "testdata/run.json")
	const run = "2025-07-11__19-17-39"
	hello, build := envelope.Key{Test: "hello.world"}, envelope.Key{Test: "build"}
	want := []envelope.Trial{
		{Key: hello, Attempt: envelope.Some[int32](0), Run: run, Status: envelope.Pass, DurationMS: envelope.Some(30500.0), Tokens: envelope.Some[int64](120), StartedAt: time.Date(2025, 7, 11, 19, 17, 40, 0, time.UTC)},
		{Key: hello, Attempt: envelope.Some[int32](1), Run: run, Status: envelope.Pass, RawStatus: "agent_timeout", ErrorClass: "timeout"},
		{Key: build, Attempt: envelope.Some[int32](0), Run: run, Status: envelope.Fail, DurationMS: envelope.Some(1000.0), Message: "failed: test_b, test_c"},
		{Key: build, Attempt: envelope.Some[int32](1), Run: run, Status: envelope.Error, RawStatus: "parse_error", ErrorClass: "infrastructure", Message: "parse_error"},
	}
	for i := range s.Trials {
		s.Trials[i].StartedAt = s.Trials[i].StartedAt.UTC()
		want[i].StartedAt = want[i].StartedAt.UTC()
	}
	if !reflect.DeepEqual(s.Trials, want) || len(s.Problems) != 0 || s.Headers[0].ID != "5c1f" {
		t.Errorf("\n got %#v\nwant %#v\n%v %v", s.Trials, want, s.Problems, s.Headers)
	}
	// The file of the trial says the same, so that both together count once.
	if one := readtest.File(t, Read, "testdata/trial.json"); len(one.Trials) != 1 || !reflect.DeepEqual(one.Trials[0], s.Trials[1]) {
		t.Errorf("%#v", one.Trials)
	}
}

func TestShapes(t *testing.T) {
	cases := []struct {
		trial, line string
		told        []string
		reason      string
	}{
		{`{"task_id":"t","is_resolved":false,"failure_mode":"test_timeout"}`, "t #0 fail test_timeout timeout", nil, "no name: by order"},
		{`{"task_id":"t","is_resolved":true,"trial_name":"t.1-of-1.3-of-5"}`, "t #2 pass", nil, "the last i-of-n counts"},
		{`{"task_id":"t","is_resolved":false,"failure_mode":"agent_installation_failed"}`, "t #0 fail agent_installation_failed infrastructure", nil, "an agent that was never there"},
		{`{"task_id":"t","is_resolved":false,"failure_mode":"context_length_exceeded"}`, "t #0 fail context_length_exceeded", nil, "the agent's own failure"},
		{`{"task_id":"t","is_resolved":true,"trial_name":"t.0-of-5","total_input_tokens":"x"}`, "t #0 pass", []string{"ignored-field 1:13"}, "numbers that are none"},
		{`{"task_id":"t","is_resolved":"yes"}`, "t #0 error", []string{"ignored-field 1:13"}, "a word nobody knows is told, and no verdict"},
		{`{"task_id":"t"}`, "", []string{"malformed-record 1:13"}, "nothing said"},
		{`{"is_resolved":true}`, "", []string{"malformed-record 1:13"}, "no task"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, `{"results":[`+c.trial+`]}`)
		var lines []string
		if c.line != "" {
			lines = []string{c.line}
		}
		if !slices.Equal(s.Lines(), lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v", c.reason, s.Lines(), s.Told(), s.Problems)
		}
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"results": [ {"id":"x","trial_name":"a.1-of-1","task_id":"a","instruction":"`, true, "cut in the first trial"},
		{`{"results":[],"n_resolved":0,"resolved_ids":[]}`, true, "a run without trials"},
		{`{"results":{"tool":{},"tests":[]}}`, false, "CTRF"},
		{`{"evalId":"x","results":{"results":[{"testIdx":0}]}}`, false, "promptfoo"},
		{`{"results":[{"name":"a","status":"pass"}]}`, false, "results of anything"},
		{`{"task_name":"a","trial_name":"a__x","task_id":{}}`, false, "Harbor"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzTerminalBench(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }

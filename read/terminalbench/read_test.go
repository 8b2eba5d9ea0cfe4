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
		{Key: build, Attempt: envelope.Some[int32](1), Run: run, Status: envelope.Error, RawStatus: "parse_error", Message: "parse_error"},
	}
	for i := range s.Trials {
		s.Trials[i].StartedAt = s.Trials[i].StartedAt.UTC()
		want[i].StartedAt = want[i].StartedAt.UTC()
	}
	if !reflect.DeepEqual(readtest.Outside(s.Trials...), want) || len(s.Problems) != 0 || s.Headers[0].ID != "5c1f" {
		t.Errorf("\n got %#v\nwant %#v\n%v %v", s.Trials, want, s.Problems, s.Headers)
	}
	for i, want := range [][]string{{"test_a: pass"}, {"test_a: pass"}, {"test_a: pass", "test_b: fail", "test_c: fail"}, nil} {
		if got := readtest.Checks(s.Trials[i]); !slices.Equal(got, want) {
			t.Errorf("trial %d: %q, want %q", i, got, want)
		}
	}
	odd := readtest.Text(t, Read, `{"results":[{"task_id":"t","is_resolved":true,"parser_results":{"":"failed","a":"odd","b":5,"c":"skipped"}}]}`)
	if got := readtest.Checks(odd.Trials[0]); odd.Trials[0].Status != envelope.Pass || !slices.Equal(got, []string{"test: fail", "c: skip"}) {
		t.Errorf("words that nobody knows are no checks, and none decides: %q", got)
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
		{`{"task_id":"t","is_resolved":false,"failure_mode":"agent_installation_failed"}`, "t #0 fail agent_installation_failed", nil, "judged, so that it counts"},
		{`{"task_id":"t","is_resolved":false,"failure_mode":"context_length_exceeded"}`, "t #0 fail context_length_exceeded", nil, "the agent's own failure"},
		{`{"task_id":"t","is_resolved":false,"failure_mode":"unknown_agent_error"}`, "t #0 fail unknown_agent_error", nil, "is_resolved false is judged, whatever the mode: the leaderboard has 10 such rows"},
		{`{"task_id":"t","is_resolved":false,"failure_mode":"parse_error"}`, "t #0 fail parse_error", nil, "the same"},
		{`{"task_id":"t","is_resolved":null,"failure_mode":"unknown_agent_error"}`, "t #0 error unknown_agent_error", nil, "the agent broke: it counts"},
		{`{"task_id":"t","is_resolved":null,"failure_mode":"agent_timeout"}`, "t #0 error agent_timeout timeout", nil, "the agent took too long"},
		{`{"task_id":"t","is_resolved":null,"failure_mode":"agent_installation_failed"}`, "t #0 error agent_installation_failed infrastructure", nil, "the harness could not install the agent"},
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

// TestIdentity: the file of a job and that of a trial tell one trial by the same
// run and attempt, also where its name has neither.
func TestIdentity(t *testing.T) {
	const run = "2025-07-11__19-17-39"
	for _, c := range []struct{ fields, run, reason string }{
		{`"trial_name":"t.1-of-1.` + run + `","uuid":"u","id":"i"`, run, "the name says it all"},
		{`"trial_name":"t.1-of-1","uuid":"u"`, "u", "a name without a run"},
		{`"trial_name":"t","uuid":"u","recording_path":"r"`, "u", "a name without a number"},
		{`"id":"i","recording_path":"r"`, "i", "no name"},
		{`"recording_path":"` + run + `/t/sessions/agent.cast"`, run + "/t/sessions/agent.cast", "no id"},
		{`"x":1`, "", "nothing: by order"},
	} {
		trial := `{"task_id":"t","is_resolved":true,` + c.fields + `}`
		other := `{"task_id":"t","is_resolved":false,"uuid":"another"}`
		one, job := readtest.Text(t, Read, trial), readtest.Text(t, Read, `{"results":[`+other+`,`+trial+`]}`)
		if got := one.Trials[0]; got.Run != c.run || got.Attempt != envelope.Some[int32](0) || c.run != "" && !reflect.DeepEqual(got, job.Trials[1]) {
			t.Errorf("%s: run %q #%v, in the job %#v", c.reason, got.Run, got.Attempt, job.Trials[1])
		}
	}
}

func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		head string
		want bool
	}{{`{"results":[{"task_id":"t","is_resolved":true`, true}, {`{"id":"x","trial_name":"t","task_id":"t","instruction":"`, false}} {
		if got := Repeats([]byte(c.head)); got != c.want {
			t.Errorf("Repeats(%q) = %v", c.head, got)
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

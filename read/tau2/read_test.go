package tau2

import (
	"reflect"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestSamples(t *testing.T) {
	cases := []struct{ file, counts, reason string }{
		{"voice_testdata.results.json", "0 tests, 0 trials: 0 pass, 0 fail, 0 error, 0 skip, 0 retries", "no simulations in this file"},
		{"both_layouts_inside.json", "2 tests, 4 trials: 1 pass, 2 fail, 1 error, 0 skip, 0 retries", "a pass, a fail, a timeout, max_steps"},
		{"both_layouts_index.json", "1 tests, 2 trials: 1 pass, 0 fail, 1 error, 0 skip, 0 retries", "a pass, an infrastructure error"},
	}
	for _, c := range cases {
		s := readtest.File(t, Read, "testdata/"+c.file)
		if s.Counts() != c.counts || len(s.Problems) != 0 {
			t.Errorf("%s: %s, %v: %s", c.file, s.Counts(), s.Problems, c.reason)
		}
	}
}

func TestFields(t *testing.T) {
	s := readtest.File(t, Read, "testdata/both_layouts_inside.json")
	key := envelope.Key{Suite: "airline", Test: "0", Variant: "gpt-4.1"}
	want := []envelope.Trial{
		{Key: key, Attempt: envelope.Some[int32](0), Status: envelope.Pass, Score: envelope.Some(1.0), DurationMS: envelope.Some(11140.0), CostUSD: envelope.Some(0.0052), ToolCalls: envelope.Some[int32](2), Tokens: envelope.Some[int64](42)},
		{Key: key, Attempt: envelope.Some[int32](1), Status: envelope.Fail, Score: envelope.Some(0.0), DurationMS: envelope.Some(3000.0), ToolCalls: envelope.Some[int32](0), Message: "reward 0: the database differs, no action book"},
	}
	if !reflect.DeepEqual(s.Trials[:2], want) {
		t.Errorf("\n got %#v\nwant %#v", s.Trials[:2], want)
	}
	if timeout := s.Find(t, "1", 0); timeout.Status != envelope.Error || timeout.ErrorClass != "timeout" || timeout.RawStatus != "timeout" || timeout.Score.OK || timeout.ToolCalls.OK || timeout.CostUSD.V != 0.1 {
		t.Errorf("the reward 0 of a timeout is no measurement: %#v", timeout)
	}
	header := envelope.Header{Name: "airline", Commit: "abc123", PlannedTrials: envelope.Some[int64](4), Labels: map[string]string{"agent": "llm_agent", "user_model": "gpt-4.1-mini", "seed": "300"}}
	if !reflect.DeepEqual(s.Headers, []envelope.Header{header}) {
		t.Errorf("%#v", s.Headers)
	}
}

func TestShapes(t *testing.T) {
	const start = `{"info":{},"simulations":[`
	cases := []struct {
		text   string
		lines  []string
		told   []string
		reason string
	}{
		{start + `{"task_id":7,"trial":null,"termination_reason":"user_stop","reward_info":{"reward":1}},{"task_id":7,"reward_info":{"reward":0.9999995}}]}`, []string{"7 #0 pass", "7 #1 pass"}, nil, "no trial number, a reward near 1"},
		{start + `{"task_id":"a","trial":3,"termination_reason":"user_stop","reward_info":null}]}`, []string{"a #3 error unscored pre-validation"}, nil, "never evaluated is neither"},
		{start + `{"task_id":"a","trial":0,"termination_reason":"agent_error","reward_info":{"reward":0}}]}`, []string{"a #0 fail agent_error"}, nil, "the agent broke"},
		{start + `{"task_id":"a","trial":0,"termination_reason":"user_error","reward_info":{"reward":0}}]}`, []string{"a #0 error user_error infrastructure"}, nil, "the simulated user broke"},
		{start + `{"task_id":"a","trial":0,"termination_reason":"new_word","reward_info":{"reward":0}}]}`, []string{"a #0 fail new_word"}, nil, "a reason nobody knows: the reward decides"},
		{start + `{"trial":0},` + "\n" + `{"task_id":"a","trial":-1,"reward":1,"duration":"x"}]}`, []string{"a #0 pass"}, []string{"malformed-record 1:27", "ignored-field 2:1"}, "no task, and numbers that are none"},
		{`{"info":{},"simulation_index":[{"task_id":"a","trial":0,"reward":1}],"simulations":[{"task_id":"a","trial":0,"reward":1}]}`, []string{"a #0 pass"}, nil, "both layouts in one file count once"},
		{`{"simulations":[{"task_id":"a","trial":0,"reward":1}],"info":{}}`, []string{"a #0 pass"}, []string{"unknown-task 1:17"}, "simulations before info"},
		{start + `{"task_id":"a","trial":0,"reward":1}`, []string{"a #0 pass"}, []string{"truncated-line 1:63"}, "cut off"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v, want %q, %q", c.reason, s.Lines(), s.Told(), s.Problems, c.lines, c.told)
		}
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"timestamp":"x","info":{"git_commit":`, true, "cut in info"},
		{`{"timestamp":"x","info":{},"level":"warn"}`, false, "a log line"},
		{`[{"task_id":0,"reward":1,"info":{},"traj":[],"trial":0}]`, false, "tau-bench"},
		{`{"id":"a","task_id":"0","termination_reason":"user_stop","messages":[]}`, false, "one simulation, which does not say its domain"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzTau2(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }

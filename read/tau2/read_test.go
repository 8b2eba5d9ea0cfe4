package tau2

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestSamples(t *testing.T) {
	cases := []struct {
		file, counts string
		told         []string
		reason       string
	}{
		{"voice_testdata.results.json", "0 tests, 0 trials: 0 pass, 0 fail, 0 error, 0 skip, 0 retries", []string{"missing-simulation 1:1"}, "no simulations in this file"},
		{"both_layouts_inside.json", "2 tests, 4 trials: 1 pass, 2 fail, 1 error, 0 skip, 0 retries", nil, "a pass, a fail, a timeout, max_steps"},
		{"both_layouts_index.json", "1 tests, 2 trials: 1 pass, 0 fail, 1 error, 0 skip, 0 retries", nil, "a pass, an infrastructure error"},
	}
	for _, c := range cases {
		s := readtest.File(t, Read, "testdata/"+c.file)
		if s.Counts() != c.counts || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %s, %v: %s", c.file, s.Counts(), s.Problems, c.reason)
		}
	}
}

func TestFields(t *testing.T) {
	s := readtest.File(t, Read, "testdata/both_layouts_inside.json")
	key := envelope.Key{Suite: "airline", Test: "0", Variant: "gpt-4.1"}
	want := []envelope.Trial{
		{Key: key, Attempt: envelope.Some[int32](0), Status: envelope.Pass, Score: envelope.Some(1.0), DurationMS: envelope.Some(11140.0), CostUSD: envelope.Some(0.0052), ToolCalls: envelope.Some[int32](2), Tokens: envelope.Some[int64](42),
			Transcript: []envelope.Turn{{Role: "assistant", Text: "hi", Tokens: envelope.Some[int64](15)}, {Role: "user", ToolCalls: []envelope.ToolCall{{Name: "x"}}}, {Role: "assistant", ToolCalls: []envelope.ToolCall{{Name: "y"}, {Name: "z"}}, Tokens: envelope.Some[int64](27)}}},
		{Key: key, Attempt: envelope.Some[int32](1), Status: envelope.Fail, Score: envelope.Some(0.0), DurationMS: envelope.Some(3000.0), ToolCalls: envelope.Some[int32](0), Message: "reward 0: the database differs, no action book", Transcript: []envelope.Turn{},
			Checks: []envelope.Check{{Name: "database", Status: envelope.Fail}, {Name: "action book", Status: envelope.Fail}, {Name: "says hello", Status: envelope.Pass}}},
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
		{`{"id":"a","task_id":"0","timestamp":"x","start_time":"x","end_time":"x","duration":1.5,"termination_reason":"user_stop","mess`, true, "one simulation, cut behind what tells it"},
		{`{"id":"a","task_id":"0","termination_reason":"user_stop","messages":[]}`, false, "a task of something else"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

const simulation = `{"id":"s","task_id":"7","start_time":"x","end_time":"y","duration":2,"termination_reason":"user_stop","reward_info":{"reward":1},"trial":3}`

// TestPart: the file of a simulation takes domain and model from the results.json
// of its folder, and says so when there is none.
func TestPart(t *testing.T) {
	results := func(text string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	}
	known := envelope.Key{Suite: "retail", Test: "7", Variant: "gpt"}
	for _, c := range []struct {
		folder Folder
		key    envelope.Key
		told   []string
		reason string
	}{
		{Folder{Results: results(`{"timestamp":"x","info":{"agent_info":{"llm":"gpt"},"environment_info":{"domain_name":"retail"}},"tasks":[{`)}, known, nil, "info, and a file that is cut behind it"},
		{Folder{Results: results(`{"tasks":[{"info":1}],"info":{"agent_info":{"llm":"gpt"},"environment_info":{"domain_name":"retail"}}}`)}, known, nil, "info behind the tasks"},
		{Folder{Results: results(`{"timestamp":"x"`)}, envelope.Key{Test: "7"}, []string{"unknown-task 1:1"}, "no info"},
		{Folder{Results: func() (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }}, envelope.Key{Test: "7"}, []string{"unknown-task 1:1"}, "no file"},
		{Folder{}, envelope.Key{Test: "7"}, []string{"unknown-task 1:1"}, "no folder"},
	} {
		s := readtest.Text(t, func(r io.Reader, to envelope.Sink) error { return ReadIn(r, to, c.folder) }, simulation)
		if len(s.Trials) != 1 || s.Trials[0].Key != c.key || s.Trials[0].Attempt.V != 3 || s.Trials[0].Status != envelope.Pass || !slices.Equal(s.Told(), c.told) || len(s.Headers) > 0 {
			t.Errorf("%s: %+v %q %v", c.reason, s.Trials, s.Told(), s.Headers)
		}
	}
}

// TestCounted: what was read from its file is not counted again.
func TestCounted(t *testing.T) {
	read := func(r io.Reader, to envelope.Sink) error {
		return ReadIn(r, to, Folder{Counted: func(name string) bool { return name == "simulations/a.json" }})
	}
	const entries = `[{"id":"a","task_id":"1","trial":0,"reward":1},{"id":"b","task_id":"1","trial":1,"reward":1},{"task_id":"1","trial":2,"reward":0}]}`
	for _, c := range []struct {
		text   string
		told   []string
		reason string
	}{
		{`{"info":{},"simulation_index":` + entries, []string{"missing-simulation 1:1"}, "the index names b, of which there is no file"},
		{`{"info":{},"simulations":` + entries, []string{"duplicate-trials 1:1"}, "all are here, and a is there, too"},
	} {
		s := readtest.Text(t, read, c.text)
		if want := []string{"1 #1 pass", "1 #2 fail"}; !slices.Equal(s.Lines(), want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q %q %v", c.reason, s.Lines(), s.Told(), s.Problems)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzTau2(f *testing.F) { readtest.Fuzz(f, Sniff, Read, simulation) }

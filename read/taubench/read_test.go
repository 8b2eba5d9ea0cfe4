package taubench

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
)

type sink struct {
	trials   []envelope.Trial
	problems []envelope.Problem
}

func (s *sink) Trial(t *envelope.Trial) {
	kept := *t
	kept.Transcript = envelope.CloneTurns(t.Transcript)
	kept.Checks = slices.Clone(t.Checks)
	s.trials = append(s.trials, kept)
}
func (s *sink) Header(envelope.Header, *envelope.Carried) { panic("the files have no header") }
func (s *sink) Recorded(*envelope.Recorded)               { panic("the files are no envelopes") }
func (s *sink) Problem(p envelope.Problem)                { s.problems = append(s.problems, p) }

// told is the problems in short: code and place.
func (s *sink) told() (out []string) {
	for _, p := range s.problems {
		out = append(out, fmt.Sprintf("%s %d:%d", p.Code, p.Line, p.Column))
	}
	return out
}

func readText(t *testing.T, text string) *sink {
	t.Helper()
	s := &sink{}
	if err := Read(strings.NewReader(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

const sample = "../../testdata/streams/tau-bench-gpt-4o-airline.json.gz"

func TestSample(t *testing.T) {
	file, err := os.Open(sample)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{}
	if err := Read(text, s); err != nil {
		t.Fatal(err)
	}
	tests, passed, calls, checks := map[string]int{}, 0, 0, map[string]int{}
	for _, trial := range s.trials {
		for _, c := range trial.Checks {
			kind, _, _ := strings.Cut(c.Name, " ")
			checks[kind+" "+string(c.Status)]++
		}
		tests[trial.Test]++
		calls += int(trial.ToolCalls.V)
		if trial.Status == envelope.Pass {
			passed++
		}
	}
	// 50, 4 and 84 stand in the file's origin; 1164 was counted with encoding/json
	// into plain maps.
	if len(tests) != 50 || len(s.trials) != 200 || passed != 84 || calls != 1164 || len(s.problems) != 0 {
		t.Errorf("%d tests, %d trials, %d passed, %d tool calls, problems %v", len(tests), len(s.trials), passed, calls, s.problems)
	}
	// Counted in the same way: r_actions and, where all was said, the reward; outputs.
	if want := map[string]int{"database pass": 84, "database fail": 101, "says pass": 5, "says fail": 20}; !maps.Equal(checks, want) {
		t.Errorf("checks %v, want %v", checks, want)
	}
	for name, n := range tests {
		if n != 4 {
			t.Errorf("task %s has %d trials", name, n)
		}
	}
}

func TestTrials(t *testing.T) {
	cases := []struct {
		element string
		want    envelope.Trial
		reason  string
	}{
		{`{"task_id":7,"reward":1.0,"info":{},"traj":[],"trial":2}`,
			envelope.Trial{Key: envelope.Key{Test: "7"}, Attempt: envelope.Some[int32](2), Status: envelope.Pass, Score: envelope.Some(1.0), ToolCalls: envelope.Some[int32](0), Transcript: []envelope.Turn{}}, "a pass"},
		{`{"trial":0,"reward":0.0,"task_id":"seven"}`,
			envelope.Trial{Key: envelope.Key{Test: "seven"}, Attempt: envelope.Some[int32](0), Status: envelope.Fail, Score: envelope.Some(0.0), Message: "reward 0"}, "a fail; no conversation, no tool calls known"},
		{`{"task_id":1,"reward":0.9999995}`, envelope.Trial{Key: envelope.Key{Test: "1"}, Status: envelope.Pass, Score: envelope.Some(0.9999995)}, "within the tolerance"},
		{`{"task_id":1,"reward":0.999998}`, envelope.Trial{Key: envelope.Key{Test: "1"}, Status: envelope.Fail, Score: envelope.Some(0.999998), Message: "reward 0.999998"}, "outside the tolerance"},
		{`{"task_id":1,"reward":2}`, envelope.Trial{Key: envelope.Key{Test: "1"}, Status: envelope.Fail, Score: envelope.Some(2.0), Message: "reward 2"}, "too much is no pass either"},
		{`{"task_id":1,"reward":0.0,"info":{"error":"Connection error.\nmore","traceback":"Traceback:\n  x"},"traj":[],"trial":0}`,
			envelope.Trial{Key: envelope.Key{Test: "1"}, Attempt: envelope.Some[int32](0), Status: envelope.Error, ErrorClass: "infrastructure", Message: "Connection error.", Output: "Traceback:\n  x"},
			"the harness gave up: reward and conversation are no measurements"},
		{`{"task_id":1,"info":{"error":""}}`, envelope.Trial{Key: envelope.Key{Test: "1"}, Status: envelope.Error, ErrorClass: "infrastructure", Message: "error without a message"}, "an error that says nothing is one"},
		{`{"task_id":1,"reward":1,"info":{"error":null}}`, envelope.Trial{Key: envelope.Key{Test: "1"}, Status: envelope.Pass, Score: envelope.Some(1.0)}, "an error that is null is none"},
		{`{"task_id":1,"reward":1,"info":null,"traj":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"function":{"name":"g","arguments":"{}"}}]},{"tool_calls":null,"role":"tool","tool_call_id":"c","name":"f","content":"{\"tool_calls\":[1,2,3]}"}],"extra":{"reward":0}}`,
			envelope.Trial{Key: envelope.Key{Test: "1"}, Status: envelope.Pass, Score: envelope.Some(1.0), ToolCalls: envelope.Some[int32](2), Transcript: []envelope.Turn{{Role: "user", Text: "hi"},
				{Role: "assistant", ToolCalls: []envelope.ToolCall{{ID: "c", Name: "f", Arguments: `{"a":1}`}, {Name: "g", Arguments: "{}"}}}, {Role: "tool", ToolCallID: "c", Name: "f", Text: `{"tool_calls":[1,2,3]}`}}}, "tool calls of messages, and of nothing else"},
	}
	for _, c := range cases {
		s := readText(t, "["+c.element+"]")
		if len(s.trials) != 1 || len(s.problems) != 0 || !reflect.DeepEqual(s.trials[0], c.want) {
			t.Errorf("%s: %s\n got %#v, %v\nwant %#v", c.reason, c.element, s.trials, s.problems, c.want)
		}
	}
}

// What a reward was made of is told as tau-bench wrote it, and beside it which calls
// were expected and which made, however their arguments are written.
func TestRewards(t *testing.T) {
	const turns = `"traj":[{"role":"assistant","tool_calls":[{"function":{"name":"look","arguments":"{\"id\":1,\"of\":\"a\\u0062\"}"}}]},{"role":"assistant","tool_calls":[{"function":{"name":"cancel","arguments":"{\"id\": \"HSR\"}"}}]}]`
	expected := func(actions string) string { return `"actions":[` + actions + `]` }
	const look, cancel = `{"name":"look","kwargs":{"of":"ab","id":1.0}}`, `{"name":"cancel","kwargs":{"id":"HSR"}}`
	fail, pass := func(name, why string) envelope.Check {
		return envelope.Check{Name: name, Status: envelope.Fail, Reason: why}
	}, func(name string) envelope.Check { return envelope.Check{Name: name, Status: envelope.Pass} }
	const missed = `expected and not made: cancel(id: "FDZ")`
	cases := []struct {
		reward, info string
		message      string
		checks       []envelope.Check
		reason       string
	}{
		{"0", `{"info":{"r_actions":0.0},` + expected(look+","+cancel+`,{"name":"cancel","kwargs":{"id":"FDZ"}}`) + `}`, "reward 0: the database differs; " + missed, []envelope.Check{fail("database", missed)}, "a call was not made"},
		{"0", `{"info":{"r_actions":0.0},` + expected(look) + `}`, `reward 0: the database differs; made and not expected: cancel(id: "HSR")`, []envelope.Check{fail("database", `made and not expected: cancel(id: "HSR")`)}, "one too many"},
		{"0", `{"info":{"r_actions":0.0},` + expected(cancel+","+look) + `}`, "reward 0: the database differs; every expected call was made, and no other", []envelope.Check{fail("database", "every expected call was made, and no other")}, "in another order"},
		{"1", `{"info":{"r_actions":1.0},` + expected(look) + `}`, "", []envelope.Check{pass("database")}, "a pass says nothing of its calls"},
		{"0", `{"info":{"r_outputs":0.0,"outputs":{"327":false,"12":true}},` + expected(look+","+cancel) + `}`, "reward 0: not met: says 327; every expected call was made, and no other",
			[]envelope.Check{fail("says 327", "every expected call was made, and no other"), pass("says 12")}, "something was not said: nobody wrote of the database"},
		{"0", `{"info":{"r_outputs":1.0,"outputs":{"12":true}}}`, `reward 0: the database differs; made and not expected: look(id: 1, of: "a\u0062"), cancel(id: "HSR")`,
			[]envelope.Check{fail("database", `made and not expected: look(id: 1, of: "a\u0062"), cancel(id: "HSR")`), pass("says 12")}, "all was said, so it is the database"},
		{"0", `null`, "reward 0: the conversation was broken off before it was judged", nil, "tau-bench judges at the end"},
		{"0", `[]`, "reward 0", nil, "no object says nothing"},
	}
	for _, c := range cases {
		s := readText(t, `[{"task_id":1,"reward":`+c.reward+`,"info":{"reward_info":`+c.info+`},`+turns+`},{"task_id":2,"reward":1}]`)
		if len(s.trials) != 2 || s.trials[0].Message != c.message || !slices.Equal(s.trials[0].Checks, c.checks) || len(s.trials[1].Checks) != 0 {
			t.Errorf("%s:\n got %q, %+v\nwant %q, %+v", c.reason, s.trials[0].Message, s.trials[0].Checks, c.message, c.checks)
		}
	}
}

// A file that was made to take long is not compared, and says no more than it knows.
func TestRewardsThatTakeLong(t *testing.T) {
	deep := func(number string) string {
		return strings.Repeat("[", 900) + number + strings.Repeat("]", 900)
	}
	var calls, actions []string
	for i := range 1500 {
		calls = append(calls, fmt.Sprintf(`{"function":{"name":"a","arguments":"{\"x\":%s}"}}`, deep(fmt.Sprint(i, ".0"))))
		actions = append(actions, fmt.Sprintf(`{"name":"a","kwargs":{"x":%s}}`, deep(fmt.Sprint(i+9999))))
	}
	s := readText(t, `[{"task_id":1,"reward":0,"info":{"reward_info":{"info":{"r_actions":0},"actions":[`+strings.Join(actions, ",")+`]}},"traj":[{"role":"assistant","tool_calls":[`+strings.Join(calls, ",")+`]}]}]`)
	if want := "reward 0: the database differs"; len(s.trials) != 1 || s.trials[0].Message != want {
		t.Errorf("%v, want %q", s.trials, want)
	}
}

const good = `{"task_id":1,"reward":1,"trial":0}`

// brokenCases have a good element before and, where one can be reached, behind.
var brokenCases = []struct {
	text   string
	trials int
	told   []string
	reason string
}{
	{"[]", 0, nil, "an empty array"},
	{"[\n" + good + ",\n 5,\n" + good + "\n]\n", 2, []string{"malformed-record 3:2"}, "an element that is no object"},
	{"[" + good + ",\n[[1],{}],\n" + good + "]", 2, []string{"malformed-record 2:1"}, "an element that is an array"},
	{"[" + good + ",\n  {\"reward\":1},\n" + good + "]", 2, []string{"malformed-record 2:3"}, "no task_id"},
	{"[" + good + ",\n{\"task_id\":[1],\"reward\":1}," + good + "]", 2, []string{"malformed-record 2:1"}, "a task_id that is an array"},
	{"[" + good + ",\n{\"task_id\":1,\"reward\":\"1\"}," + good + "]", 2, []string{"malformed-record 2:1"}, "a reward that is a text"},
	{"[" + good + ",\n{\"task_id\":1,\"reward\":1e999}," + good + "]", 2, []string{"malformed-record 2:1"}, "a reward out of range"},
	{"[" + good + ",\n{\"task_id\":1,\"reward\":1,\"trial\":-1}," + good + "]", 2, []string{"malformed-record 2:1"}, "a negative trial"},
	{"[" + good + ",\n{\"task_id\":1,\"reward\":1,\"trial\":1.5}," + good + "]", 2, []string{"malformed-record 2:1"}, "half a trial"},
	{"[" + good + ",\n{\"task_id\":1,\"reward\":1,\"trial\":{}}," + good + "]", 2, []string{"malformed-record 2:1"}, "a trial that is an object"},
	{"[" + good + ",\n" + good, 2, []string{"unreadable-input 2:35"}, "cut off behind an element"},
	{"[" + good + ",\n{\"task_id\":1,\"rew", 1, []string{"unreadable-input 2:18"}, "cut off in an element: the place is where the file ends"},
	{"[" + good + ",\n{\"task_id\":x}]", 1, []string{"unreadable-input 2:12"}, "no JSON from there on"},
	{"[" + good + "\n}", 1, []string{"unreadable-input 2:1"}, "closed by the wrong bracket"},
	{"[" + good + "]\n[]", 1, []string{"unreadable-input 2:2"}, "something behind the array"},
	{"{}", 0, []string{"unreadable-input 1:1"}, "no array"},
	{"", 0, []string{"unreadable-input 1:1"}, "nothing"},
	{"[" + good + ",\n{\"task_id\":1,\"reward\":1,\"traj\":[5,{\"role\":\"user\"},\"x\"]}," + good + "]", 3, []string{"ignored-field 2:32"}, "turns that are no messages: the trial counts"},
	{"[" + good + ",\n{\"task_id\":1,\"reward\":1,\"traj\":{\"a\":1}}," + good + "]", 3, []string{"ignored-field 2:32"}, "a conversation that is none: the trial counts"},
	{"[" + good + ",{\"traj\":" + strings.Repeat("[", 20000), 1, []string{"unreadable-input 1:10046"}, "nested too deep: the place is behind the bracket too much"},
}

func TestBroken(t *testing.T) {
	for _, c := range brokenCases {
		s := readText(t, c.text)
		if len(s.trials) != c.trials || !slices.Equal(s.told(), c.told) {
			t.Errorf("%s:\n got %d trials, %q (%v)\nwant %d trials, %q", c.reason, len(s.trials), s.told(), s.problems, c.trials, c.told)
		}
	}
}

func TestReadErrorKeepsWhatCameBefore(t *testing.T) {
	broken := errors.New("the cable is broken")
	s := &sink{}
	err := Read(io.MultiReader(strings.NewReader("["+good+",{"), iotest.ErrReader(broken)), s)
	if !errors.Is(err, broken) || len(s.trials) != 1 {
		t.Errorf("error %v, %d trials", err, len(s.trials))
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`[{"task_id":0,"reward":1.0,"info":{"task":{"user_id"`, true, "cut in the first element"},
		{"[\n  {\n    \"task_id\": 0,\n    \"reward\": 0.0,\n    \"info\": {", true, "indented"},
		{"[\n  {\n    \"task_id\": 0,", false, "cut too early"},
		{`[{"trial":0,"traj":[],"task_id":"x"}]`, true, "in another order"},
		{`{"task_id":0,"reward":1.0,"info":{}}`, false, "no array"},
		{`[{"uri":"a.feature","elements":[]}]`, false, "Cucumber JSON"},
		{`[{"instance_id":"x","train_trial_index":0,"stats":[]}]`, false, "HELM"},
		{`{"timestamp":"x","info":{},"tasks":[],"simulations":[]}`, false, "tau2-bench"},
		{`[]`, false, "an empty array"},
		{``, false, "nothing"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzTaubench(f *testing.F) {
	for _, c := range brokenCases {
		f.Add([]byte(c.text))
	}
	f.Add([]byte(`[{"task_id":1,"reward":0.0,"info":{"error":"e","traceback":"t"},"traj":[{"tool_calls":[{}]}],"trial":0},{"task_id":"x"}]`))
	f.Add([]byte(`[{"task_id":1,"reward":0,"info":{"reward_info":{"info":{"r_outputs":0,"outputs":{"7":false}},"actions":[{"name":"a","kwargs":{"b":[1,"c"]}}]}},"traj":[{"tool_calls":[{"function":{"name":"a","arguments":"{\"b\":[1.0,\"\\u0063\"]}"}}]}]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		Sniff(text)
		s := readText(t, string(text))
		for _, p := range s.problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" || p.Severity == envelope.SeverityInfo {
				t.Errorf("%+v", p)
			}
		}
		for _, trial := range s.trials {
			if trial.Test == "" || trial.Status == "" || trial.Attempt.V < 0 {
				t.Errorf("%#v", trial)
			}
		}
	})
}

package taubench

import (
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

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
	s := &readtest.Sink{}
	if err := Read(text, s); err != nil {
		t.Fatal(err)
	}
	tests, passed, calls, checks := map[string]int{}, 0, 0, map[string]int{}
	for _, trial := range s.Trials {
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
	if len(tests) != 50 || len(s.Trials) != 200 || passed != 84 || calls != 1164 || len(s.Problems) != 0 {
		t.Errorf("%d tests, %d trials, %d passed, %d tool calls, problems %v", len(tests), len(s.Trials), passed, calls, s.Problems)
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
	s := readtest.Text(t, Read, `[{"task_id":1,"reward":0,"info":{"reward_info":{"info":{"r_actions":0},"actions":[`+strings.Join(actions, ",")+`]}},"traj":[{"role":"assistant","tool_calls":[`+strings.Join(calls, ",")+`]}]}]`)
	if want := "reward 0: the database differs"; len(s.Trials) != 1 || s.Trials[0].Message != want {
		t.Errorf("%v, want %q", s.Trials, want)
	}
}

const good = `{"task_id":1,"reward":1,"trial":0}`

// brokenCases have a good element before and, where one can be reached, behind.
var brokenCases = []struct {
	text     string
	trials   int
	reported []string
	reason   string
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
		s := readtest.Text(t, Read, c.text)
		if len(s.Trials) != c.trials || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s:\n got %d trials, %q (%v)\nwant %d trials, %q", c.reason, len(s.Trials), s.Reported(), s.Problems, c.trials, c.reported)
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
		s := readtest.Text(t, Read, string(text))
		for _, p := range s.Problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" || p.Severity == envelope.SeverityInfo {
				t.Errorf("%+v", p)
			}
		}
		for _, trial := range s.Trials {
			if trial.Test == "" || trial.Status == "" || trial.Attempt.V < 0 {
				t.Errorf("%#v", trial)
			}
		}
	})
}

package promptfoo

import (
	"slices"
	"testing"

	"tribunal/read/internal/readtest"
)

// TestConversations: of the 30 rows 25 were answered; the other five never were.
func TestConversations(t *testing.T) {
	for _, name := range []string{"testdata/gen_repeat6.json", "testdata/gen_repeat6.jsonl"} {
		s, turns := readtest.File(t, Read, name), map[int]int{}
		for _, trial := range s.Trials {
			turns[len(trial.Transcript)]++
		}
		if turns[2] != 25 || turns[1] != 5 {
			t.Errorf("%s: %v", name, turns)
		}
		want := []string{"user: capital of Australia, flaky?", "assistant: I do not know"}
		if got := readtest.Turns(s.Trials[8]); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestTranscript(t *testing.T) {
	cases := []struct {
		row    string
		want   []string
		reason string
	}{
		{`"prompt":{"raw":"[{\"role\":\"system\",\"content\":\"be kind\"},{\"role\":\"user\",\"content\":\"hi\"}]"},"response":{"output":"hello"}`,
			[]string{"system: be kind", "user: hi", "assistant: hello"}, "a prompt of messages is the text of their JSON"},
		{`"prompt":{"raw":" {\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}]}"},"response":{"output":{"a":1}}`, []string{"user: hi", `assistant: {"a":1}`}, "the body of a request, and an answer in JSON"},
		{`"prompt":{"raw":"[1,2] is a list"},"response":{"output":"yes"}`, []string{"user: [1,2] is a list", "assistant: yes"}, "no JSON"},
		{`"prompt":{"raw":"[{\"x\":1}]"},"response":{"output":""}`, []string{`user: [{"x":1}]`, "assistant: "}, "JSON that is no messages, and an answer that says nothing"},
		{`"prompt":{"raw":"weather?"},"response":{"output":[{"id":"c1","type":"function","function":{"name":"get","arguments":"{\"at\":\"Rome\"}"}}]}`,
			[]string{"user: weather?", `assistant:  c1=get({"at":"Rome"})`}, "calls of tools are the answer"},
		{`"prompt":{"raw":"weather?"},"response":{"output":{"role":"assistant","content":"let me see","tool_calls":[{"id":"c1","function":{"name":"get","arguments":"{}"}}]}}`,
			[]string{"user: weather?", `assistant: let me see c1=get({})`}, "a message is the answer"},
		{`"prompt":{"raw":"fix it"},"response":{"output":"done","metadata":{"toolCalls":[{"id":"t1","name":"Bash","input":{"command":"ls"},"output":"a.go","is_error":false},{"toolName":"Read","args":{"n":1},"result":{"ok":true},"is_error":true},{"id":"t3"}]}}`,
			[]string{"user: fix it", `assistant:  t1=Bash({"command":"ls"})`, "tool Bash=t1: a.go", `assistant:  =Read({"n":1})`, `tool Read= failed: {"ok":true}`, "assistant: done"}, "what an agent called on its way"},
		{`"prompt":{"raw":"You sell cakes."},"response":{"output":"User: hi\n---\nAssistant: hello","metadata":{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}],"sessionId":"1"}}`,
			[]string{"system: You sell cakes.", "user: hi", "assistant: hello"}, "a simulated user: the prompt instructs the agent"},
		{`"prompt":{"raw":"hi"},"metadata":{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}`, []string{"user: hi", "assistant: hello"}, "messages that begin with the prompt, in the metadata of the row"},
		{`"prompt":{"raw":"x"},"response":{"output":"b","metadata":{"redteamHistory":[{"prompt":"a","output":"no"},{"prompt":"aa","output":"b"},7]}}`, []string{"user: a", "assistant: no", "user: aa", "assistant: b"}, "the rounds of an attack"},
		{`"prompt":{"raw":"x"},"response":{"output":"b","metadata":{"redteamHistory":[],"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}}`, []string{"user: a", "assistant: b"}, "an attack in messages"},
		{`"prompt":{"raw":"x"},"response":{"output":"b","metadata":{"messages":[],"toolCalls":3}}`, []string{"user: x", "assistant: b"}, "metadata of another kind"},
		{`"prompt":{"raw":"x"},"response":{"error":"503"}`, []string{"user: x"}, "no answer"},
		{`"response":{"output":"b"}`, []string{"assistant: b"}, "no prompt"},
		{`"response":null`, nil, "nothing"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, `{"testIdx":0,"promptIdx":0,"provider":"m","testCase":{"description":"d"},"success":true,`+c.row+`}`)
		if len(s.Trials) != 1 || len(s.Problems) != 0 || !slices.Equal(readtest.Turns(s.Trials[0]), c.want) {
			t.Errorf("%s: %v %v\n got %q\nwant %q", c.reason, s.Lines(), s.Problems, readtest.Turns(s.Trials[0]), c.want)
		}
	}
}

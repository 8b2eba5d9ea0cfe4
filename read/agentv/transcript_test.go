package agentv

import (
	"slices"
	"testing"

	"tribunal/read/internal/readtest"
)

func TestTranscript(t *testing.T) {
	const row = `{"test_id":"t","target":"m","score":1,"execution_status":"ok",`
	cases := []struct {
		text   string
		want   []string
		reason string
	}{
		{row + `"input":[{"role":"user","content":"weather?"}],"output_messages":[{"role":"assistant","content":"let me see","tool_calls":[{"id":"c1","tool":"get","input":{"at":"Rome"},"output":{"sky":"blue"}},{"tool":"log"}]},{"role":"assistant","content":"sunny"}]}`,
			[]string{"user: weather?", `assistant: let me see c1=get({"at":"Rome"}) =log()`, `tool get=c1: {"sky":"blue"}`, "assistant: sunny"}, "calls with their results"},
		{row + `"input":"hi","output":"hello"}`, []string{"user: hi", "assistant: hello"}, "texts"},
		{row + `"outputMessages":[7,{"role":"assistant","content":"hello"}]}`, []string{"assistant: hello"}, "the names of the first generation, and what is no message"},
		{row + `"input":"hi"}`, nil, "no answer"},
		{row + `"aggregation":{},"output":"hello"}`, nil, "a row for several trials"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text+"\n")
		if len(s.Trials) != 1 || s.Trials[0].Status != "pass" || !slices.Equal(readtest.Turns(s.Trials[0]), c.want) {
			t.Errorf("%s: %v %v %q, want %q", c.reason, s.Lines(), s.Problems, readtest.Turns(s.Trials[0]), c.want)
		}
	}
}

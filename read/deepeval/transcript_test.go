package deepeval

import (
	"slices"
	"testing"

	"tribunal/read/internal/readtest"
)

func TestTranscript(t *testing.T) {
	s := readtest.File(t, Read, "testdata/latest_run_full.json")
	for name, want := range map[string][]string{"test_case_0": {"user: Who?", "assistant: Me."}, "test_case_2": {"user: Why?", "assistant: "}} {
		if got := readtest.Turns(s.Find(t, name, 0)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	cases := []struct {
		list, text string
		want       []string
		reason     string
	}{
		{"testCases", `"input":"weather?","actualOutput":"sunny","toolsCalled":[{"name":"get","inputParameters":{"at":"Rome"},"reasoning":"hm","output":{"sky":"blue"}},{"name":"log"},{"output":1}]`,
			[]string{"user: weather?", `assistant:  <hm> =get({"at":"Rome"})`, `tool get=: {"sky":"blue"}`, "assistant:  =log()", "assistant: sunny"}, "tools, one without an output and one without a name"},
		{"conversationalTestCases", `"turns":[{"role":"user","content":"hi","order":0},{"role":"assistant","content":"hello","order":1,"toolsCalled":[{"name":"greet","inputParameters":{}}]},{"order":2}]`,
			[]string{"user: hi", "assistant:  =greet({})", "assistant: hello"}, "a conversation, with a turn that says nothing"},
		{"testCases", `"turns":"none","actualOutput":{"a":1}`, []string{`assistant: {"a":1}`}, "turns that are none, and no input"},
		{"testCases", `"order":0`, nil, "nothing said"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, `{"testRunData":{"`+c.list+`":[{"name":"a","success":true,`+c.text+`}]}}`)
		if len(s.Trials) != 1 || s.Trials[0].Status != "pass" || !slices.Equal(readtest.Turns(s.Trials[0]), c.want) {
			t.Errorf("%s: %v %v %q, want %q", c.reason, s.Lines(), s.Problems, readtest.Turns(s.Trials[0]), c.want)
		}
	}
}

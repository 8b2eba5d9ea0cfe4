package lmeval

import (
	"slices"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

func TestTranscript(t *testing.T) {
	for _, trial := range readtest.File(t, Read, "testdata/samples_math_perturbed.jsonl").Trials {
		if turns := trial.Transcript; len(turns) != 2 || !strings.HasPrefix(turns[0].Text, "Problem: ") || turns[0].Role != "user" || turns[1].Role != "assistant" || turns[1].Text == "" {
			t.Errorf("%s: %q", trial.Test, readtest.Turns(trial))
		}
	}
	cases := []struct {
		row    string
		want   []string
		reason string
	}{
		{`"arguments":[["2+2=",{"until":["\n"]}]],"resps":[["4"]]`, []string{"user: 2+2=", "assistant: 4"}, "arguments as a list, before version 0.4.3"},
		{`"arguments":{"gen_args_0":{"arg_0":"[{\"role\":\"user\",\"content\":\"2+2?\"}]"}},"resps":[["4"]]`, []string{"user: 2+2?", "assistant: 4"}, "messages of a chat"},
		{`"arguments":{},"resps":["4"]`, []string{"assistant: 4"}, "no prompt, and a bare response"},
		{`"arguments":{"gen_args_0":{"arg_0":"a"}},"resps":[["1","2"]]`, nil, "several responses"},
		{`"arguments":{"gen_args_0":{"arg_0":"a","arg_1":" yes"},"gen_args_1":{"arg_0":"a","arg_1":" no"}},"resps":[[["-1.0",true]],[["-2.0",false]]]`, nil, "multiple choice"},
		{`"arguments":{"gen_args_0":{"arg_0":"a"}},"resps":[[["-1.0",true]]]`, nil, "a likelihood"},
		{`"arguments":7,"resps":{}`, nil, "nothing of the kind"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, `{"doc_id":1,"metrics":["acc"],"acc":1.0,`+c.row+"}\n")
		if len(s.Trials) != 1 || s.Trials[0].Status != "pass" || !slices.Equal(readtest.Turns(s.Trials[0]), c.want) {
			t.Errorf("%s: %v %v %q, want %q", c.reason, s.Lines(), s.Problems, readtest.Turns(s.Trials[0]), c.want)
		}
	}
}

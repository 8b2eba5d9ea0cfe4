package conversation

import (
	"reflect"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

func TestPrompt(t *testing.T) {
	hi := []envelope.Turn{{Role: "user", Text: "hi"}}
	cases := []struct {
		text   string
		want   []envelope.Turn
		reason string
	}{
		{`"hi"`, hi, "a text"},
		{`""`, nil, "nothing"},
		{`null`, nil, "nothing at all"},
		{`[{"role":"user","content":"hi"}]`, hi, "messages"},
		{`" [{\"role\":\"user\",\"content\":\"hi\"}]\n"`, hi, "the text of messages"},
		{`"{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}]}"`, hi, "the text of a request"},
		{`"[1] is a list"`, []envelope.Turn{{Role: "user", Text: "[1] is a list"}}, "no JSON"},
		{`"[{\"x\":1}]"`, []envelope.Turn{{Role: "user", Text: `[{"x":1}]`}}, "JSON that is no messages"},
		{`["a","b"]`, []envelope.Turn{{Role: "user", Text: `["a","b"]`}}, "a list of texts"},
		{`{"messages":[]}`, []envelope.Turn{{Role: "user", Text: `{"messages":[]}`}}, "a request without messages"},
	}
	for _, c := range cases {
		if got := Prompt(jsonwalk.Detached("prompt", []byte(c.text))); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.reason, got, c.want)
		}
	}
}

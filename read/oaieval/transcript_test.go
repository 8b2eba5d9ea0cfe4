package oaieval

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestTranscript(t *testing.T) {
	s := readtest.File(t, Read, "testdata/match.jsonl")
	for test, want := range map[string][]string{"test-match.s1.0": {"user: 2+2", "assistant: 4"}, "test-match.s1.1": {"user: x", "assistant: Five"}, "test-match.s1.2": nil} {
		if got := readtest.Turns(s.Find(t, test, 0)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", test, got, want)
		}
	}
	const event = `{"run_id":"r","event_id":1,"sample_id":"a",`
	sampling := func(data string) string { return event + `"type":"sampling","data":{` + data + `}}` + "\n" }
	const right = event + `"type":"match","data":{"correct":true}}` + "\n"
	cases := []struct {
		text   string
		want   [][]string
		reason string
	}{
		{sampling(`"prompt":[{"role":"user","content":"hi"}],"sampled":["hello"]`) + sampling(`"prompt":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"},{"role":"user","content":"bye"}],"sampled":["ciao"]`) + right,
			[][]string{{"user: hi", "assistant: hello", "user: bye", "assistant: ciao"}}, "a conversation that goes on"},
		{sampling(`"prompt":"hi","sampled":["hello"]`) + sampling(`"prompt":"Is hello polite?","sampled":["Y"]`) + right,
			[][]string{{"user: hi", "assistant: hello", "user: Is hello polite?", "assistant: Y"}}, "a model that grades"},
		{sampling(`"prompt":"a","sampled":["1"]`) + right + sampling(`"prompt":"b","sampled":["1","2"]`) + right, [][]string{{"user: a", "assistant: 1"}, {"user: b", `assistant: ["1","2"]`}}, "the sample again"},
		{sampling(`"sampled":[]`) + right, [][]string{{"assistant: []"}}, "nothing sampled"},
		{sampling(`"prompt":{"x":1}`) + event + `"type":"metrics","data":{"score":1}}` + "\n", [][]string{{`user: {"x":1}`}}, "metrics, and a prompt of another kind"},
		{right, [][]string{nil}, "no sampling"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if len(s.Trials) != len(c.want) {
			t.Errorf("%s: %v %v", c.reason, s.Lines(), s.Problems)
			continue
		}
		for i, want := range c.want {
			if got := readtest.Turns(s.Trials[i]); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", c.reason, got, want)
			}
		}
	}
}

// TestHeld: where there is room for them, 52 of 70 conversations of 1,000 bytes and
// 256 for their turn wait for their samples to be judged, and the rest is told once. A
// match makes room.
func TestHeld(t *testing.T) {
	long := strings.Repeat("x", 1000)
	sampling := func(id int) string {
		return fmt.Sprintf(`{"run_id":"r","event_id":1,"sample_id":"%d","type":"sampling","data":{"prompt":"%s"}}`+"\n", id, long)
	}
	var text strings.Builder
	for range 70 {
		text.WriteString(sampling(0) + `{"run_id":"r","event_id":1,"sample_id":"0","type":"match","data":{"correct":true}}` + "\n")
	}
	for i := range 70 {
		text.WriteString(sampling(i + 1))
	}
	s, kept := readtest.Text(t, func(r io.Reader, to envelope.Sink) error { return read(r, to, 52*1256) }, text.String()), 0
	for _, trial := range s.Trials[70:] {
		if trial.Transcript != nil {
			kept++
		}
	}
	if len(s.Trials) != 140 || s.Trials[69].Transcript == nil || kept != 52 || !slices.Equal(s.Told(), []string{"conversations-left-out 193:1"}) {
		t.Errorf("%d trials, %d conversations, %v", len(s.Trials), kept, s.Told())
	}
}

package oaieval

import (
	"reflect"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestSample(t *testing.T) {
	s := readtest.File(t, Read, "testdata/match.jsonl")
	key := func(id string) envelope.Key {
		return envelope.Key{Suite: "test-match.s1.simple-v0", Test: "test-match.s1." + id, Variant: "gpt-3.5-turbo"}
	}
	first := envelope.Some[int32](0)
	want := []envelope.Trial{
		{Key: key("1"), Attempt: first, Status: envelope.Fail, Message: "expected 5, sampled Five", Output: `["Five"]`},
		{Key: key("0"), Attempt: first, Status: envelope.Pass, Tokens: envelope.Some[int64](12)},
		{Key: key("2"), Attempt: first, Status: envelope.Error, ErrorClass: "infrastructure", Message: "APIConnectionError: no route"},
		{Key: key("3"), Attempt: first, Status: envelope.Pass, Score: envelope.Some(1.0)},
	}
	if !reflect.DeepEqual(readtest.Outside(s.Trials...), want) || len(s.Problems) != 0 {
		t.Errorf("\n got %#v\nwant %#v\n%v", s.Trials, want, s.Problems)
	}
	if h := s.Headers[0]; h.Name != "test-match.s1.simple-v0" || h.ID != "230412170403ABCDEFGH" || h.StartedAt != "" {
		t.Errorf("a time without a zone is none: %#v", h)
	}
}

func TestShapes(t *testing.T) {
	const event = `{"run_id":"r","event_id":1,"sample_id":"a",`
	const spec = `{"spec":{"eval_name":"e"}}` + "\n"
	const right, wrong = event + `"type":"match","data":{"correct":true}}` + "\n", event + `"type":"match","data":{"correct":false,"expected":"x","picked":[]}}` + "\n"
	const metrics = event + `"type":"metrics","data":{"accuracy":0.0,"f1_score":0.0}}` + "\n"
	cases := []struct {
		text        string
		lines, told []string
		reason      string
	}{
		{event + `"type":"sampling","data":{}}`, []string{"a #0 error unscored pre-validation"}, nil, "sampled, never judged"},
		{event + `"type":"error","data":{"type":"Timeout"}}` + "\n" + event + `"type":"match","data":{"correct":true}}`, []string{"a #0 pass"}, nil, "an error that was overcome"},
		{event + `"type":"error","data":{"message":"Request timed out"}}`, []string{"a #0 error timeout"}, nil, "a timeout"},
		{event + `"type":"match","data":{"correct":true}}` + "\n" + event + `"type":"match","data":{"correct":false}}`, []string{"a #0 pass", "a #1 fail"}, nil, "matched twice"},
		{event + `"type":"metrics","data":{"accuracy":0.5}}`, []string{"a #0 fail"}, nil, "half is not right"},
		{wrong + metrics, []string{"a #0 fail"}, nil, "evals 3.0.1, basic/fuzzy_match.py and json_match.py record a match and then metrics of every sample"},
		{metrics + right, []string{"a #0 pass"}, nil, "evals 3.0.1, translate.py records metrics first: the match decides"},
		{spec + right + metrics + spec + wrong + metrics, []string{"e/a #0 pass", "e/a #1 fail"}, nil, "two logs in one file are two runs"},
		{metrics + spec + right, []string{"a #0 fail", "e/a #0 pass"}, nil, "a match of the next log does not decide for the one before"},
		{metrics + metrics, []string{"a #0 fail", "a #1 fail"}, nil, "evals counts every event of metrics (record.py, get_metrics), and so do we where no match is"},
		{event + `"type":"match","data":{"correct":"yes"}}`, []string{"a #0 error unscored pre-validation"}, []string{"ignored-field 1:1"}, "a word is no verdict"},
		{`{"run_id":"r","type":"match"}`, nil, []string{"malformed-record 1:1"}, "no sample"},
		{event + `"ty`, nil, []string{"truncated-line 1:46"}, "cut off"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v", c.reason, s.Lines(), s.Told(), s.Problems)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzOAIEval(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }

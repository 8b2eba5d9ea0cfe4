package inspect

import (
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestScorersOfSamples(t *testing.T) {
	for file, want := range map[string][]string{
		"log_streaming.eval": {"match: fail 0", "match: pass 1 (Yes.)", "match: pass 1 (No.)", "match: pass 1 (No)"},
		"cancelled.json":     {"match: pass 1 (Yes)", "match: pass 1 (No)", "match: fail 0 (No)"},
		"pubmedqa.json":      {"choice: pass 1 (ANSWER: A)", "choice: pass 1 (ANSWER: A)"},
		"unscored.eval":      nil, // scores {} in all ten
	} {
		var got []string
		for _, trial := range readtest.File(t, Read, "testdata/"+file).Trials {
			got = append(got, readtest.Checks(trial)...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestScorers(t *testing.T) {
	cases := []struct {
		scores string
		status envelope.Status
		want   []string
		reason string
	}{
		{`"scores":{"a":{"value":"C"},"b":{"value":0.5,"explanation":"half"}}`, envelope.Pass, []string{"a: pass 1", "b: fail 0.5 (half)"}, "the second scorer decides nothing"},
		{`"scores":{"a":{"value":{"x":1,"y":0},"explanation":"both"}}`, envelope.Error, []string{"a.x: pass 1 (both)", "a.y: fail 0 (both)"}, "several values, under the names of --scorer"},
		{`"scores":{"a":{"value":[1,"I",{}]}}`, envelope.Error, []string{"a.0: pass 1", "a.1: fail 0", "a.2: skip"}, "a list of values"},
		{`"scores":{"a":{"value":NaN}}`, envelope.Error, []string{"a: skip"}, "NaN judges nothing"},
		{`"scores":{"a":{"value":"blue"}}`, envelope.Error, []string{"a: skip (scored blue)"}, "a word that is no score"},
		{`"scores":{"a":1}`, envelope.Pass, []string{"a: pass 1"}, "a bare value"},
		{`"score":{"value":"C"}`, envelope.Pass, []string{"score: pass 1"}, "version 1"},
		{`"scores":{"a":{"value":"I"}},"error":{"message":"boom"}`, envelope.Fail, []string{"a: fail 0"}, "it broke, and was scored"},
		{`"scores":[1]`, envelope.Error, nil, "no object"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, start+`{"id":"s","epoch":1,`+c.scores+`}]}`)
		if len(s.Trials) != 1 || s.Trials[0].Status != c.status || !slices.Equal(readtest.Checks(s.Trials[0]), c.want) {
			t.Errorf("%s: %v %q, want %q", c.reason, s.Lines(), readtest.Checks(s.Trials[0]), c.want)
		}
	}
}

package mcptest

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestRows(t *testing.T) {
	s := readtest.File(t, Read, "testdata/rows.ndjson")
	want := []string{"lists tools #0 pass", "lists tools #1 fail", "answers [gpt-4o] #0 pass passed", "answers [gpt-4o] #1 pass passed", "answers [claude] #0 skip skipped", "fixes bug #42 #0 pass"}
	if !slices.Equal(s.Lines(), want) || len(s.Problems) != 0 {
		t.Errorf("%q, %v", s.Lines(), s.Problems)
	}
	first := envelope.Trial{Key: envelope.Key{Test: "lists tools"}, Attempt: envelope.Some[int32](0), Status: envelope.Pass, File: "tests/a.yaml", Line: 3, DurationMS: envelope.Some(12.5),
		StartedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Labels: []envelope.Label{{Name: "rule_id", Value: "tools-list"}, {Name: "severity", Value: "MUST"}}}
	if !reflect.DeepEqual(s.Trials[0], first) || s.Trials[1].Message != "no tools" || s.Trials[1].Output != "no tools\nat all" {
		t.Errorf("%#v", s.Trials[:2])
	}
	s = readtest.File(t, Read, "testdata/run.json")
	if !slices.Equal(s.Lines(), []string{"a #1 fail", "a #0 pass"}) || len(s.Problems) != 0 {
		t.Errorf("%q, %v", s.Lines(), s.Problems)
	}
}

func TestShapes(t *testing.T) {
	const first = `{"name":"x","status":"pass","rule_id":"r","severity":"MAY"}` + "\n"
	cases := []struct {
		text        string
		lines, told []string
		reason      string
	}{
		{`{"name":"a #1","passed":true}` + "\n" + `{"name":"a #2","passed":false}`, []string{"a #0 pass", "a #1 fail"}, nil, "a truth for a verdict"},
		{first + first, []string{"x #0 pass", "x #1 pass"}, nil, "the same name twice: by order"},
		{first + `{"name":"a #0","status":"pass"}` + "\n" + `{"name":"a #0","status":"pass"}`, []string{"x #0 pass", "a #0 #0 pass", "a #0 #1 pass"}, nil, "runs count from 1, so #0 is a name"},
		{first + `{"name":"y","status":"inconclusive"}`, []string{"x #0 pass", "y #0 skip inconclusive"}, nil, "one run is never inconclusive: nothing was decided"},
		{first + `{"name":"y","status":"odd"}` + "\n" + `{"status":"pass"}`, []string{"x #0 pass"}, []string{"malformed-record 2:1", "malformed-record 3:1"}, "a word nobody knows, and no name"},
		{first + `{"name":"y","sta`, []string{"x #0 pass"}, []string{"truncated-line 2:16"}, "cut off"},
		{`[` + first + `,{"name":"y","status":"fail"}]`, []string{"x #0 pass", "y #0 fail"}, nil, "an array"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v", c.reason, s.Lines(), s.Told(), s.Problems)
		}
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"name":"a #1","status":"pass","dur`, true, "a run in the name"},
		{`{"results":[{"name":"a [m] #2","verdict":"fail"`, true, "a document, cut"},
		{`{"name":"a","status":"pass"}`, false, "anything"},
		{`{"results":{"tests":[{"name":"a","status":"passed","duration":1}]}}`, false, "CTRF"},
		{`{"test":"a #1","status":"pass"}`, false, "our own stream"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzMCPTest(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }

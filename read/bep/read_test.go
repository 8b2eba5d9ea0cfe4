package bep

import (
	"maps"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: runs are repeats, attempts retries, shards tests of their own; a target
// that was not built is an error, a library is nothing.
func TestSamples(t *testing.T) {
	s := readtest.File(t, Read, "testdata/events.jsonl")
	want := map[string]string{
		"//cart:unit": "PF", "//cart:flaky": "Ffp", "//cart:broken": "E", "//cart:windows": "S",
		"//cart:sharded (shard 1 of 2)": "P", "//cart:sharded (shard 2 of 2)": "E",
	}
	if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 {
		t.Errorf("got %v %+v", got, s.Problems)
	}
	unit := s.Find(t, "//cart:unit", 0)
	if unit.DurationMS.V != 826 || unit.StartedAt.UnixMilli() != 1763800001000 || len(unit.Attachments) != 2 || unit.Labels[0].Name != "cached" {
		t.Errorf("%+v", unit)
	}
	if again := s.Find(t, "//cart:unit", 1); again.StartedAt.UnixMilli() != 1763800002000 || again.DurationMS.V != 900 || again.Retry {
		t.Errorf("%+v", again)
	}
	if slow := s.Find(t, "//cart:flaky", 1); slow.ErrorClass != envelope.ClassTimeout || slow.DurationMS.V != 60_000 || slow.RawStatus != "TIMEOUT" {
		t.Errorf("%+v", slow)
	}
	if b := s.Find(t, "//cart:broken", 0); b.ErrorClass != envelope.ClassPreValidation || b.Message != "Compiling cart/broken.cc failed: (Exit 1): gcc failed" {
		t.Errorf("%+v", b)
	}
	if w := s.Find(t, "//cart:sharded (shard 2 of 2)", 0); w.ErrorClass != envelope.ClassInfrastructure || w.Message != "the worker went away" {
		t.Errorf("%+v", w)
	}
	if s.Headers[0].ID != "5f0f7a2c-1b1d-4e0e-9b57-0a2f0f9f4c11" || s.Headers[0].StartedAt != "2025-11-22T08:26:40Z" {
		t.Errorf("%+v", s.Headers)
	}
}

func TestShapes(t *testing.T) {
	const end = `{"id":{"buildFinished":{}},"lastMessage":true}` + "\n"
	result := func(config, status string) string {
		return `{"id":{"testResult":{"label":"//a:b","configuration":{"id":"` + config + `"}}},"testResult":{"status":"` + status + `"}}` + "\n"
	}
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{result("x", "PASSED"), []string{"//a:b #0 pass"}, []string{"truncated-line 1:1"}, "the build did not end"},
		{result("x", "PASSED") + `{"id":{"testRes`, []string{"//a:b #0 pass"}, []string{"truncated-line 2:15", "truncated-line 1:1"}, "cut"},
		{`{"id":{"configuration":{"id":"x"}},"configuration":{"mnemonic":"k8-opt"}}` + "\n" + result("x", "PASSED") + result("0123456789", "FAILED") + end,
			[]string{"//a:b [01234567] #0 fail", "//a:b [k8-opt] #0 pass"}, nil, "two configurations are variants"},
		{`{"id":{"testSummary":{"label":"//a:b"}},"testSummary":{"overallStatus":"NO_STATUS"}}` + "\n" + end, []string{"//a:b #0 error NO_STATUS pre-validation"}, nil, "never run"},
		{`{"id":{"testResult":{}},"testResult":{"status":"PASSED"}}` + "\n" + end, nil, []string{"malformed-record 1:1"}, "no label"},
		{result("x", "WHAT") + end, []string{"//a:b #0 error WHAT infrastructure"}, nil, "a word that nobody knows"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzBEP(f *testing.F) { readtest.Fuzz(f, Sniff, Read, `{"id":{"testResult":5},"testResult":[]}`) }

package openhands

import (
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestInstances: counted by hand. What cost nothing is not what nobody knows the cost of. The
// index counts an instance without an outcome as not resolved: of 500 with 358 resolved and
// 3 without one its score is 71.6.
func TestInstances(t *testing.T) {
	s := readtest.File(t, Read, "testdata/commit0.json")
	want := []string{"babel #0 fail unresolved", "cachetools #0 pass resolved", "minitorch #0 fail unresolved", "parsel #0 pass resolved", "simpy #0 error"}
	if !slices.Equal(s.Lines(), want) || len(s.Problems) > 0 {
		t.Fatalf("%q %v", s.Lines(), s.Problems)
	}
	for i, cost := range []envelope.Opt[float64]{envelope.Some(34.5), envelope.Some(1.25), {}, envelope.Some(0.0), envelope.Some(2.5)} {
		if s.Trials[i].CostUSD != cost {
			t.Errorf("%s cost %v, want %v", s.Trials[i].Test, s.Trials[i].CostUSD, cost)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct{ text, lines, told, reason string }{
		{`{"a":{"resolved":true,"cost":1e-3}}`, "a #0 pass resolved", "", "in the order of its documentation"},
		{`{"a":{"cost":1,"resolved":true},"b":{"cost":1},"":{"cost":1,"resolved":true},"c":7,"d":{"cost":-1,"resolved":false}}`, "a #0 pass resolved; d #0 fail unresolved", "malformed-record 1:37; malformed-record 1:51; malformed-record 1:82; ignored-field 1:88", "members that are no instances, and a cost that is none"},
		{`{"a":{"cost":1,"resolved":"yes"}}`, "a #0 error", "ignored-field 1:6", "an outcome that is none"},
		{`{"a":{"cost":1,"resolved":true},"b":{"co`, "a #0 pass resolved", "truncated-line 1:41", "cut off"},
	} {
		s := readtest.Text(t, Read, c.text)
		if got := strings.Join(s.Lines(), "; "); got != c.lines || strings.Join(s.Told(), "; ") != c.told {
			t.Errorf("%s: %q %q %v", c.reason, got, s.Told(), s.Problems)
		}
	}
}

func TestSniff(t *testing.T) {
	for head, ours := range map[string]bool{
		`{"a":{"cost":null,"resolved":true},`:                             true,
		"{\n \"a b\": {\n  \"resolved\": null,\n  \"cost\": 1.5e+2\n }\n": true,
		`{"a":{"cost":1,"resolved":true,"tests":3}}`:                      false,
		`{"a":{"patch_is_None":false,"resolved":true}}`:                   false,
		`{"a":{"resolved":true}}`:                                         false,
	} {
		if Sniff([]byte(head)) != ours {
			t.Errorf("%s: want %t", head, ours)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzOpenHands(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }

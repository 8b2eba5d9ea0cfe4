package sonar

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSample: counted by hand.
func TestSample(t *testing.T) {
	s := readtest.File(t, Read, "testdata/jest-sonar.xml")
	want := []string{"test/cart.test.ts/cart adds #0 pass", "test/cart.test.ts/cart pays #0 fail", "test/cart.test.ts/cart ships #0 skip",
		"test/pay.test.ts/pay waits #0 fail timeout", "test/pay.test.ts/pay breaks #0 error", "test/pay.test.ts/pay again #0 pass", "test/pay.test.ts/pay again #1 pass"}
	if got := s.Lines(); !slices.Equal(got, want) || len(s.Problems) > 0 {
		t.Errorf("got %q, told %v\nwant %q", got, s.Problems, want)
	}
	pays := envelope.Trial{Key: envelope.Key{Suite: "test/cart.test.ts", Test: "cart pays"}, File: "test/cart.test.ts", Attempt: envelope.Some[int32](0), Status: envelope.Fail, DurationMS: envelope.Some(49.0),
		Message: "Error: expect(received).toBe(expected)", Output: "Error: expect(received).toBe(expected)\n\nExpected: 2\nReceived: 3\n    at Object.toBe (test/cart.test.ts:12:17)"}
	if diff := cmp.Diff(pays, s.Find(t, "cart pays", 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{`<testExecutions><file path="a"><testCase name="b"/><testCase duration="1"/></file></testExecutions>`, []string{"a/b #0 pass"}, []string{"malformed-record 1:52"}, "a test without a name"},
		{`<testExecutions><file path="a"><testCase name="b" duration="x"><skipped message="m"/><failure message="f"/></testCase></file></testExecutions>`, []string{"a/b #0 fail"}, nil, "a failure is no skip"},
		{`<testExecutions><file path="a"><testCase name="b"/><testCase name="c"><fail`, []string{"a/b #0 pass"}, []string{"unreadable-input 1:76"}, "cut"},
		{`<unitTest/>`, nil, []string{"unreadable-input 1:1"}, "another root"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

// TestOurs: what Tribunal writes has no trial to count.
func TestOurs(t *testing.T) {
	for text, want := range map[string]bool{
		`<?xml version="1.0"?><testExecutions version="1"><file path="a">`:         true,
		`<testExecutions version="1"><!-- a report of tribunal --><file path="a">`: false,
		`<testsuites><testExecutions version="1"/></testsuites>`:                   false,
	} {
		if Sniff([]byte(text)) != want {
			t.Errorf("%s: is %v", text, !want)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzSonar(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `<testExecutions><file path="a"><testCase name="b" duration="1"><failure message="m">t</failure></testCase></file></testExecutions>`)
}

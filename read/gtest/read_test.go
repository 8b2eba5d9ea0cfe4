package gtest

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: counted by hand.
func TestSamples(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"gen_gtest1.12.json": {"Cart/Adds": "P", "Cart/Fails": "F", "Cart/Flaky": "F", "Cart/Skips": "S", "Cart/DISABLED_Later": "S", "All/P/Even/0": "P", "All/P/Even/1": "F"},
	} {
		s := readtest.File(t, Read, "testdata/"+name)
		if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 {
			t.Errorf("%s: got %v %q\nwant %v", name, got, s.Problems, want)
		}
	}
}

// TestFields: what the file says of single tests.
func TestFields(t *testing.T) {
	first := envelope.Some[int32](0)
	for _, c := range []struct {
		file string
		want envelope.Trial
	}{
		{"gen_gtest1.12.json", envelope.Trial{Key: envelope.Key{Suite: "Cart", Test: "Flaky"}, Status: envelope.Fail, DurationMS: envelope.Some(0.0), CostUSD: envelope.Some(0.5), File: "/home/dev/shop/g.cc", Line: 6,
			StartedAt: time.Date(2026, 11, 22, 19, 26, 19, 0, time.UTC), Message: "Expected: (++n % 2) != (0), actual: 0 vs 0", Output: "/home/dev/shop/g.cc:6\nExpected: (++n % 2) != (0), actual: 0 vs 0"}},
		{"gen_gtest1.12.json", envelope.Trial{Key: envelope.Key{Suite: "Cart", Test: "DISABLED_Later"}, Status: envelope.Skip, File: "/home/dev/shop/g.cc", Line: 8}},
	} {
		c.want.Attempt = first
		if diff := cmp.Diff(c.want, readtest.File(t, Read, "testdata/"+c.file).Find(t, c.want.Test, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.want.Test, diff)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{report(`{"name":"a","result":"COMPLETED","time":"1.5s"},{"name":"a","result":"COMPLETED"}`), []string{"s/a #0 pass", "s/a #1 pass"}, nil, "repeats"},
		{report(`{"name":"a","status":"RUN","time":"0s"}`), []string{"s/a #0 pass"}, nil, "a version without result"},
		{report(`{"name":"a","result":"ODD"}`), []string{"s/a #0 error ODD"}, nil, "a word that nobody knows is no pass"},
		{report(`{"name":"a","status":"RUN","result":"SKIPPED","timestamp":"1970-01-01T01:00:00Z","time":"0s"}`), []string{"s/a #0 error SKIPPED"}, nil, "1.12.1 whose SetUpTestSuite failed, in Berlin"},
		{report(`{"name":"a","status":"RUN","result":"SKIPPED","timestamp":"1970-01-01T00:00:00Z","time":"0s","skipped":[{"message":"a.cc:4\n"}]}`), []string{"s/a #0 skip"}, nil, "1.17 whose SetUpTestSuite skipped it, or failed, which it says beside it"},
		{report(`{"name":"a","status":"RUN","result":"SKIPPED","timestamp":"2026-11-25T08:19:00Z","time":"0s"}`), []string{"s/a #0 skip"}, nil, "1.12.1, skipped by itself"},
		{report(`{"name":"a","result":"COMPLETED"},{"name":"","status":"RUN","result":"COMPLETED","classname":"","failures":[{"failure":"a.cc:3\nFailed\nteardown broke\n","type":""}]}`), []string{"s/a #0 pass", "[run] #0 error"}, nil, "1.17 whose TearDownTestSuite failed"},
		{report(`{"result":"COMPLETED"}`), nil, []string{"malformed-record 1:77"}, "no name"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzGTest(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, report(`{"name":"a","failures":[{"failure":"x"}]}`))
}

func report(tests string) string {
	return `{"tests":1,"failures":0,"disabled":0,"testsuites":[{"name":"s","testsuite":[` + tests + `]}]}`
}

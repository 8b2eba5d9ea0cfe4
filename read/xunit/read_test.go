package xunit

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
		"v3.xml": {"Shop.Tests.CartTests/Adds": "P", "Shop.Tests.CartTests/Even(i: 3)": "FP", "Shop.Tests.CartTests/waits for the store": "F", "Shop.Tests.CartTests/Throws": "F",
			"Shop.Tests.CartTests/Later": "S", "Shop.Tests.CartTests/Manual": "S", "Shop.Tests.StoreTests/[test-class-cleanup]": "E"},
		"v1.xml": {"Shop.CartTests/Adds": "P", "Shop.CartTests/Fails": "F", "Shop.CartTests/Later": "S"},
	} {
		s := readtest.File(t, Read, "testdata/"+name)
		if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 {
			t.Errorf("%s: got %v %q\nwant %v", name, got, s.Problems, want)
		}
	}
}

func TestFields(t *testing.T) {
	s := readtest.File(t, Read, "testdata/v3.xml")
	key := func(test string) envelope.Key { return envelope.Key{Suite: "Shop.Tests.CartTests", Test: test} }
	first := envelope.Some[int32](0)
	for _, want := range []envelope.Trial{
		{Key: key("Adds"), Attempt: first, Status: envelope.Pass, DurationMS: envelope.Some(12.3), File: "/src/CartTests.cs", Line: 12,
			StartedAt: time.Date(2026, 3, 2, 9, 0, 1, 500_000_000, time.UTC), Labels: []envelope.Label{{Name: "Category", Value: "fast"}}},
		{Key: key("Even(i: 3)"), Attempt: first, Status: envelope.Fail, DurationMS: envelope.Some(500.0), File: "/src/CartTests.cs", Line: 30,
			Message: "Assert.True() Failure\nExpected: True\nActual:   False",
			Output:  "Assert.True() Failure\r\nExpected: True\r\nActual:   False\n\n   at Shop.Tests.CartTests.Even(Int32 i) in /src/CartTests.cs:line 31\n\nchecking 3"},
		{Key: key("waits for the store"), Attempt: first, Status: envelope.Fail, DurationMS: envelope.Some(1000.0), ErrorClass: envelope.ClassTimeout, Message: "Test execution timed out after 1000 milliseconds"},
		{Key: key("Throws"), Attempt: first, Status: envelope.Fail, DurationMS: envelope.Some(1.0), Message: "System.InvalidOperationException"},
		{Key: key("Later"), Attempt: first, Status: envelope.Skip, DurationMS: envelope.Some(0.0), Message: "not yet"},
		{Key: key("Manual"), Attempt: first, Status: envelope.Skip, RawStatus: "NotRun", DurationMS: envelope.Some(0.0)},
	} {
		if diff := cmp.Diff(want, s.Find(t, want.Test, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Test, diff)
		}
	}
	if h := s.Headers; len(h) != 1 || h[0].StartedAt != "2026-03-02T09:00:01Z" {
		t.Errorf("%+v", h)
	}
	if old := readtest.File(t, Read, "testdata/v1.xml").Find(t, "Later", 0); old.Message != "not yet" || old.DurationMS.OK {
		t.Errorf("%+v", old)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{`<assemblies><assembly><collection><test result="Pass"/></collection></assembly></assemblies>`, nil, []string{"malformed-record 1:35"}, "a test without a name"},
		{`<assemblies><assembly><collection><test name="a" result="Pass"/><test name="b"`, []string{"a #0 pass"}, []string{"unreadable-input 1:79"}, "cut"},
		{`<assembly><class><test name="a" result="Great"/></class></assembly>`, []string{"a #0 error Great"}, nil, "a word that nobody knows is no pass"},
		{`<assemblies><assembly failed="0" errors="1"><errors/><collection><test name="a" result="Pass"/></collection></assembly></assemblies>`, []string{"a #0 pass", "[run] #0 error infrastructure"}, nil,
			"an error that is only counted: v3 counts them beside their list (ExecutionSink.cs), and its runner ends with an error"},
		{`<assemblies><assembly failed="0" errors="1"><errors><error name="x" type="fatal"><failure><message>m</message></failure></error></errors><collection><test name="a" result="Pass"/></collection></assembly></assemblies>`,
			[]string{"x/[fatal] #0 error", "a #0 pass"}, nil, "one that is listed"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

// TestComma: xunit.console 2.0 wrote the decimal comma of the machine.
func TestComma(t *testing.T) {
	s := readtest.Text(t, Read, `<assemblies><assembly name="a.dll" total="1" passed="1"><collection><test name="T.a" type="T" method="a" time="0,014" result="Pass"/></collection></assembly></assemblies>`)
	if got, want := s.Find(t, "a", 0).DurationMS, envelope.Some(14.0); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzXUnit(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `<assembly><errors><error name="a" type="b"/></errors></assembly>`)
}

package nunit

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
		"nunit3.xml": {"Shop.CartTests/Adds": "P", "Shop.CartTests/Throws": "E", "Shop.CartTests/Even(2)": "P", "Shop.CartTests/Even(3)": "F",
			"Shop.CartTests/Slow": "F", "Shop.CartTests/Bad": "E", "Shop.CartTests/Later": "S", "Shop.CartTests/Unsure": "S"},
		"nunit2.xml": {"Shop.CartTest/Adds": "P", "Shop.CartTest/Fails": "F", "Shop.CartTest/Ignored": "S", "Shop.CartTest/Even(2)": "P", "Old.First/Works": "P", "Old.First/Breaks": "F"},
	} {
		s := readtest.File(t, Read, "testdata/"+name)
		if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 {
			t.Errorf("%s: got %v %q\nwant %v", name, got, s.Problems, want)
		}
	}
}

func TestFields(t *testing.T) {
	s := readtest.File(t, Read, "testdata/nunit3.xml")
	key := func(test string) envelope.Key { return envelope.Key{Suite: "Shop.CartTests", Test: test} }
	first := envelope.Some[int32](0)
	for _, want := range []envelope.Trial{
		{Key: key("Adds"), Attempt: first, Status: envelope.Pass, DurationMS: envelope.Some(22.805), CostUSD: envelope.Some(0.25), Labels: []envelope.Label{{Name: "category", Value: "fast"}},
			StartedAt: time.Date(2026, 3, 2, 9, 0, 1, 468_428_400, time.UTC)},
		{Key: key("Throws"), Attempt: first, Status: envelope.Error, DurationMS: envelope.Some(1.0), Message: "System.DivideByZeroException : Attempted to divide by zero.",
			Output: "   at Shop.Calculator.Div(Int32 a, Int32 b) in C:\\src\\Calculator.cs:line 9\n\nbefore the throw"},
		{Key: key("Slow"), Attempt: first, Status: envelope.Fail, DurationMS: envelope.Some(1100.0), ErrorClass: envelope.ClassTimeout, Message: "Test exceeded Timeout value of 1000ms"},
		{Key: key("Bad"), Attempt: first, Status: envelope.Error, DurationMS: envelope.Some(0.0), ErrorClass: envelope.ClassPreValidation, Message: "No arguments were provided"},
		{Key: key("Later"), Attempt: first, Status: envelope.Skip, DurationMS: envelope.Some(0.0), Message: "not yet"},
		{Key: key("Unsure"), Attempt: first, Status: envelope.Skip, RawStatus: "Inconclusive", DurationMS: envelope.Some(0.0)},
	} {
		if diff := cmp.Diff(want, s.Find(t, want.Test, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Test, diff)
		}
	}
	if h := s.Headers; len(h) != 1 || h[0].StartedAt != "2026-03-02T09:00:01Z" {
		t.Errorf("%+v", h)
	}
	old := readtest.File(t, Read, "testdata/nunit2.xml").Find(t, "Fails", 0)
	if old.DurationMS != envelope.Some(92.0) || old.Message != "expected: 1" {
		t.Errorf("a decimal comma: %+v", old)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{`<test-suite type="TestSuite" name="Shop" result="Failed"><failure><message>One or more child tests had errors</message></failure><test-suite type="TestFixture" name="F" result="Failed" site="SetUp"/><test-suite type="TestFixture" name="G" result="Passed"><test-case name="a" result="Passed"/></test-suite></test-suite>`,
			[]string{"Shop.G/a #0 pass", "[run] #0 error infrastructure"}, nil, "Unity's file, of a fixture without a case that could not be set up (NUnit's CompositeWorkItem.cs says Failed of all around it)"},
		{`<test-suite type="Namespace" name="A" result="Failed"><test-suite type="TestFixture" name="B"><test-case name="c" result="Passed"/><test-case name="c" result="Failed"/></test-suite></test-suite>`,
			[]string{"A.B/c #0 pass", "A.B/c #1 fail"}, nil, "Unity's root; repeats"},
		{`<test-run result="Failed"><test-suite type="Assembly" name="x.dll" result="Failed" site="Child"><test-suite type="TestFixture" name="F" result="Failed" site="TearDown"><failure><message>boom</message></failure><test-case name="a" result="Passed"/></test-suite></test-suite></test-run>`,
			[]string{"F/a #0 pass", "F/[teardown] #0 error"}, nil, "a teardown that failed after tests that passed"},
		{`<test-results failures="0"><test-suite type="Assembly" name="x.dll" result="Error" success="False"><results><test-suite type="TestFixture" name="F" result="Error" success="False"><failure><message>TearDown : boom</message></failure><results><test-case name="F.a" executed="True" result="Success" success="True"/></results></test-suite></results></test-suite></test-results>`,
			[]string{"F/a #0 pass", "[run] #0 error infrastructure"}, nil, "a teardown that failed, as NUnit 2 has it"},
		{`<test-results failures="0"><test-suite name="F" executed="True" success="False"><results><test-case name="F.a" executed="True" success="True"/></results></test-suite></test-results>`,
			[]string{"F/a #0 pass", "[run] #0 error infrastructure"}, nil, "the same before NUnit 2.5"},
		{`<test-results failures="1"><test-suite name="F" executed="True" success="True"><results><test-case name="F.a" executed="True" success="True"/></results></test-suite></test-results>`,
			[]string{"F/a #0 pass", "[run] #0 error infrastructure"}, nil, "a failure that is only counted"},
		{`<test-results inconclusive="1"><test-suite name="F" executed="True" success="False"><results><test-case name="F.a" executed="True" success="False"/></results></test-suite></test-results>`,
			[]string{"F/a #0 skip Inconclusive"}, nil, "nothing but inconclusive tests failed nothing"},
		{`<test-results failures="0"><test-suite name="F" success="True"><results><test-case name="F.a" executed="True" success="True"><failure><message>no</message></failure></test-case></results></test-suite></test-results>`,
			[]string{"F/a #0 fail"}, nil, "a test that passed, and says why it failed"},
		{`<test-run><test-case result="Passed"/></test-run>`, nil, []string{"malformed-record 1:11"}, "a test-case without a name"},
		{`<test-run><test-case name="a" result="Passed"/><test-case name="b`, []string{"a #0 pass"}, []string{"unreadable-input 1:66"}, "cut"},
		{`<test-run><test-case name="a" result="What"/></test-run>`, []string{"a #0 fail What"}, nil, "a word that nobody knows is no pass"},
		{`<test-run><test-case name="a" result="Failed" label="Cancelled"/></test-run>`, []string{"a #0 error infrastructure"}, nil, "the run was stopped"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzNUnit(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `<test-suite type="Assembly" name="a" result="x"><results><test-case name="a"/></results></test-suite>`)
}

// TestInconclusiveOfOldNUnit: NUnit 2.5.2 writes no result of a test, and an inconclusive
// one as a test without success that has no failure; its head counts them (7 of 2,625 in
// the file of its own tests, in which none failed). A head without such a count is of an
// older version, in which such a test failed.
func TestInconclusiveOfOldNUnit(t *testing.T) {
	const cases = `<test-suite name="T" executed="True" success="False"><results>
<test-case name="T.Unknown(-4.0d)" executed="True" success="False" time="0.000" asserts="0" />
<test-case name="T.Broken" executed="True" success="False" time="0.000" asserts="0"><failure><message>no</message></failure></test-case>
<test-case name="T.More" executed="True" success="False" time="0.000" asserts="0" /></results></test-suite></test-results>`
	for head, want := range map[string][3]envelope.Status{
		`total="3" errors="0" failures="1" not-run="0" inconclusive="2"`: {envelope.Skip, envelope.Fail, envelope.Skip},
		`total="3" errors="0" failures="2" not-run="0" inconclusive="1"`: {envelope.Skip, envelope.Fail, envelope.Fail},
		`total="3" failures="3" not-run="0"`:                             {envelope.Fail, envelope.Fail, envelope.Fail},
	} {
		s := readtest.Text(t, Read, `<test-results name="t.dll" `+head+`>`+cases)
		for i, name := range []string{"Unknown(-4.0d)", "Broken", "More"} {
			if got := s.Find(t, name, 0).Status; got != want[i] {
				t.Errorf("%s: %s is %s, want %s", head, name, got, want[i])
			}
		}
	}
}

package robot

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: counted by hand.
func TestSamples(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"v7.xml": {"Shop.Cart/Adds an item": "P", "Shop.Cart/Fails": "F", "Shop.Cart/Slow": "F", "Shop.Cart/Later": "S", "Shop.Store/Opens": "E"},
		"v3.xml": {"Cart/Adds": "P", "Cart/Fails": "F"},
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
		{"v7.xml", envelope.Trial{Key: envelope.Key{Suite: "Shop.Cart", Test: "Adds an item"}, Status: envelope.Pass, DurationMS: envelope.Some(1.5), File: "/home/dev/shop/tests/cart.robot", Line: 8, Labels: []envelope.Label{{Name: "tags", Value: "fast,smoke"}}}},
		{"v7.xml", envelope.Trial{Key: envelope.Key{Suite: "Shop.Cart", Test: "Fails"}, Status: envelope.Fail, DurationMS: envelope.Some(103.0), File: "/home/dev/shop/tests/cart.robot", Line: 14, Message: "3 != 2", Output: "WARN prices are old\nFAIL 3 != 2"}},
		{"v7.xml", envelope.Trial{Key: envelope.Key{Suite: "Shop.Store", Test: "Opens"}, Status: envelope.Error, DurationMS: envelope.Some(0.0), File: "/home/dev/shop/tests/store.robot", Line: 5, Message: "Parent suite setup failed:\nno database"}},
		{"v3.xml", envelope.Trial{Key: envelope.Key{Suite: "Cart", Test: "Fails"}, Status: envelope.Fail, DurationMS: envelope.Some(500.0), File: "C:/shop/cart.robot", Message: "it is\nwrong\nin many", Output: "it is\nwrong\nin many\nways"}},
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
		{`<robot><suite name="s"><test name="a"><status status="PASS"/></test><test name="a"><status status="FAIL">Test timeout 1 second exceeded.</status></test></suite></robot>`, []string{"s/a #0 pass", "s/a #1 fail timeout"}, nil, "repeats; a timeout"},
		{`<robot><suite name="s"><test name="a"/></suite></robot>`, []string{"s/a #0 error infrastructure"}, nil, "no status"},
		{`<robot><suite name="s"><test><status status="PASS"/></test></suite></robot>`, nil, []string{"malformed-record 1:24"}, "no name"},
		{`<robot><suite name="s"><test name="a"><status status="PASS"/></test><test name="b"><status`, []string{"s/a #0 pass"}, []string{"unreadable-input 1:91"}, "cut"},
		{`<robot><suite name="s"><test name="a"><status status="MAYBE"/></test></suite></robot>`, []string{"s/a #0 error MAYBE"}, nil, "a word that nobody knows is no pass"},
		{`<robot><suite name="s"><test name="a"><status status="PASS" critical="yes"/></test><test name="b"><status status="FAIL" critical="no">x</status></test><test name="c"><status status="PASS" critical="no"/></test><status status="PASS"/></suite></robot>`,
			[]string{"s/a #0 pass", "s/b #0 skip FAIL", "s/c #0 pass"}, nil, "Robot 3.2.2 with --noncritical, which ends with the number of critical tests that failed (return_code in executionresult.py): 0"},
		{`<robot><suite name="s"><test name="a"><status status="FAIL" critical="yes">x</status></test><status status="FAIL"/></suite></robot>`, []string{"s/a #0 fail"}, nil, "a critical one"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

// TestTeardown: a suite that could not clean up is no plain pass: its tests failed, as Robot
// counts them (robot/result/suiteteardownfailed.py), but for those that were skipped.
func TestTeardown(t *testing.T) {
	s := readtest.File(t, Read, "testdata/v7_teardown.xml")
	if want := map[string]string{"Shop/Passes": "F"}; !maps.Equal(s.Strips(), want) || len(s.Problems) > 0 {
		t.Errorf("%v %q", s.Strips(), s.Told())
	}
	if test := s.Find(t, "Passes", 0); test.Message != "Parent suite teardown failed:\nthe database is still there" {
		t.Errorf("%+v", test)
	}
	const suites = `<robot><suite name="a"><suite name="b"><test name="t"><status status="PASS"/></test><test name="s"><status status="SKIP"/></test></suite>` +
		`<suite name="c"><test name="u"><status status="FAIL">no</status></test><kw type="TEARDOWN"><status status="PASS"/></kw></suite>`
	for text, want := range map[string][]string{
		suites + `<kw type="TEARDOWN"><status status="FAIL">down</status></kw></suite></robot>`: {"a.b/t #0 fail", "a.b/s #0 skip", "a.c/u #0 fail"},
		suites + `</suite></robot>`: {"a.b/t #0 pass", "a.b/s #0 skip", "a.c/u #0 fail"},
		`<robot><suite name="a"><test name="s"><status status="SKIP"/></test><kw type="TEARDOWN"><status status="FAIL"/></kw></suite></robot>`: {"a/s #0 skip", "a/[teardown] #0 error"},
	} {
		if got := readtest.Text(t, Read, text).Lines(); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzRobot(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `<robot><suite name="s"><test name="a"><kw><msg level="FAIL">x</msg></kw><status status="FAIL" elapsed="1e308"/></test></suite></robot>`)
}

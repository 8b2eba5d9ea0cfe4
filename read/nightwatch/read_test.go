package nightwatch

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: a test that was tried three times, and a browser that did not start.
func TestSamples(t *testing.T) {
	const cart = "web.cart/"
	for name, want := range map[string][]string{
		"cart.json": {cart + "is empty [chrome] #0 pass pass", cart + "adds tea [chrome] #0 fail", cart + "adds tea [chrome] #1 fail retry", cart + "adds tea [chrome] #2 pass pass retry",
			cart + "has a title [chrome] #0 fail fail", cart + "looks nice [chrome] #0 error fail", cart + "pays [chrome] #0 skip", cart + "sends [chrome] #0 skip"},
		"broken.json": {"search/is found #0 skip", "[run] #0 error infrastructure"},
	} {
		s := readtest.File(t, Read, "testdata/"+name)
		if got := s.Lines(); !slices.Equal(got, want) || len(s.Problems) > 0 {
			t.Errorf("%s: got %q %q\nwant %q", name, got, s.Told(), want)
		}
	}
	s := readtest.File(t, Read, "testdata/broken.json")
	if got := s.Find(t, "[run]", 0); got.Message != "An error occurred while creating a new GeckoDriver session: [Error] spawn geckodriver EACCES" {
		t.Errorf("%+v", got)
	}
}

func TestFields(t *testing.T) {
	s := readtest.File(t, Read, "testdata/cart.json")
	want := envelope.Trial{Key: envelope.Key{Suite: "web.cart", Test: "is empty", Variant: "chrome"}, Attempt: envelope.Some[int32](0), Status: envelope.Pass, RawStatus: "pass",
		DurationMS: envelope.Some(1250.0), StartedAt: time.Date(2024, 9, 3, 17, 10, 19, 0, time.UTC), File: "/home/dev/shop/tests/web/cart.js",
		Checks: []envelope.Check{{Name: "Element <body> was visible", Status: envelope.Pass}, {Name: "Testing if element <#cart> contains text 'empty'", Status: envelope.Pass}}}
	if diff := cmp.Diff(want, s.Find(t, "is empty", 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	failed := s.Find(t, "has a title", 0)
	if failed.Message != `Testing if the page title equals 'Shop' in 5000ms - expected "equals 'Shop'" but got: "Stop" (5051ms)` ||
		failed.Checks[0].Reason != `Expected "equals 'Shop'" but got: "Stop"` || failed.DurationMS.V != 5100 {
		t.Errorf("%+v", failed)
	}
	thrown := s.Find(t, "looks nice", 0)
	if thrown.Message != "cart is undefined" || thrown.DurationMS.OK || !thrown.StartedAt.Equal(time.UnixMilli(1725383429000)) {
		t.Errorf("%+v", thrown)
	}
}

func TestShapes(t *testing.T) {
	const head = `{"report":{"reportPrefix":"","assertionsCount":1,`
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{head + `"completed":{"a":{"time":"0.5","failed":0,"errors":0},"b":{"failed":1,"errors":0},"c":{"failed":0,"errors":1}},"failures":1,"errors":1},"name":"m"}`,
			[]string{"m/a #0 pass", "m/b #0 fail", "m/c #0 error"}, nil, "Nightwatch 1 writes no status"},
		{head + `"completed":{"a":{"status":"pass","failed":0,"errors":0}},"failures":0,"errors":1},"name":"m"}`,
			[]string{"m/a #0 pass pass", "[run] #0 error infrastructure"}, nil, "a hook behind the tests threw"},
		{head + `"completed":{"a":{"status":"pass","failed":0,"errors":0,"assertions":[{"message":"x","failure":"y"}]}}},"name":"m"}`,
			[]string{"m/a #0 fail pass"}, nil, "an assertion that did not hold"},
		{head + `"completed":{"a":{"status":"odd"}}},"name":"m"}`, []string{"m/a #0 error odd"}, nil, "a word that nobody knows"},
		{head + `"completed":{"a":{}}},"name":"m"}`, []string{"m/a #0 error"}, nil, "a test that says nothing"},
		{head + `"completed":{"a":{"status":"pass"}},"skipped":["a"],"group":"x/y"},"name":"m"}`, []string{"x.y.m/a #0 pass pass"}, nil, "a test that is skipped and was run"},
		{head + `"completed":{"a":{"status":"pass"}},"completedSections":{"a":{"retryTestData":[{}]}}},"name":"m"}`, []string{"m/a #0 fail", "m/a #1 pass pass retry"}, nil, "no number of retries"},
		{head + `"completed":{"a":{"status":"pass","retries":1}},"failures":0,"errors":1},"name":"m"}`, []string{"m/a #0 fail", "m/a #1 pass pass retry", "[run] #0 error infrastructure"}, nil, "a hook that threw, behind a test that passed when it was tried again"},
		{head + `"completed":{"a":{"status":"pass"},"b":`, []string{"a #0 pass pass"}, []string{"unreadable-input 1:89"}, "cut: the module has no name yet"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
	s := readtest.Text(t, Read, head+`"completed":{"a":{"status":"pass","retries":1000000000}}}}`)
	if len(s.Trials) != maxTries+1 {
		t.Errorf("%d trials of a number nobody believes", len(s.Trials))
	}
}

// unnamed has a test without a name, which counts all the same.
const unnamed = `{"report":{"reportPrefix":"","assertionsCount":1,"completed":{"":{"status":"fail","failed":1}}},"name":"m"}`

func TestUnnamed(t *testing.T) {
	if got := readtest.Text(t, Read, unnamed).Lines(); !slices.Equal(got, []string{"m/(unnamed) #0 fail fail"}) {
		t.Errorf("got %q", got)
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"report":{"reportPrefix":"","assertionsCount":1,"lastErr`, true, "cut"},
		{`{"report":{"reportPrefix":"x"}}`, false, "a report of anybody"},
		{`{"modules":{"a":{"modulePath":"a.js","status":"pass"}}}`, false, "minimal_report.json"},
		{``, false, "nothing"},
	} {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzNightwatch(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `{"report":{"reportPrefix":"","assertionsCount":1,"completed":{"a":{"status":"pass"}}},"name":"m"}`,
		unnamed)
}

package karate

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSample: the file says 3 passed and 2 failed.
func TestSample(t *testing.T) {
	s := readtest.File(t, Read, "testdata/feature.json")
	const suite = "shop/cart.feature/"
	want := []string{suite + "an empty cart #0 pass passed", suite + "adds goods (example 1) #0 fail failed", suite + "adds goods (example 2) #0 pass passed",
		suite + "stops where there is nothing to do #0 pass passed", suite + "(line 24) #0 fail failed"}
	if got := s.Lines(); !slices.Equal(got, want) || len(s.Problems) > 0 {
		t.Errorf("got %q %q\nwant %q", got, s.Told(), want)
	}
	if got := s.Find(t, "(line 24)", 0); got.Message != "afterScenario hook failed: no connection" {
		t.Errorf("%+v", got)
	}
}

func TestFields(t *testing.T) {
	s := readtest.File(t, Read, "testdata/feature.json")
	got := s.Find(t, "an empty cart", 0)
	want := envelope.Trial{Key: envelope.Key{Suite: "shop/cart.feature", Test: "an empty cart"}, Attempt: envelope.Some[int32](0), Status: envelope.Pass, RawStatus: "passed",
		DurationMS: envelope.Some(812.5), StartedAt: time.Date(2025, 6, 15, 15, 6, 40, 0, time.UTC), File: "shop/cart.feature", Line: 6,
		Labels: []envelope.Label{{Name: "tags", Value: "smoke"}},
		Checks: []envelope.Check{{Name: "url base", Status: envelope.Pass}, {Name: "method get", Status: envelope.Pass}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = s.Find(t, "adds goods (example 1)", 0)
	if got.Message != "status code was: 404, expected: 200, response time in milliseconds: 3, url: http://localhost/cart, response:\n{}" || got.Line != 17 {
		t.Errorf("%+v", got)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{`{"scenarioResults":[{"name":"a","line":1,"failed":false,"stepResults":[]}],"relativePath":"f"}`, []string{"f/a #0 skip empty-run"}, nil, "no step, and the path behind the scenarios"},
		{`{"relativePath":"f","failedCount":1,"scenarioResults":[{"name":"a","line":1,"failed":false,"stepResults":[{"result":{"status":"passed"}}]}]}`,
			[]string{"f/a #0 pass passed", "[run] #0 error infrastructure"}, nil, "a failure that no scenario has"},
		{`{"relativePath":"f","scenarioResults":[{"name":"a","line":1,"failed":false,"stepResults":[{"result":{"status":"failed","errorMessage":"x"}}]}]}`,
			[]string{"f/a #0 pass passed"}, nil, "a step that was to fail"},
		{`{"relativePath":"f","scenarioResults":[{"name":"a","line":1,"stepResults":[{"result":{"status":"failed","errorMessage":"x"}}]},{"name":"b","line":2,"failed":null,"stepResults":[{"result":{"status":"passed"}}]}]}`,
			[]string{"f/a #0 fail failed", "f/b #0 pass passed"}, nil, "scenarios that do not say whether they failed"},
		{`{"relativePath":"f","scenarioResults":[{"failed":true}]}`, nil, []string{"malformed-record 1:40"}, "neither a name nor a line"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"failedCount":1,"prefixedPath":"a.feature","scenarioResults":[{"sect`, true, "cut in the first scenario"},
		{`{"scenarioResults":[{"stepResults":[]}]`, true, "the scenarios first"},
		{`{"featureSummary":[{"failedCount":1,"packageQualifiedName":"a"}],"efficiency":0.3}`, false, "the summary"},
		{`[{"scenarioResults":[]}]`, false, "an array"},
		{``, false, "nothing"},
	} {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzKarate(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `{"relativePath":"f","scenarioResults":[{"name":"a","failed":true}]}`)
}

package k6

import (
	"maps"
	"slices"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: counted by hand. Summaries have no order: of 2 passes and a failure the last
// is a pass. In --summary-export true is a threshold that was crossed.
func TestSamples(t *testing.T) {
	for file, want := range map[string]map[string]string{
		"samples.json":        {"shop/cart/status is 200": "P", "shop/cart/has a price": "FP", "is up": "P"},
		"summary_export.json": {"shop/cart/has a price": "FPP", "is up": "PPP", "thresholds/checks: rate>0.9": "F", "thresholds/http_req_duration: p(95)<500": "P"},
		"handle_summary.json": {"shop/status is 200": "FP", "thresholds/checks: rate>0.9": "F", "thresholds/checks: rate>0.1": "P"},
	} {
		s := readtest.File(t, Read, "testdata/"+file)
		if got := s.Strips(); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
		if told := s.Told(); file != "samples.json" && len(told) != 1 || file == "samples.json" && len(told) != 0 {
			t.Errorf("%s: %v", file, s.Problems)
		}
	}
}

func TestDetails(t *testing.T) {
	s := readtest.File(t, Read, "testdata/samples.json")
	failed, peak := s.Trials[1], s.Trials[2]
	if failed.Message != "the check does not hold" || !failed.StartedAt.Equal(time.Date(2026, 1, 5, 10, 0, 0, 200000001, time.UTC)) || len(failed.Labels) != 0 {
		t.Errorf("%+v", failed)
	}
	if !slices.Equal(peak.Labels, []envelope.Label{{Name: "scenario", Value: "peak"}}) || peak.Attempt.V != 1 {
		t.Errorf("%+v", peak)
	}
}

func TestShapes(t *testing.T) {
	const point = `{"metric":"checks","type":"Point","data":{"time":"2026-01-05T10:00:00Z","value":1,"tags":{"check":"a"}}}` + "\n"
	for _, c := range []struct {
		text        string
		lines, told []string
		reason      string
	}{
		{point + `{"metric":"checks","type":"Point","data":{"time":"x","value":"1","tags":{"check":"a"}}}` + "\n", []string{"a #0 pass", "a #1 fail"}, []string{"ignored-field 2:64"}, "a value that is not a number is no pass"},
		{point + `{"metric":"checks","type":"Point","data":{"value":1,"tags":null}}` + "\n", []string{"a #0 pass", "(unnamed) #0 pass"}, nil, "without tags"},
		{point + `{"metric":"vus","type":"Point","data":{"va`, []string{"a #0 pass"}, []string{"truncated-line 2:42"}, "cut in a line of another metric"},
		{point + `{"metric":"checks","type":"Point","da`, []string{"a #0 pass"}, []string{"truncated-line 2:37"}, "cut in one of a check"},
		{`{"root_group":{"checks":[{"name":"a","passes":-1,"fails":0},{"name":"b","passes":1,"fails":0}]}}`, []string{"b #0 pass"}, []string{"aggregated 1:15", "ignored-field 1:15", "malformed-record 1:15"}, "no count"},
		{`{"root_group":{"checks":[{"name":"a","passes":999999999999,"fails":0}]}}`, nil, []string{"malformed-record 1:15"}, "too many"},
		{`{"root_group":{"checks":[{"name":"a","passes":0,"fails":0}]}}`, nil, []string{"aggregated 1:15"}, "never come to"},
		{`{"metrics":{"m":{"thresholds":{"x":{}}}},"root_group":{}}`, []string{"thresholds/m: x #0 error pre-validation"}, nil, "a threshold without a word on it"},
		{`{"version":"1.0.0","metadata":{"k6Version":"1.5.0"},"config":{},"results":{"checks":{"results":[{"name":"a","passes":1,"fails":1}]},"metrics":[]}}`,
			[]string{"a #0 fail", "a #1 pass"}, []string{"aggregated 1:75"}, "the summary for machines"},
	} {
		s := readtest.Text(t, Read, c.text)
		got, told := s.Lines(), s.Told()
		slices.Sort(told)
		if !slices.Equal(got, c.lines) || !slices.Equal(told, c.told) {
			t.Errorf("%s: %q, %q %v", c.reason, got, told, s.Problems)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzK6(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, "{}", `{"root_group":{"groups":{"g":{"checks":{"c":{"passes":2,"fails":1}}}}},"metrics":{"m":{"thresholds":{"e":true}}}}`)
}

package agentv

import (
	"reflect"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestSamples(t *testing.T) {
	const five = "4 tests, 20 trials: 16 pass, 1 fail, 3 error, 0 skip, 0 retries" // a quality failure, 2 nonzero exits, 1 timeout
	cases := []struct {
		file, counts string
		told         []string
	}{
		{"5.3.1_repeat5.index.jsonl", five, nil},
		{"5.3.1_repeat5.summary.json", five, nil},
		{"4.42.4_trials5_mean.index.jsonl", "4 tests, 4 trials: 4 pass, 0 fail, 0 error, 0 skip, 0 retries", []string{"aggregated 1:1"}},
		{"legacy_trials.jsonl", "2 tests, 4 trials: 4 pass, 0 fail, 0 error, 0 skip, 0 retries", nil},
		{"legacy_execution_metrics.jsonl", "6 tests, 6 trials: 6 pass, 0 fail, 0 error, 0 skip, 0 retries", nil},
	}
	for _, c := range cases {
		s := readtest.File(t, Read, "testdata/"+c.file)
		if s.Counts() != c.counts || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %s, %v", c.file, s.Counts(), s.Problems)
		}
	}
}

func TestFields(t *testing.T) {
	s := readtest.File(t, Read, "testdata/5.3.1_repeat5.index.jsonl")
	want := envelope.Trial{
		Key: envelope.Key{Suite: "capitals", Test: "slow-capital", Variant: "fake_agent"}, Attempt: envelope.Some[int32](2), Status: envelope.Error, RawStatus: "execution_error",
		ErrorClass: "timeout", Message: "CLI provider timed out after 3s", File: "evals/suite.yaml",
		Labels: []envelope.Label{{Name: "category", Value: "Uncategorized"}, {Name: "experiment", Value: "capitals"}},
	}
	if got := s.Find(t, "slow-capital", 2); !reflect.DeepEqual(readtest.Outside(got)[0], want) {
		t.Errorf("\n got %#v\nwant %#v", got, want)
	}
	if got := s.Find(t, "flaky-capital", 2); got.Status != envelope.Fail || got.RawStatus != "quality_failure" || got.Score != envelope.Some(0.0) || got.DurationMS.OK || got.Message != `Output does not contain "Canberra"` {
		t.Errorf("%#v", got)
	}
	if got := s.Find(t, "crashing-capital", 1); got.ErrorClass != "infrastructure" || got.Message != "connection reset by peer (exit code 7)" {
		t.Errorf("%#v", got)
	}
	s = readtest.File(t, Read, "testdata/5.3.1_repeat5.summary.json")
	if got := s.Find(t, "slow-capital", 2); got.DurationMS.V != 3003 || got.ErrorClass != "timeout" || got.Message != "target_timeout" {
		t.Errorf("%#v", got)
	}
	if h := s.Headers[0]; h.ID != "run1" || h.PlannedTrials.V != 20 {
		t.Errorf("%#v", h)
	}
}

func TestShapes(t *testing.T) {
	const start = `{"test_id":"t","target":"m","scores":[],`
	cases := []struct {
		text, line string
		told       []string
		reason     string
	}{
		{start + `"score":0.8}`, "t [m] #0 pass", nil, "the default threshold"},
		{start + `"score":0.79}`, "t [m] #0 fail", nil, "just below it"},
		{start + `"score":0,"execution_status":"execution_error","failure_reason_code":"clone_error"}`, "t [m] #0 error execution_error pre-validation", nil, "nothing was tried"},
		{start + `"score":0,"execution_status":"execution_error"}`, "t [m] #0 error execution_error infrastructure", nil, "an error without a reason"},
		{start + `"score":1,"execution_status":"ok","retry_index":1}`, "t [m] #0 pass ok retry", nil, "a retry"},
		{start + `"score":1,"sample_index":3}`, "t [m] #3 pass", nil, "a single sample counts from 0 in an index"},
		{start + `"score":1,"variant":"v"}`, "t [m/v] #0 pass", nil, "a variant"},
		{`{"testId":"t","target":"m","score":1,"executionStatus":"quality_failure","durationMs":5}`, "t [m] #0 fail quality_failure", nil, "names in camelCase"},
		{start + `"score":0.5,"attempts":[{"attempt":4,"score":0.5,"verdict":"borderline"}]}`, "t [m] #4 fail borderline", nil, "borderline is not passed"},
		{start + `"score":0.9,"aggregation":{"strategy":"mean"}}`, "t [m] #0 pass", []string{"aggregated 1:1"}, "aggregated, nothing kept of the trials"},
		{start + `"score":"x"}`, "", []string{"malformed-record 1:1", "ignored-field 1:1"}, "no score, no status"},
		{`{"target":"m","score":1,"scores":[]}`, "", []string{"malformed-record 1:1"}, "no test"},
		{start + `"sco`, "", []string{"truncated-line 1:44"}, "cut off"},
		{`{"index_path":"x","tests":[{"test_id":"t","target":"m","total_samples":5,"passed_samples":4,"pass_rate":0.8}]}`, "t [m] #0 fail", []string{"aggregated 1:28"}, "a summary without samples"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		var lines []string
		if c.line != "" {
			lines = []string{c.line}
		}
		if !slices.Equal(s.Lines(), lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v", c.reason, s.Lines(), s.Told(), s.Problems)
		}
	}
	s := readtest.Text(t, Read, `{"testId":"t","target":"m","score":1,"durationMs":5,"costUsd":0.1,"tokenUsage":{"input":1,"output":2},"trace":{"toolCalls":{"a":1,"b":2}},"tags":{"k":"v"},"start_time":"2026-01-01T00:00:00Z"}`)
	if got := s.Trials[0]; got.DurationMS.V != 5 || got.CostUSD.V != 0.1 || got.Tokens.V != 3 || got.ToolCalls.V != 3 || got.StartedAt.IsZero() || !slices.Equal(got.Labels, []envelope.Label{{Name: "k", Value: "v"}}) {
		t.Errorf("%#v", got)
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzAgentV(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }

package deepeval

import (
	"reflect"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestSample(t *testing.T) {
	s := readtest.File(t, Read, "testdata/latest_test_run.json")
	first := envelope.Some[int32](0)
	key := func(name string) envelope.Key { return envelope.Key{Suite: "test_chat.py", Test: name} }
	want := []envelope.Trial{
		{Key: key("test_case_0"), Attempt: first, Status: envelope.Pass, Score: envelope.Some(0.75), DurationMS: envelope.Some(2500.0), Labels: []envelope.Label{{Name: "metric.Answer Relevancy", Value: "0.75"}}},
		{Key: key("test_case_1"), Attempt: first, Status: envelope.Fail, DurationMS: envelope.Some(1000.0), Message: "Answer Relevancy: off topic", Output: "No.",
			Labels: []envelope.Label{{Name: "metric.Answer Relevancy", Value: "0.25"}, {Name: "metric.Bias", Value: "0.0"}}},
		{Key: key("test_case_2"), Attempt: first, Status: envelope.Error, ErrorClass: "timeout", Message: "Bias: Request timed out."},
	}
	if !reflect.DeepEqual(readtest.Outside(s.Trials...), want) || len(s.Problems) != 0 {
		t.Errorf("\n got %#v\nwant %#v\n%v", s.Trials, want, s.Problems)
	}
}

func TestShapes(t *testing.T) {
	cases := []struct {
		cases       string
		lines, told []string
		reason      string
	}{
		{`{"name":"a","input":"x","success":true},{"name":"a","input":"x","success":false},{"name":"a","input":"y","success":true}`, []string{"a #0 pass", "a #1 fail", "a (y) #0 pass"}, nil, "one name: the same input again is a repeat, another is another test"},
		{`{"name":"a","success":null}`, []string{"a #0 error unscored pre-validation"}, nil, "never evaluated"},
		{`{"name":"a","success":true,"runDuration":"x"}`, []string{"a #0 pass"}, []string{"ignored-field 1:30"}, "a duration that is a text"},
		{`{"success":true},5`, nil, []string{"malformed-record 1:30", "malformed-record 1:47"}, "no name, no object"},
		{`{"name":"a","success":true},{"na`, []string{"a #0 pass"}, []string{"truncated-line 1:65"}, "a text that never ends"},
	}
	for _, c := range cases {
		text := `{"testRunData":{"testCases":[` + c.cases + `]}}`
		s := readtest.Text(t, Read, text)
		if !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v", c.reason, s.Lines(), s.Told(), s.Problems)
		}
	}
}

// TestBrokenMetrics: DeepEval fails a test case for a metric that could not be measured as
// for one that says no (update_metric_data of deepeval/test_run/api.py). Only where nothing
// else says no is it left open; an empty answer is the model's own, and what
// check_llm_test_case_params says of it comes from a run of three such test cases.
func TestBrokenMetrics(t *testing.T) {
	const ok, no = `{"name":"Tools","success":true,"score":1}`, `{"name":"Tools","success":false,"score":0,"reason":"none called"}`
	const limit = `{"name":"Clear","success":false,"error":"Rate limit reached"}`
	const empty = `{"name":"Clear","success":false,"error":"'actual_output' cannot be empty for the 'Clear' metric"}`
	for _, c := range []struct{ metrics, line, message, reason string }{
		{ok + `,` + limit, "a #0 error infrastructure", "Clear: Rate limit reached", "nobody judged what the judge was to say"},
		{no + `,` + limit, "a #0 fail", "Tools: none called", "a metric that failed is enough"},
		{limit + `,` + no, "a #0 fail", "Tools: none called", "in any order"},
		{ok + `,` + empty, "a #0 fail", "Clear: 'actual_output' cannot be empty for the 'Clear' metric", "no answer is an answer that fails"},
		{`{"name":"Tone","flaky":true,"success":false,"reason":"rude"},` + limit, "a #0 error infrastructure", "Clear: Rate limit reached", "a metric that is said to be flaky decides nothing"},
	} {
		s := readtest.Text(t, Read, `{"testRunData":{"testCases":[{"name":"a","success":false,"metricsData":[`+c.metrics+`]}]}}`)
		if got := s.Lines(); !slices.Equal(got, []string{c.line}) || s.Trials[0].Message != c.message {
			t.Errorf("%s: %q, %q", c.reason, got, s.Trials[0].Message)
		}
	}
}

// TestTopLevel: .latest_run_full.json and the files of DEEPEVAL_RESULTS_FOLDER
// have at the top what .latest_test_run.json has under testRunData.
func TestTopLevel(t *testing.T) {
	full, latest := readtest.File(t, Read, "testdata/latest_run_full.json"), readtest.File(t, Read, "testdata/latest_test_run.json")
	if !reflect.DeepEqual(full.Trials, latest.Trials) || len(full.Problems) != 0 {
		t.Errorf("\n got %#v\nwant %#v\n%v", full.Trials, latest.Trials, full.Problems)
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"testRunData":{"testCases":[`, true, "the latest test run"},
		{`{"testFile":"a.py","testCases":[{"name":"a","input":"x","actualOutput":"y`, true, "cut in the first test case"},
		{`{"testCases":[],"conversationalTestCases":[{"name":"a","success":true,"metricsData":[`, true, "conversations only"},
		{`{"testCases":[],"conversationalTestCases":[],"metricsScores":[]}`, true, "a run without test cases"},
		{`{"testCases":[{"name":"a","status":"passed"}]}`, false, "anybody's test cases"},
		{`{"a":1}`, false, "anything"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzDeepEval(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }

package native

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
)

func TestEveryField(t *testing.T) {
	s := readText(`{"suite":"s","test":"t","variant":"v","attempt":3,"run":"r","status":"passed","truth":"fail","score":0.25,"category":2,` +
		`"duration_ms":1.5,"setup_ms":0,"cost_usd":1e-3,"setup_cost_usd":2,"tokens":9007199254740993,"tool_calls":7,` +
		`"error_class":"timeout","retry":true,"message":"m","output":"o\n\"p\"","file":"f.go","line":12,` +
		`"started_at":"2026-03-14T02:00:00.5+01:00","labels":{"a":"x","n":1.50,"b":false,"z":null}}`)
	want := envelope.Trial{
		Key: envelope.Key{Suite: "s", Test: "t", Variant: "v"}, Attempt: envelope.Some[int32](3), Run: "r",
		Status: envelope.Pass, RawStatus: "passed", Truth: envelope.Fail, Score: envelope.Some(0.25), Category: envelope.Some[int32](2),
		DurationMS: envelope.Some(1.5), SetupMS: envelope.Some(0.0), CostUSD: envelope.Some(0.001), SetupCostUSD: envelope.Some(2.0),
		Tokens: envelope.Some[int64](9007199254740993), ToolCalls: envelope.Some[int32](7),
		ErrorClass: "timeout", Retry: true, Message: "m", Output: "o\n\"p\"", File: "f.go", Line: 12,
		Labels: []envelope.Label{{Name: "a", Value: "x"}, {Name: "n", Value: "1.50"}, {Name: "b", Value: "false"}},
	}
	if len(s.problems) != 0 || len(s.trials) != 1 {
		t.Fatalf("%d trials, problems %v", len(s.trials), s.problems)
	}
	got := s.trials[0]
	if at := time.Date(2026, 3, 14, 1, 0, 0, 5e8, time.UTC); !got.StartedAt.Equal(at) {
		t.Errorf("started at %v, want %v", got.StartedAt, at)
	}
	got.StartedAt = time.Time{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %#v\nwant %#v", got, want)
	}
}

func TestNothingStaysFromTheTrialBefore(t *testing.T) {
	s := readText(`{"suite":"s","test":"t","attempt":3,"status":"failed","score":1,"retry":true,"message":"m","line":3,"labels":{"a":"b"},"started_at":"2026-01-01T00:00:00Z"}` + "\n" +
		`{"test":"u","category":1}`)
	want := envelope.Trial{Key: envelope.Key{Test: "u"}, Category: envelope.Some[int32](1)}
	if len(s.trials) != 2 || !reflect.DeepEqual(s.trials[1], want) {
		t.Errorf("got %#v, want %#v", s.trials, want)
	}
}

func TestNumbers(t *testing.T) {
	cases := []struct {
		text   string
		want   envelope.Opt[int64]
		reason string
	}{
		{"0", envelope.Some[int64](0), "zero"},
		{"-0", envelope.Some[int64](0), "zero too"},
		{"3.0", envelope.Some[int64](3), "an integer by its value, as in JSON Schema"},
		{"1e3", envelope.Some[int64](1000), "an integer by its value"},
		{"9223372036854775807", envelope.Some[int64](1<<63 - 1), "the largest"},
		{"9223372036854775808", envelope.Opt[int64]{}, "one more"},
		{"1e999", envelope.Opt[int64]{}, "no float64"},
		{"0.1", envelope.Opt[int64]{}, "a fraction"},
		{"-3", envelope.Opt[int64]{}, "negative"},
	}
	for _, c := range cases {
		s := readText(`{"test":"a","status":"pass","tokens":` + c.text + `}`)
		if len(s.trials) != 1 || s.trials[0].Tokens != c.want {
			t.Errorf("%s (%s): got %#v, want %v", c.text, c.reason, s.trials, c.want)
		}
	}
}

func TestRawStatus(t *testing.T) {
	cases := []struct{ fields, status, raw, reason string }{
		{`"status":"pass"`, "pass", "", "one of the four words"},
		{`"status":"Passed"`, "pass", "Passed", "a synonym is kept as it was"},
		{`"status":"borderline"`, "fail", "borderline", "borderline has not passed"},
		{`"status":"fail","raw_status":"quality_failure"`, "fail", "quality_failure", "the runner's own word beside the status"},
		{`"status":"fail","raw_status":"fail"`, "fail", "", "a word that says nothing more"},
		{`"status":"failed","raw_status":"x"`, "fail", "failed", "the status' own word goes first"},
	}
	for _, c := range cases {
		s := readText(`{"test":"a",` + c.fields + `}`)
		if len(s.trials) != 1 || string(s.trials[0].Status) != c.status || s.trials[0].RawStatus != c.raw {
			t.Errorf("%s (%s): %#v", c.fields, c.reason, s.trials)
		}
	}
}

func TestManyLabels(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"test":"a","status":"fail","labels":{"l0":"first"`)
	const n = 300000
	for i := range n {
		fmt.Fprintf(&text, `,"l%d":%d`, i, i)
	}
	text.WriteString("}}")
	s := readText(text.String())
	if len(s.trials) != 1 || len(s.trials[0].Labels) != n || s.trials[0].Labels[0].Value != "0" {
		t.Errorf("%d trials", len(s.trials))
	}
	if told := s.told(); len(told) != 1 || !strings.HasPrefix(told[0], "warning ignored-field") {
		t.Errorf("problems %q, want one for l0 given twice", told)
	}
}

func TestHeader(t *testing.T) {
	s := readText(`{"type":"run","name":"n","id":"i","commit":"c","started_at":"2026-03-14T02:00:00+01:00","planned_trials":12,"labels":{"a":"b","n":3},"policy":{"rule":"wilson","threshold":0.9}}` + "\n" +
		`{"type":"run","name":5,"planned_trials":-1,"started_at":"now","labels":4,"policy":{"treshold":1}}` + "\n" +
		`{"type":"run","policy":{"threshold":"high"}}` + "\n")
	want := envelope.Header{Name: "n", ID: "i", Commit: "c", StartedAt: "2026-03-14T01:00:00Z", PlannedTrials: envelope.Some[int64](12), Labels: map[string]string{"a": "b", "n": "3"}}
	if len(s.headers) != 3 || !reflect.DeepEqual(s.headers[0], want) || !reflect.DeepEqual(s.headers[1], envelope.Header{}) {
		t.Fatalf("headers %+v", s.headers)
	}
	if p := s.policies[0]; p == nil || p.Asked == nil || p.Asked.Rule != "wilson" || p.Asked.Threshold != envelope.Some(0.9) {
		t.Errorf("policy %+v", p)
	}
	if s.policies[1] != nil || s.policies[2] != nil {
		t.Errorf("a policy that cannot be read whole is used in part: %+v, %+v", s.policies[1], s.policies[2])
	}
	told := []string{"name: a number", "planned_trials: -1", `started_at: "now"`, `policy: "treshold": not known`, "labels: a number", `policy: "threshold": a value of type string stands where float64 is expected`}
	for i, part := range told {
		if i >= len(s.problems) || !strings.Contains(s.problems[i].Message, part) || s.problems[i].Column == 0 {
			t.Errorf("problem %d does not say %q with its column: %v", i, part, s.problems)
		}
	}
}

// TestTruth: a label is pass or fail in any of the words of a status; any other makes the
// record malformed, as an unknown status does, with its place.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		value string
		want  envelope.Status
		told  string
	}{
		{`"pass"`, envelope.Pass, ""}, {`"fail"`, envelope.Fail, ""}, {`"Correct"`, envelope.Pass, ""}, {`"incorrect"`, envelope.Fail, ""}, {`null`, "", ""},
		{`2`, "2", ""}, {`"0"`, envelope.Fail, ""}, {`1`, envelope.Pass, ""}, {`2.5`, "", "truth: "},
		{`"maybe"`, "", `truth: "maybe" is none of the labels pass, fail and 0 to 9, a category`},
		{`"skip"`, "", `truth: "skip" is none of the labels`},
		{`true`, "", "truth: "},
	} {
		s := readText(`{"test":"a","status":"pass"}` + "\n" + `{"test":"a","status":"pass","truth":` + c.value + `}`)
		if c.told != "" {
			if len(s.trials) != 1 || len(s.problems) != 1 || !strings.Contains(s.problems[0].Message, c.told) || s.problems[0].Severity != envelope.SeverityError || s.problems[0].Line != 2 || s.problems[0].Column != 37 {
				t.Errorf("%s: %d trials, %+v", c.value, len(s.trials), s.problems)
			}
			continue
		}
		if len(s.trials) != 2 || len(s.problems) != 0 || s.trials[1].Truth != c.want || s.trials[0].Truth != "" {
			t.Errorf("%s: %+v, %v", c.value, s.trials, s.problems)
		}
	}
}

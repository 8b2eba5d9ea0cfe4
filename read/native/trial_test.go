package native

import (
	"fmt"
	"reflect"
	"slices"
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
	text.WriteString(`{"test":"a","status":"fail","labels":{"l":"first"`)
	const n = 300000
	for i := range n {
		fmt.Fprintf(&text, `,"l%d":%d`, i, i)
	}
	s := readText(text.String() + "}}\n" + text.String() + `,"l299999":0}}` + "\n")
	if len(s.trials) != 1 || len(s.trials[0].Labels) != n+1 || s.trials[0].Labels[1].Value != "0" {
		t.Errorf("%d trials", len(s.trials))
	}
	if reported := s.reported(); len(reported) != 1 || !strings.HasPrefix(reported[0], "error malformed-record 2:") {
		t.Errorf("problems %q, want one for l299999 given twice", reported)
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
	reported := []string{"not a number", "planned_trials: -1", `started_at: "now"`, `policy: "treshold": this key or a key inside it is unknown`, "is expected, not a number", `policy: "threshold": a JSON string does not fit here`}
	for i, part := range reported {
		if i >= len(s.problems) || !strings.Contains(s.problems[i].Message, part) || s.problems[i].Column == 0 {
			t.Errorf("problem %d does not say %q with its column: %v", i, part, s.problems)
		}
	}
}

// TestTruth: a label is pass or fail in any of the words of a status; any other makes the
// record malformed, as an unknown status does, with its place.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		value    string
		want     envelope.Status
		reported string
	}{
		{`"pass"`, envelope.Pass, ""}, {`"fail"`, envelope.Fail, ""}, {`"Correct"`, envelope.Pass, ""}, {`"incorrect"`, envelope.Fail, ""}, {`null`, "", ""},
		{`2`, "2", ""}, {`"0"`, envelope.Fail, ""}, {`1`, envelope.Pass, ""}, {`2.5`, "", "truth: "},
		{`"maybe"`, "", `truth: "maybe" is not a label; use pass, fail or a category from 0 to 9`},
		{`"skip"`, "", `truth: "skip" is not a label`},
		{`true`, "", "truth: "},
	} {
		s := readText(`{"test":"a","status":"pass"}` + "\n" + `{"test":"a","status":"pass","truth":` + c.value + `}`)
		if c.reported != "" {
			if len(s.trials) != 1 || len(s.problems) != 1 || !strings.Contains(s.problems[0].Message, c.reported) || s.problems[0].Severity != envelope.SeverityError || s.problems[0].Line != 2 || s.problems[0].Column != 37 {
				t.Errorf("%s: %d trials, %+v", c.value, len(s.trials), s.problems)
			}
			continue
		}
		if len(s.trials) != 2 || len(s.problems) != 0 || s.trials[1].Truth != c.want || s.trials[0].Truth != "" {
			t.Errorf("%s: %+v, %v", c.value, s.trials, s.problems)
		}
	}
}

// problemCases are streams of one record and what is told of them. Columns are
// counted by hand.
var problemCases = []struct {
	text     string
	trials   int
	reported []string
	part     string // of the first message
	reason   string
}{
	{`{"test":"a","status":"pass"}`, 1, nil, "", "the smallest record"},
	{"\n \t\r\n" + `{"test":"a","status":"pass"}` + "\r\n\n", 1, nil, "", "blank lines are nothing, CRLF is a line end"},
	{"\uFEFF" + `{"test":"a","status":"pass"}`, 1, nil, "", "files that were put together have byte order marks inside"},
	{` { "test" : "a" , "score" : 0.5 } `, 1, nil, "", "blanks between everything"},
	{`{"type":"trial","schema":"tribunal/trials/v1","test":"a","category":0}`, 1, nil, "", "marks on a trial"},
	{`{"schema":"tribunal/trials/v1"}`, 0, nil, "", "a line that names the format"},
	{`{"test":"a","status":"pass","score":null,"labels":null,"attempt":null}`, 1, nil, "", "null is absent"},

	{`{"status":"pass"}`, 0, []string{"error malformed-record 1:1"}, "test: missing", "no test"},
	{`{"test":null,"status":"pass"}`, 0, []string{"error malformed-record 1:1"}, "test: missing", "a test that is null"},
	{`{"test":"","status":"pass"}`, 0, []string{"error malformed-record 1:9"}, "test: empty", "an empty test"},
	{`{"test":5,"status":"pass"}`, 0, []string{"error malformed-record 1:9"}, "a string is expected, not a number", "identity of a wrong type"},
	{`{"suite":["a"],"test":"a","status":"pass"}`, 0, []string{"error malformed-record 1:10"}, "not an array", "identity of a wrong type"},
	{`{"test":"a","variant":true,"status":"pass"}`, 0, []string{"error malformed-record 1:23"}, "a boolean", "identity of a wrong type"},
	{`{"test":"a","run":7,"status":"pass"}`, 0, []string{"error malformed-record 1:19"}, "not a number", "identity of a wrong type"},
	{`{"test":"a","attempt":-1,"status":"pass"}`, 0, []string{"error malformed-record 1:23"}, "-1 is negative", "attempts start at 0"},
	{`{"test":"a","attempt":2147483648,"status":"pass"}`, 0, []string{"error malformed-record 1:23"}, "out of range", "attempts have 31 bits"},
	{`{"test":"a","attempt":1.5,"status":"pass"}`, 0, []string{"error malformed-record 1:23"}, "not an integer", "attempts are integers"},
	{`{"test":"a","attempt":"1","status":"pass"}`, 0, []string{"error malformed-record 1:23"}, "not a string", "a number in quotes is a string"},

	{`{"test":"a"}`, 0, []string{"error malformed-record 1:1"}, "one of status, score, category and checks", "nothing says how it ended"},
	{`{"test":"a","status":"maybe"}`, 0, []string{"error malformed-record 1:22"}, "pass, passed, ok", "an unknown word lists the known ones"},
	{`{"test":"a","status":true}`, 0, []string{"error malformed-record 1:22"}, "a boolean", "a boolean is no status"},
	{`{"test":"a","score":1e999}`, 0, []string{"error malformed-record 1:21"}, "1e999 is out of range", "the score decides and is no finite number"},
	{`{"test":"a","score":"1"}`, 0, []string{"error malformed-record 1:21"}, "not a string", "the score decides and is not a number"},
	{`{"test":"a","score":"1","category":2}`, 0, []string{"error malformed-record 1:21"}, "score", "score goes before category"},
	{`{"test":"a","category":-1}`, 0, []string{"error malformed-record 1:24"}, "category: -1 is negative", "the category decides"},
	{`{"test":"a","status":"pass","score":1e999,"category":-1}`, 1, []string{"error ignored-field 1:37", "error ignored-field 1:54"}, "score: 1e999", "the status decides, so the trial counts without them"},
	{`{"test":"a","score":1,"category":0.5}`, 1, []string{"error ignored-field 1:34"}, "category: 0.5 is not an integer", "the score decides"},

	{`{"test":"a","status":"pass","duration_ms":-1}`, 1, []string{"error ignored-field 1:43"}, "duration_ms: -1 is negative", "no time runs backwards"},
	{`{"test":"a","status":"pass","setup_ms":"3s"}`, 1, []string{"error ignored-field 1:40"}, "not a string", "a duration is a number"},
	{`{"test":"a","status":"pass","cost_usd":-0.1,"setup_cost_usd":[]}`, 1, []string{"error ignored-field 1:40", "error ignored-field 1:62"}, "cost_usd", "costs like durations"},
	{`{"test":"a","status":"pass","tokens":1e30}`, 1, []string{"error ignored-field 1:38"}, "out of range", "tokens have 63 bits"},
	{`{"test":"a","status":"pass","tool_calls":2147483648}`, 1, []string{"error ignored-field 1:42"}, "out of range", "tool calls have 31 bits"},
	{`{"test":"a","status":"pass","retry":"yes"}`, 1, []string{"error ignored-field 1:37"}, "true or false", "a flag is a boolean"},
	{`{"test":"a","status":"pass","started_at":"2026-03-14"}`, 1, []string{"error ignored-field 1:42"}, "RFC 3339", "a day is no instant"},
	{`{"test":"a","status":"pass","started_at":"1066-10-14T09:00:00Z"}`, 1, []string{"error ignored-field 1:42"}, "1678 to 2261", "nanoseconds do not reach so far"},
	{`{"test":"a","status":"pass","started_at":"0001-01-01T00:00:00Z"}`, 1, nil, "", "what Go writes for an unknown time"},
	{`{"test":"a","status":"pass","line":-3}`, 1, []string{"error ignored-field 1:36"}, "line: -3", "lines count from 1"},
	{`{"test":"a","status":"pass","line":0}`, 1, nil, "", "line 0 is unknown"},
	{`{"test":"a","status":"pass","message":1,"output":{},"file":[],"error_class":false}`, 1,
		[]string{"error ignored-field 1:39", "error ignored-field 1:50", "error ignored-field 1:60", "error ignored-field 1:77"}, "not a boolean", "texts of a wrong type"},
	{`{"test":"a","status":"pass","labels":["x"]}`, 1, []string{"error ignored-field 1:38"}, "an object of strings", "labels have names"},
	{`{"test":"a","status":"pass","labels":{"x":{},"y":"z"}}`, 1, []string{"error ignored-field 1:43"}, `the label "x"`, "one bad label, the others are kept"},

	{`{"test":"a","status":"fail","status":"pass"}`, 0, []string{"error malformed-record 1:29"}, `"status" is given more than once`, "either may count"},
	{`{"test":"a","test":"a","status":"pass"}` + "\n" + `{"test":null,"test":null}`, 0, []string{"error malformed-record 1:13", "error malformed-record 2:14"}, "", "also if both say the same"},
	{`{"test":"a","status":"pass","labels":{"x":"1","x":"2"}}`, 0, []string{"error malformed-record 1:47"}, `"x" is given more than once`, "a label given twice"},
	{`{"test":"a","status":"pass","labels":{"x":"1","\u0078":"2"}}`, 0, []string{"error malformed-record 1:47"}, `"x" is given more than once`, "in other letters"},
	{`{"test":"a","checks":[{"name":"c"},{"name":"c","status":"fail","status":"pass"}]}`, 0, []string{"error malformed-record 1:64"}, `"status" is given`, "in a check"},

	{`{"test":"a","status":"pass","wall":1,"seed":2,"policy":{}}`, 1, []string{"info unknown-fields 1:0 x3"}, `"policy" (1), "seed" (1), "wall" (1)`, "sorted; a header's field means nothing in a trial"},
	{`{"test":"a","status":"pass","adaptive":false,"seed":2,"index":0.1,"near":2,"argv":["x"]}`, 1, nil, "", "an engine copies the line of tribunal next"},
	{`{"type":"run","test":"a","name":"n"}`, 0, []string{"info unknown-fields 1:0 x1"}, `"test" (1)`, "a trial's field means nothing in a header"},
	{`{"type":"heartbeat","what":1}`, 0, []string{"info unknown-types 1:0 x1"}, `"heartbeat" (1)`, "other types are no business of ours"},
	{`{"type":1,"test":"a","status":"pass"}`, 0, []string{"error malformed-record 1:9"}, "not a number", "the type decides what the record is"},
	{`{"schema":"tribunal/trials/v2","test":"a","status":"pass"}`, 0, []string{"error malformed-record 1:11"}, "tribunal/trials/v1 is expected", "a later version may mean something else"},
	{`{"schema":"acme/v3","test":"a","status":"pass"}`, 1, nil, "", "somebody else's schema says nothing"},

	{"# a comment\nINFO x\n" + `{"test":"a","status":"pass"}` + "\n[1]\n", 1, []string{"warning noise 1:1 x3"}, "3 lines are not records", "one warning for all noise"},
	{`{"test":"a","status":"pass"}{"test":"b","status":"pass"}`, 0, []string{"error malformed-record 1:29"}, "one record a line", "two records on a line"},
	{`{"test":"a","sta`, 0, []string{"error truncated-line 1:17"}, "get the whole file", "cut off"},
	{`{"test":"a","status":"pass"`, 0, []string{"error truncated-line 1:28"}, "get the whole file", "cut off before the brace"},
	{`{"test":"a","sta` + "\n", 0, []string{"error malformed-record 1:17"}, "in the middle of a string", "a whole line that ends too early is not cut off"},
	{`{"test":x,"sta`, 0, []string{"error malformed-record 1:9"}, "found 'x' where a value is expected", "broken before it is cut off"},
	{"{\n\"test\":\"a\"\n}\n", 0, []string{"error malformed-record 1:2", "warning noise 2:1 x2"}, "a key in double quotes", "a record over several lines"},
}

func TestProblems(t *testing.T) {
	for _, c := range problemCases {
		s := readText(c.text)
		if len(s.trials) != c.trials || !slices.Equal(s.reported(), c.reported) {
			t.Errorf("%s: %s\n got %d trials, %q\nwant %d trials, %q", c.reason, c.text, len(s.trials), s.reported(), c.trials, c.reported)
		}
		if c.part != "" && (len(s.problems) == 0 || !strings.Contains(s.problems[0].Message, c.part)) {
			t.Errorf("%s: %s\n%v does not say %q", c.reason, c.text, s.problems, c.part)
		}
	}
}

func TestReadingGoesOn(t *testing.T) {
	const good = `{"test":"a","status":"pass"}` + "\n"
	for _, c := range problemCases {
		if strings.HasSuffix(c.text, "sta") || strings.HasSuffix(c.text, `"pass"`) || strings.Contains(c.text, "\n") {
			continue // the last line of a file
		}
		s := readText(good + c.text + "\n" + good)
		if len(s.trials) != c.trials+2 {
			t.Errorf("%s: %s: %d trials between good ones, want %d", c.reason, c.text, len(s.trials), c.trials+2)
		}
		for _, p := range s.problems {
			if p.Line != 2 {
				t.Errorf("%s: %s: %v is not on line 2", c.reason, c.text, p)
			}
		}
	}
}

func TestStatusWordsAreStatuses(t *testing.T) {
	for _, word := range strings.Split(statusWords, ", ") {
		if _, ok := envelope.ParseStatus(word); !ok {
			t.Errorf("%s is offered but not taken", word)
		}
	}
}

func TestNamesAreComplete(t *testing.T) {
	for f, name := range names {
		if name == "" || byName[name] != field(f) {
			t.Errorf("field %d is called %q, which finds field %d", f, name, byName[name])
		}
	}
}

package promptfoo

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// The counts stand in the file's own stats: 23 successes, 2 failures, 5 errors.
const counts = "5 tests, 30 trials: 23 pass, 2 fail, 5 error, 0 skip, 0 retries"

func TestSamples(t *testing.T) {
	for _, name := range []string{"testdata/gen_repeat6.json", "testdata/gen_repeat6.jsonl"} {
		s := readtest.File(t, Read, name)
		if s.Counts() != counts || len(s.Problems) != 0 {
			t.Errorf("%s: %s, problems %v", name, s.Counts(), s.Problems)
		}
		classes := map[string]int{}
		for _, trial := range s.Trials {
			classes[trial.ErrorClass]++
		}
		if classes["timeout"] != 2 || classes["infrastructure"] != 3 || classes[""] != 25 {
			t.Errorf("%s: classes %v", name, classes)
		}
		want := envelope.Trial{
			Key: envelope.Key{Test: "flaky", Variant: "fake-agent"}, Attempt: envelope.Some[int32](2), Status: envelope.Fail,
			Score: envelope.Some(0.5), DurationMS: envelope.Some(32.0), CostUSD: envelope.Some(0.00036), Tokens: envelope.Some[int64](33),
			Message: `Expected output to contain "Canberra"`, Output: "I do not know",
		}
		if got := readtest.Outside(s.Trials[8])[0]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: row 8\n got %#v\nwant %#v", name, got, want)
		}
		if timeout := s.Trials[20]; timeout.Test != "times out sometimes" || timeout.Attempt.V != 2 || timeout.DurationMS.V != 1500 || timeout.CostUSD.OK || timeout.Score.OK || timeout.Tokens.OK {
			t.Errorf("%s: a timeout has a duration and nothing else: %#v", name, timeout)
		}
		if weighted := s.Trials[29]; weighted.Test != "q=no description, weighted" || weighted.Status != envelope.Pass || weighted.Score.V != 0.5 || weighted.Attempt.V != 5 {
			t.Errorf("%s: half a score can pass: %#v", name, weighted)
		}
	}
}

func TestHeader(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_repeat6.json")
	want := envelope.Header{ID: "eval-18g-2026-11-21T10:34:18", StartedAt: "2026-11-21T10:34:18.192Z", Labels: map[string]string{"promptfoo": "0.121.20"}}
	if len(s.Headers) != 1 || s.Headers[0].ID != want.ID || s.Headers[0].StartedAt != want.StartedAt || !reflect.DeepEqual(s.Headers[0].Labels, want.Labels) {
		t.Errorf("%#v", s.Headers)
	}
}

func TestRows(t *testing.T) {
	const start = `{"testIdx":0,"promptIdx":0,"promptId":"p","provider":{"id":"m"},"testCase":{"description":"d"},`
	test := envelope.Key{Test: "d", Variant: "m"}
	first := envelope.Some[int32](0)
	cases := []struct {
		row    string
		want   envelope.Trial
		reason string
	}{
		{start + `"success":true,"failureReason":0,"score":1}`, envelope.Trial{Key: test, Attempt: first, Status: envelope.Pass, Score: envelope.Some(1.0)}, "no cost is no cost"},
		{start + `"success":true,"cost":0,"tokenUsage":{"total":0}}`, envelope.Trial{Key: test, Attempt: first, Status: envelope.Pass, CostUSD: envelope.Some(0.0)}, "free, but tokens 0 is a provider that does not say"},
		{start + `"success":false,"error":"Expected x\nmore","failureReason":1,"response":{"output":{"a": 1}}}`,
			envelope.Trial{Key: test, Attempt: first, Status: envelope.Fail, Message: "Expected x", Output: "{\"a\":1}\nExpected x\nmore"}, "an error text is no error"},
		{start + `"success":false,"failureReason":2,"error":"RateLimitExhaustedError: x","latencyMs":0,"cost":0,"score":0}`,
			envelope.Trial{Key: test, Attempt: first, Status: envelope.Error, ErrorClass: "infrastructure", Message: "RateLimitExhaustedError: x"}, "nothing ran, so nothing took 0 ms"},
		{start + `"success":false,"error":"boom"}`, envelope.Trial{Key: test, Attempt: first, Status: envelope.Error, Message: "boom"}, "an old file: not graded, and nobody knows why"},
		{start + `"success":false,"error":"boom","gradingResult":{"reason":"bad"}}`, envelope.Trial{Key: test, Attempt: first, Status: envelope.Fail, Message: "boom"}, "an old file: graded"},
		{`{"testIdx":1,"promptIdx":0,"success":true,"provider":"m","vars":{"n":3,"o":{"a":[1]}},"testCase":{"metadata":{"area":"x","n":2,"deep":{}}}}`,
			envelope.Trial{Key: envelope.Key{Test: `n=3, o={"a":[1]}`, Variant: "m"}, Attempt: first, Status: envelope.Pass, Labels: []envelope.Label{{Name: "area", Value: "x"}, {Name: "n", Value: "2"}}},
			"vars of the row, a provider that is a text, metadata as labels"},
		{`{"testIdx":1,"promptIdx":0,"success":true,"provider":{"id":"m","label":"warm"},"testCase":{"description":"d"},"failureReason":0}`,
			envelope.Trial{Key: envelope.Key{Test: "d", Variant: "warm"}, Attempt: first, Status: envelope.Pass}, "two settings of one model differ in the label"},
	}
	for _, c := range cases {
		for _, text := range []string{c.row, `{"evalId":null,"results":{"version":3,"results":[` + c.row + `]}}`} {
			s := readtest.Text(t, Read, text)
			if len(s.Trials) != 1 || len(s.Problems) != 0 || !reflect.DeepEqual(readtest.Outside(s.Trials...)[0], c.want) {
				t.Errorf("%s: %s\n got %#v, %v\nwant %#v", c.reason, text, s.Trials, s.Problems, c.want)
			}
		}
	}
}

func TestIdentity(t *testing.T) {
	row := func(description, vars, prompt string) string {
		return `{"testIdx":0,"promptIdx":0,"success":true,"provider":{"id":"m"},"promptId":"` + prompt + `","prompt":{"label":"say"},"testCase":{"description":"` + description + `","vars":` + vars + `}}` + "\n"
	}
	s := readtest.Text(t, Read, row("d", `{"q":1}`, "p")+row("d", `{"q":2}`, "p")+row("d", `{"q":1}`, "p")+row("d", `{"q":1}`, "other")+row("", `{"q":"`+strings.Repeat("x", 500)+`"}`, "p"))
	var keys []string
	for _, trial := range s.Trials {
		keys = append(keys, trial.Key.String())
	}
	if len(keys) != 5 || keys[0] != "d [m]" || keys[1] != "d (q=2) [m]" || keys[2] != keys[0] || s.Trials[2].Attempt.V != 1 ||
		!strings.HasPrefix(keys[3], "d [m, prompt say ") || len(keys[4]) > 150 {
		t.Errorf("%q", keys)
	}
}

// TestColumns: promptfoo lists its columns, a provider with a prompt each, in the order of
// promptIdx (addPrompts of its evaluator), and writes rows as they end: of 17 public files
// 11 begin with another row than that of test 0 and prompt 0. Names may not hang on that.
func TestColumns(t *testing.T) {
	row := func(prompt, column int) string {
		return fmt.Sprintf(`{"testIdx":0,"promptIdx":%d,"success":true,"provider":{"id":"m"},"promptId":"p%d","prompt":{"label":"l%[2]d"},"testCase":{"description":"d"}}`, column, prompt)
	}
	names := func(rows ...string) []string {
		list := `{"raw":"r0","label":"l0","provider":"m"},{"raw":"r1","label":"l1","provider":"m"},{"raw":"r0","label":"l0","provider":"m"}`
		s := readtest.Text(t, Read, `{"evalId":"e","results":{"version":3,"prompts":[`+list+`],"results":[`+strings.Join(rows, ",")+`]}}`)
		return s.Lines()
	}
	second := fmt.Sprintf("d [m, prompt l1 %s] #0 pass", hash("p1"))
	if got := names(row(1, 1), row(0, 0), row(0, 2)); !slices.Equal(got, []string{second, "d [m] #0 pass", "d [m #2] #0 pass"}) {
		t.Errorf("a row of the second prompt that ended first, and a provider that comes twice: %q", got)
	}
	const late = `{"testIdx":0,"promptIdx":1,"success":true,"provider":{"id":"m"},"promptId":"p1","prompt":{"label":"l1"},"testCase":{"description":"d"}}`
	markup := `<promptfoo><evalId>e</evalId><results><version>3</version><prompts><raw>r0</raw><label>l0</label><provider>m</provider></prompts><prompts><raw>r1</raw><label>l1</label><provider>m</provider></prompts>` +
		`<results><testIdx>0</testIdx><promptIdx>1</promptIdx><success>true</success><provider><id>m</id></provider><promptId>p1</promptId><prompt><label>l1</label></prompt><testCase><description>d</description></testCase></results></results></promptfoo>`
	yaml := "evalId: e\nresults:\n  version: 3\n  prompts:\n    - {raw: r0, label: l0, provider: m}\n    - {raw: r1, label: l1, provider: m}\n  results:\n    - " + late + "\n"
	for _, text := range []string{markup, yaml} {
		if got := readtest.Text(t, Read, text).Lines(); !slices.Equal(got, []string{second}) {
			t.Errorf("%q of %s", got, text)
		}
	}
	if got := names(row(0, 2), row(1, 1), row(1, 9)); !slices.Equal(got, []string{"d [m #2] #0 pass", second, strings.Replace(second, "#0", "#1", 1)}) {
		t.Errorf("a column that is in no list, of the second prompt: %q", got)
	}
}

// TestSameVars: the shape of testCase is that of a red team's report, in which an attack
// has the vars of the test case that it is made of.
func TestSameVars(t *testing.T) {
	row := func(metadata, assert string) string {
		return `{"testIdx":0,"promptIdx":0,"success":true,"testCase":{"vars":{"q":"x"},"assert":[` + assert + `],"metadata":{` + metadata + `}}}` + "\n"
	}
	const hate, other = `{"metric":"Harmful","type":"promptfoo:redteam:harmful:hate"}`, `{"type":"contains","value":"x"}`
	s := readtest.Text(t, Read, row(`"pluginId":"harmful:hate"`, hate)+row(`"pluginId":"harmful:hate","strategyId":"jailbreak"`, hate)+row(`"pluginId":"harmful:hate"`, hate)+
		row(`"pluginId":"harmful:hate","strategyId":"basic"`, " "+hate+"  ")+row(`"pluginId":"pii"`, other)+row(`"pluginId":"pii"`, other))
	mark := hash("[" + other + "]")
	want := []string{"q=x #0 pass", "q=x (jailbreak) #0 pass", "q=x #1 pass", "q=x #2 pass", "q=x (pii " + mark + ") #0 pass", "q=x (pii " + mark + ") #1 pass"}
	if !slices.Equal(s.Lines(), want) {
		t.Errorf("%q, want %q", s.Lines(), want)
	}
}

// TestNamesOfAConfiguration: promptfoo numbers test cases by testIdx and writes rows as they
// end. Whichever ended first, the first of the configuration has the plain name, and so has
// its first prompt.
func TestNamesOfAConfiguration(t *testing.T) {
	row := func(index, prompt int, testCase string) string {
		return fmt.Sprintf(`{"testIdx":%d,"promptIdx":%d,"success":true,"provider":{"id":"m"},"promptId":"p%[2]d","prompt":{"label":"l%[2]d"},"testCase":{%s}}`, index, prompt, testCase)
	}
	rows := []string{row(0, 0, `"description":"d","vars":{"q":1}`), row(0, 1, `"description":"d","vars":{"q":1}`), row(1, 0, `"description":"d","vars":{"q":2}`),
		row(2, 0, `"vars":{"q":"x"},"assert":[{"type":"contains","value":"x"}]`), row(3, 0, `"vars":{"q":"x"},"assert":[{"type":"contains","value":"y"}]`)}
	want := []string{"d (q=2) [m] #0 pass", "d [m, prompt l1 " + hash("p1") + "] #0 pass", "d [m] #0 pass", "q=x (" + hash(`[{"type":"contains","value":"y"}]`) + ") [m] #0 pass", "q=x [m] #0 pass"}
	orders := [][]int{{}}
	for i := range rows { // every order of them
		var longer [][]int
		for _, o := range orders {
			for at := range len(o) + 1 {
				longer = append(longer, slices.Insert(slices.Clone(o), at, i))
			}
		}
		orders = longer
	}
	for _, order := range orders {
		var lines []string
		for _, i := range order {
			lines = append(lines, rows[i])
		}
		for _, text := range []string{strings.Join(lines, "\n"), `{"evalId":"e","results":{"version":3,"results":[` + strings.Join(lines, ",") + `]}}`} {
			got := readtest.Text(t, Read, text).Lines()
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%v: %q, want %q", order, got, want)
			}
		}
	}
}

// TestRowsThatWait: a run whose first row is missing keeps all others, and its texts are
// those of their rows.
func TestRowsThatWait(t *testing.T) {
	var lines []string
	const rows = 3 * mostHeld / 2
	for i := rows; i > 0; i-- {
		lines = append(lines, fmt.Sprintf(`{"testIdx":%d,"promptIdx":0,"success":false,"error":"no %[1]d","response":{"output":"said %[1]d"},"testCase":{"description":"d %[1]d"}}`, i))
	}
	s := readtest.Text(t, Read, strings.Join(lines, "\n"))
	if len(s.Trials) != rows {
		t.Fatalf("%d trials of %d rows", len(s.Trials), rows)
	}
	for _, trial := range s.Trials {
		if _, n, _ := strings.Cut(trial.Test, " "); trial.Message != "no "+n || !strings.HasPrefix(trial.Output, "said "+n) {
			t.Errorf("%#v", trial)
		}
	}
}

// TestSessions: promptfoo's guide gives each test a session by
// transformVars: '{ ...vars, sessionId: context.uuid }', which is no part of what is asked.
func TestSessions(t *testing.T) {
	row := func(session string) string {
		return `{"testIdx":0,"promptIdx":0,"success":true,"testCase":{"vars":{"q":"x","sessionId":"` + session + `"}}}` + "\n"
	}
	s := readtest.Text(t, Read, row("6fa459ea-ee8a-4ca4-894e-db77e160355e")+row("16fd2706-8baf-433b-82eb-8c7fada847da")+row("gold customer"))
	if want := []string{"q=x #0 pass", "q=x #1 pass", "q=x, sessionId=gold customer #0 pass"}; !slices.Equal(s.Lines(), want) {
		t.Errorf("%q, want %q", s.Lines(), want)
	}
}

func TestBroken(t *testing.T) {
	const good = `{"testIdx":0,"promptIdx":0,"testCase":{"description":"d"},"success":true}`
	cases := []struct {
		text   string
		trials int
		told   []string
		reason string
	}{
		{`{"evalId":"e","results":{"results":[]}}`, 0, nil, "no rows"},
		{`{"evalId":"e","results":5}`, 0, []string{"malformed-record 1:25"}, "results of another kind"},
		{`{"evalId":"e","results":{"results":{}}}`, 0, []string{"malformed-record 1:36"}, "rows of another kind"},
		{`{"evalId":"e","results":{"results":[` + good + ",\n5,\n{\"testIdx\":1},\n" + good + "]}}", 2, []string{"malformed-record 2:1", "malformed-record 3:1"}, "elements that are no rows"},
		{`{"evalId":"e","results":{"results":[` + good + ",\n{\"testIdx\":01},\n" + good + "]}}", 2, []string{"malformed-record 2:1"}, "no JSON in a row"},
		{`{"evalId":"e","results":{"results":[` + good + ",\n" + good, 2, []string{"truncated-line 2:74"}, "cut off"},
		{good + "\n{\"testIdx\":1,\"promptIdx\":0,\"testCase\":{},\"success\":\"yes\",\"provider\":[]}\n" + good, 2, []string{"malformed-record 2:1", "ignored-field 2:1"}, "a success that is a text says nothing"},
		{good + "\n{\"testIdx\":1,\"success\":true,\"score\":\"1\",\"cost\":-1,\"latencyMs\":1e999}\n", 2, []string{"ignored-field 2:1"}, "numbers that are none are absent and told"},
		{good + "\n{\"testIdx\":1,\"succ", 1, []string{"truncated-line 2:18"}, "a last line cut off"},
		{good + "\n{\"testIdx\":1 x}\n" + good, 2, []string{"malformed-record 2:14"}, "a broken line"},
		{"{\"testIdx\":3,\"promptIdx\":0,\"testCase\":{\"description\":\"d\"},\"success\":true}\n" + good, 2, []string{"attempt-order 2:1"}, "rows out of order"},
		{good + "\nhello\n\nworld\n", 1, []string{"noise 2:1"}, "lines of another program"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if len(s.Trials) != c.trials || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %d trials, %q %v, want %d trials, %q", c.reason, len(s.Trials), s.Told(), s.Problems, c.trials, c.told)
		}
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"evalId":"e","results":{"ver`, true, "a document, cut"},
		{"{\n  \"results\": {\n    \"version\": 2,", true, "an old document"},
		{`{"results":{"tool":{"name":"x"},"summary":{},"tests":[]}}`, false, "CTRF"},
		{`{"id":"x","results":[{"task_id":"t","is_resolved":true}]}`, false, "Terminal-Bench"},
		{`{"gradingResult":{},"latencyMs":2,"promptId":"x","promptIdx":0,"response":{"output":"`, true, "a row, cut"},
		{`{"test":"x","success":true,"score":1,"provider":"x"}`, false, "a trial of somebody else"},
		{`[{"evalId":1,"results":{}}]`, false, "an array"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func TestHold(t *testing.T) {
	readtest.Hold(t, Sniff, Read)
}

func FuzzPromptfoo(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }

package mapped

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// told is a trial in short: what a named mapping has to find.
func brief(t envelope.Trial) string {
	line := fmt.Sprintf("%s %s%s %vms %v tokens $%v", t.Key, t.Status, t.ErrorClass, t.DurationMS.Or(-1), t.Tokens.Or(-1), t.CostUSD.Or(-1))
	for _, c := range readtest.Checks(t) {
		line += "; " + c
	}
	if t.Message != "" {
		line += " | " + t.Message
	}
	return line
}

// TestPlatforms: exports of every platform, read by eye. Spans inside of a trial are
// none of their own, a trial that nobody scored is not one that failed.
func TestPlatforms(t *testing.T) {
	for file, want := range map[string][]string{
		"phoenix.json": {
			"RGF0YXNldEV4YW1wbGU6MQ==  1250.5ms 25 tokens $-1; exact:  1; tone:  0.9 (warm words)",
			"RGF0YXNldEV4YW1wbGU6MQ==  900ms 26 tokens $-1; exact:  0 (5 is not 4); tone: error (rate limited)",
			"RGF0YXNldEV4YW1wbGU6Mg== error 30000ms -1 tokens $-1 | TimeoutError('the model did not answer')"},
		"phoenix.csv": {
			"RGF0YXNldEV4YW1wbGU6MQ==  1250.5ms 25 tokens $-1; exact:  1; tone:  0.9",
			"RGF0YXNldEV4YW1wbGU6MQ==  900ms 26 tokens $-1; exact:  0"},
		"langfuse.json": {
			"refund  2500ms -1 tokens $0.0125; correct: pass 1; helpful:  0.8 (to the point)",
			"refund  1000ms -1 tokens $0.01; correct: fail 0 (refused)",
			"search errorpre-validation 500ms -1 tokens $0 | nobody scored it"},
		"langfuse.scores.json": {
			"correct  -1ms -1 tokens $-1",
			"correct  -1ms -1 tokens $-1 | refused"},
		"langsmith.jsonl": {
			"exp-1/ex-1  3500ms 120 tokens $0.0024; correctness:  1",
			"exp-1/ex-1  1000ms 100 tokens $0.002; correctness:  0",
			"exp-1/ex-2 error 250ms 0 tokens $-1 | ValueError('no such tool')"},
		"braintrust.json": {
			"france  2250ms 40 tokens $0.0005; Factuality:  1; ExactMatch:  1",
			"france  1000ms 44 tokens $-1; Factuality:  0.4; ExactMatch:  0",
			"capital of Spain error 250ms -1 tokens $-1 | RateLimitError: slow down"},
		"ragas.csv": {
			"When was the first super bowl?  -1ms -1 tokens $-1; faithfulness:  1; answer_relevancy:  0.92; factual_correctness(mode=f1):  0.67",
			"Who won the most super bowls?  -1ms -1 tokens $-1; faithfulness:  0; answer_relevancy: error (not measured); factual_correctness(mode=f1):  0"},
		"ragas.jsonl": {
			"When was the first super bowl?  -1ms -1 tokens $-1; faithfulness:  1; answer_relevancy:  0.92",
			"Who won the most? errorpre-validation -1ms -1 tokens $-1 | nobody scored it"},
		"weave.jsonl": {
			"q1 [gpt]  2500ms 57 tokens $-1; match.match: pass; judge:  0.75 (nearly); polite: pass",
			"q1 [gpt]  1000ms 50 tokens $-1; match.match: fail; judge:  0.75 (nearly); polite: pass",
			"q2 [gpt] error 1000ms -1 tokens $-1 | KeyError: 'answer'"},
	} {
		name, _, _ := strings.Cut(file, ".")
		m, err := Parse("@"+name, "")
		if err != nil {
			t.Fatal(err)
		}
		s := readtest.File(t, m.Read, "testdata/"+file)
		var got []string
		for _, trial := range s.Trials {
			got = append(got, brief(trial))
		}
		if !slices.Equal(got, want) || len(s.Problems) > 0 {
			t.Errorf("%s:\n got %q\nwant %q\n%+v", file, got, want, s.Problems)
		}
	}
}

// TestSplit: a table of MLflow. What decides is the exact match, or what the user says;
// a row that nothing judged is not counted. 5 of 5 points and 1 of 5 are 1 and 0.2.
func TestSplit(t *testing.T) {
	for spec, want := range map[string]string{
		"@mlflow": "What is MLflow? 1 1500ms; What is Spark? 0 250ms; ", "@mlflow,score=metric_1/v1/score/5": "What is MLflow? 1 1500ms; What is Spark? 0.2 250ms; ",
	} {
		m, err := Parse(spec, "")
		if err != nil {
			t.Fatal(err)
		}
		s, got := readtest.File(t, m.Read, "testdata/mlflow.json"), ""
		for _, trial := range s.Trials {
			got += fmt.Sprintf("%s %v %vms; ", trial.Test, trial.Score.Or(-1), trial.DurationMS.Or(-1))
		}
		if got != want || len(s.Problems) != 1 || s.Problems[0].Line != 4 {
			t.Errorf("%s: %s %+v", spec, got, s.Problems)
		}
	}
	m, _ := Parse("test=t,score=s", "")
	for text, want := range map[string]string{
		`{"columns":["t","s"],"index":[0],"data":[["a",1],["b"],5]}`:       "[a #-1 ] [malformed-record 1:50 malformed-record 1:56]",
		`{"columns":["t","s"],"data":[["a",1],["b",`:                       "[a #-1 ] [unreadable-input 1:43]",
		`{"columns":["t","s","t"],"data":[["a",1,"b"]]}`:                   "[] [malformed-record 1:1]",
		`{"columns":5,"data":[["a",1]]}`:                                   "[] [ignored-field 1:12 malformed-record 1:21]",
		`{"columns":["t","s"],"data":{}}`:                                  "[] [malformed-record 1:29]",
		`{"columns":["t","s"],"index":[["data",1]],"data":[["a","high"]]}`: "[] [ignored-field 1:51 malformed-record 1:51]",
	} {
		s := readtest.Text(t, m.Read, text)
		if got := fmt.Sprint(s.Lines(), s.Reported()); got != want {
			t.Errorf("%s: %s %+v", text, got, s.Problems)
		}
	}
}

// TestNamed: the parts behind a name replace those that it has, a mapping of the
// user's own comes before a platform's, and records may stand alone.
func TestNamed(t *testing.T) {
	own := map[string]Named{"phoenix": {Spec: "test=.t,status=.s", Records: ".rows"}, "bad": {Spec: "status=.s"}}
	const row = `{"t":"a","s":"pass","n":"b"}`
	for _, c := range []struct {
		reason, spec, records, text string
		want                        []string
	}{
		{"its own records", "@phoenix", "", `{"rows":[` + row + `]}`, []string{"a pass"}},
		{"records that stand alone", "@phoenix", "", row + "\n" + row, []string{"a pass", "a pass"}},
		{"an array of them", "@phoenix", "", "[" + row + "]", []string{"a pass"}},
		{"over several lines", "@phoenix", "", "{\n\"t\":\"a\",\n\"s\":\"fail\"}", []string{"a fail"}},
		{"a part that replaces one", "@phoenix,test=.n, suite='x'", "", row, []string{"x/b pass"}},
		{"records said again", "@phoenix", ".other", `{"rows":[],"other":[` + row + `]}`, []string{"a pass"}},
		{"in XML", "@phoenix", "", `<rows><row t="a" s="pass"/></rows>`, []string{"a pass"}},
	} {
		m, err := ParseWith(c.spec, c.records, own)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		s := readtest.Text(t, m.Read, c.text)
		var got []string
		for _, trial := range s.Trials {
			got = append(got, trial.Key.String()+" "+string(trial.Status))
		}
		if !slices.Equal(got, c.want) || len(s.Problems) > 0 {
			t.Errorf("%s: %q %+v, want %q", c.reason, got, s.Problems, c.want)
		}
	}
	for spec, says := range map[string]string{"@phenix": "did you mean @phoenix", "@bad": "names no test", "@phoenix,status=": "does not map a field"} {
		if _, err := ParseWith(spec, "", own); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", spec, err, says)
		}
	}
}

// TestScorer: one of several scores decides where it is asked for.
func TestScorer(t *testing.T) {
	m, err := Parse("@langfuse", "")
	if err != nil {
		t.Fatal(err)
	}
	m.Scorer = "helpful"
	s := readtest.File(t, m.Read, "testdata/langfuse.json")
	if len(s.Trials) != 2 || s.Trials[0].Score != envelope.Some(0.8) || s.Trials[1].ErrorClass != envelope.ClassPreValidation {
		t.Errorf("%+v", s.Trials)
	}
	if len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Message, `the scorer "helpful" has no score here; scorers that have one: "correct"`) || s.Problems[0].Line != 4 {
		t.Errorf("%+v", s.Problems)
	}
}

// TestWhere: records that are no trials are counted, not lost in silence.
func TestWhere(t *testing.T) {
	m, err := Parse(`where=.kind=="root" || kind==~null,test=.t,status=.s`, "")
	if err != nil {
		t.Fatal(err)
	}
	s := readtest.Text(t, m.Read, `{"t":"a","s":1,"kind":"root"}`+"\n"+`{"t":"b","s":1,"kind":"child"}`+"\n"+`{"t":"c","s":0}`+"\n")
	if len(s.Trials) != 2 || len(s.Problems) != 1 || !strings.HasPrefix(s.Problems[0].Message, "Tribunal skips 1 record: where=kind") {
		t.Errorf("%q %+v", s.Lines(), s.Problems)
	}
	s = readtest.Text(t, m.Read, "t,s,kind\na,1,root\nb,1,child\n")
	if len(s.Trials) != 1 || s.Trials[0].Test != "a" {
		t.Errorf("a table: %q %+v", s.Lines(), s.Problems)
	}
}

// TestValues: what is added up, what stands in the place of what is missing, times in
// every form: 2001-09-09T01:46:40.5Z is 1000000000.5 seconds after 1970.
func TestValues(t *testing.T) {
	m, err := Parse("test=.a ?? .b.c,status=.s,tokens=.in+.out,duration_ms=.d*1000 ?? .ms,started_at=.at,ended_at=.end", "")
	if err != nil {
		t.Fatal(err)
	}
	s := readtest.Text(t, m.Read, `{"b":{"c":"x"},"s":"pass","in":3,"out":4,"ms":5,"at":1000000000.5}
{"a":"y","s":"pass","in":3,"d":2,"at":"2001-09-09 01:46:40.500000"}
{"a":"z","s":"pass","at":1000000000500,"end":"2001-09-09T01:46:41.5+00:00"}
`)
	got := fmt.Sprint(len(s.Problems))
	for _, trial := range s.Trials {
		got += fmt.Sprint("; ", trial.Test, " ", trial.Tokens.Or(-1), " ", trial.DurationMS.Or(-1), " ", trial.StartedAt.UnixMilli())
	}
	if got != "0; x 7 5 1000000000500; y 3 2000 1000000000500; z -1 1000 1000000000500" {
		t.Errorf("%s %+v", got, s.Problems)
	}
}

// TestMarkup: XML by the same paths, with what stands around a record.
func TestMarkup(t *testing.T) {
	const text = `<?xml version="1.0"?>
<report><group name="g1">
<case id="1" name="a"><outcome>pass</outcome><note>x</note><note>y</note></case>
<case id="2" name="b"><outcome why="it broke">fail</outcome></case>
</group><other/><group name="g2"><case id="3" name="a &amp; b"><outcome>pass</outcome></case></group></report>`
	m, err := Parse("test=.name,suite=.^.name,status=.outcome.text ?? .outcome,message=.outcome.why,labels.note=.note.1", ".report.group.case")
	if err != nil {
		t.Fatal(err)
	}
	s := readtest.Text(t, func(r2 io.Reader, to envelope.Sink) error { return m.Read(iotest.OneByteReader(r2), to) }, text)
	want := []string{"g1/a #-1 pass", "g1/b #-1 fail", "g2/a & b #-1 pass"}
	if !slices.Equal(s.Lines(), want) || len(s.Problems) > 0 || s.Trials[0].Labels[0].Value != "y" || s.Trials[1].Message != "it broke" {
		t.Errorf("%q %+v", s.Lines(), s.Problems)
	}
	m, _ = Parse("test=.name,status=.outcome", "")
	s = readtest.Text(t, m.Read, `<all><case name="a"><outcome>pass</outcome></case><case name="b"`)
	if !slices.Equal(s.Lines(), []string{"a #-1 pass"}) || !slices.Equal(s.Reported(), []string{"unreadable-input 1:65"}) {
		t.Errorf("cut: %q %q", s.Lines(), s.Reported())
	}
	m, _ = Parse("test=.name,status=.outcome", ".results.case")
	if s = readtest.Text(t, m.Read, "<all/>"); len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Message, `the root element is "all"`) {
		t.Errorf("%+v", s.Problems)
	}
}

// TestMarks: a record of an export has what its mapping says it has.
func TestMarks(t *testing.T) {
	for _, file := range []string{"phoenix.json", "phoenix.csv", "langfuse.json", "langsmith.jsonl", "braintrust.json", "weave.jsonl", "ragas.csv", "mlflow.json"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(file, ".")
		if got := PlatformOf(text); got != name {
			t.Errorf("%s looks like %q", file, got)
		}
	}
	for _, text := range []string{"", "{}", `{"trace_id":1}`, "a,b\n1,2\n"} {
		if got := PlatformOf([]byte(text)); got != "" {
			t.Errorf("%q looks like %q", text, got)
		}
	}
}

// TestUnmeasured: of a public table of Ragas four of five answers had only their
// context_recall, because its judge had timed out for the other metrics, and passed by it.
func TestUnmeasured(t *testing.T) {
	m, err := Parse("test=.q,checks=.faithfulness+.recall+.other", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, checks, status, reason string }{
		{"q,faithfulness,recall\na,,1.0\n", "faithfulness: error (not measured); recall:  1", "", "an empty cell; a column that is not there says nothing"},
		{"q,faithfulness,recall\na,nan,1.0\n", "faithfulness: error (not measured); recall:  1", "", "a number that is none"},
		{`{"q":"a","faithfulness":null,"recall":1}` + "\n", "faithfulness: error (not measured); recall:  1", "", "null"},
		{`{"q":"a","recall":1}` + "\n", "recall:  1", "", "a member that is not there"},
		{"q,faithfulness,recall\na,,\n", "", "error", "nobody scored it"},
	} {
		s := readtest.Text(t, m.Read, c.text)
		if len(s.Trials) != 1 || strings.Join(readtest.Checks(s.Trials[0]), "; ") != c.checks || string(s.Trials[0].Status) != c.status {
			t.Errorf("%s: %q %q %v", c.reason, readtest.Checks(s.Trials[0]), s.Lines(), s.Problems)
		}
	}
}

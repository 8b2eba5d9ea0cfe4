package otlp

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestAgents: a trace is a trial. a has two evaluations that hold, b one that does
// not, c ended by an error, d is none of an agent, e lost the span that it began with.
func TestAgents(t *testing.T) {
	s := readtest.File(t, Read, "testdata/genai.jsonl")
	const test = "shop-agent/invoke_agent refunds [gpt-4o] "
	want := []string{test + "#0 ", test + "#1 ", test + "#2 error timeout", "shop-agent/chat gpt-4o [gpt-4o] #0 error infrastructure"}
	if !slices.Equal(s.Lines(), want) {
		t.Errorf("%q", s.Lines())
	}
	if len(s.Problems) != 1 || s.Problems[0].Code != "passed-over" || s.Problems[0].Count != 1 {
		t.Errorf("%+v", s.Problems)
	}
	a, b, c := s.Trials[0], s.Trials[1], s.Trials[2]
	// 100+20+150+30: what the agent says of itself is the same tokens again.
	if a.Tokens != envelope.Some[int64](300) || a.DurationMS != envelope.Some(2500.0) || a.ToolCalls != envelope.Some[int32](1) || a.StartedAt.Unix() != 1764000000 {
		t.Errorf("%+v", a)
	}
	if got := readtest.Checks(a); !slices.Equal(got, []string{"relevance: pass 0.9", "groundedness:  1"}) {
		t.Errorf("%q", got)
	}
	if got := readtest.Turns(a); !slices.Equal(got, []string{"user: refund order 7", "assistant: done"}) {
		t.Errorf("%q", got)
	}
	if got := readtest.Checks(b); !slices.Equal(got, []string{"relevance: fail 0.1 (it talks of the weather)"}) || b.Tokens.OK {
		t.Errorf("%q %+v", got, b.Tokens)
	}
	if got := readtest.Turns(c); !slices.Equal(got, []string{"assistant:  2222222222222222=pay()", "tool pay=2222222222222222 failed: refused"}) {
		t.Errorf("%q", got)
	}
	if c.Message != "the model timed out" || c.Output != "Traceback\n  a.py" || c.DurationMS.V != 30_000 {
		t.Errorf("%+v", c)
	}
}

// TestCases: spans of tests are trials, and the one around them is none.
func TestCases(t *testing.T) {
	s := readtest.File(t, Read, "testdata/tests.json")
	want := map[string]string{"web/login works": "P", "web/logout works": "FP", "web/slow": "F", "web/todo": "S"}
	if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 {
		t.Errorf("%v %q", got, s.Told())
	}
	login := s.Find(t, "login works", 0)
	if login.File != "test/login.py" || login.Line != 12 || login.DurationMS.V != 1500 || login.Message != "" {
		t.Errorf("%+v", login)
	}
	if out := s.Find(t, "logout works", 0); out.Message != "expected 200, got 500" {
		t.Errorf("%+v", out)
	}
	if slow := s.Find(t, "slow", 0); slow.ErrorClass != envelope.ClassTimeout {
		t.Errorf("%+v", slow)
	}
}

func TestShapes(t *testing.T) {
	wrap := func(spans string) string { return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + spans + `]}]}]}` }
	const test = `"attributes":[{"key":"test.case.name","value":{"stringValue":"a"}}]`
	suite := func(ended string) string {
		return `{"traceId":"1","spanId":"9","attributes":[{"key":"test.suite.run.status","value":{"stringValue":"` + ended + `"}}]}`
	}
	ended := func(as string) string {
		return strings.Replace(test, `[`, `[{"key":"test.case.result.status","value":{"stringValue":"`+as+`"}},`, 1)
	}
	evaluated := func(label, more string) string {
		return `{"traceId":"1","spanId":"2","name":"chat","events":[{"name":"gen_ai.evaluation.result","attributes":[{"key":"gen_ai.evaluation.name","value":{"stringValue":"relevance"}},` +
			`{"key":"gen_ai.evaluation.score.label","value":{"stringValue":"` + label + `"}}` + more + `]}]}`
	}
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{wrap(`{"traceId":"1","spanId":"2",` + test + `}`), []string{"a #0 pass"}, nil, "no times and no status"},
		{wrap(`{"spanId":"2",` + test + `}`), nil, []string{"malformed-record 1:44"}, "no trace"},
		{wrap(`{"traceId":"1","spanId":"2","parentSpanId":"3","name":"x","attributes":[{"key":"gen_ai.system","value":{"stringValue":"s"}}]},{"traceId":"1","spanId":"3","parentSpanId":"2","name":"y"}`),
			[]string{"x #0 error infrastructure"}, nil, "spans in a circle"},
		{wrap(`{"traceId":"1","spanId":"2",`+test+`}`) + wrap(`{"traceId":"1","spanId":"3",`+test+`,"status":{"code":2}}`), []string{"a #0 pass", "a #1 fail"}, nil, "two documents"},
		{wrap(`{"traceId":"1","spanId":"2",`+test+`}`) + "\n" + `{"resourceSpans":[{"sc`, []string{"a #0 pass"}, []string{"truncated-line 2:23"}, "cut"},
		{wrap(`{"traceId":"1","spanId":"2",` + test + `},{"tra`)[:145], []string{"a #0 pass"}, []string{"truncated-line 1:146"}, "cut inside of a request: what came before is counted, and the input is an error"},
		{`{"resourceSpans":[{` + "\n" + wrap(`{"traceId":"1","spanId":"2",`+test+`}`) + "\n" + `{"resourceSpans":[}` + "\n{\n" + wrap(`{"traceId":"1","spanId":"3",` + test + `}`)[1:], []string{"a #0 pass", "a #1 pass"}, []string{"unreadable-input 2:1", "malformed-record 3:19", "unreadable-input 3:19"}, "two broken requests beside whole ones"},
		{wrap(`7,{"traceId":"1","spanId":"2",` + test + `},{"traceId":01},{"traceId":"1","spanId":"3",` + test + `}`), []string{"a #0 pass", "a #1 pass"}, []string{"malformed-record 1:44", "malformed-record 1:143"}, "broken spans beside whole ones"},
		{`{"resourceSpans":[7,{"scopeSpans":{}},{"resource":null,"scopeSpans":[null,{"spans":null}]}]}`, nil, []string{"malformed-record 1:19", "malformed-record 1:35"}, "what is no list"},
		{`{"resourceMetrics":[]}`, nil, nil, "metrics alone"},
		{wrap(`{"traceId":"1","spanId":"2",` + test + `},` + suite("aborted")), []string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "a run that was aborted"},
		{wrap(`{"traceId":"1","spanId":"2",` + test + `},` + suite("timed_out")), []string{"a #0 pass", "[run] #0 error timeout"}, nil, "a run that took too long"},
		{wrap(`{"traceId":"1","spanId":"2",` + test + `},` + suite("failure")), []string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "a run that failed, and none of its tests"},
		{wrap(`{"traceId":"1","spanId":"2",` + test + `,"status":{"code":2}},` + suite("failure")), []string{"a #0 fail"}, nil, "a run that failed by a test"},
		{wrap(`{"traceId":"1","spanId":"2",` + test + `},` + suite("success")), []string{"a #0 pass"}, nil, "a run that passed"},
		{wrap(`{"traceId":"1","spanId":"2",` + test + `},` + suite("in_progress")), []string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "a run that was not over"},
		{wrap(`{"traceId":"1","spanId":"2",` + test + `},` + suite("skipped")), []string{"a #0 pass"}, nil, "a run that was skipped"},
		{wrap(`{"traceId":"1","spanId":"2",` + ended("flaked_out") + `},{"traceId":"1","spanId":"3",` + ended("pass") + `},{"traceId":"1","spanId":"4",` + ended("skipped") + `}`),
			[]string{"a #0 error flaked_out", "a #1 pass", "a #2 skip skipped"}, nil, "test.case.result.status may have a custom value (attributes-registry/test of the conventions)"},
		{wrap(evaluated("unsatisfactory", "")), []string{"chat #0 error unscored pre-validation"}, nil, "an evaluation by a label of somebody's own, without a score"},
		{wrap(evaluated("pass", "")), []string{"chat #0 "}, nil, "a label that is known decides"},
		{wrap(evaluated("unsatisfactory", `,{"key":"gen_ai.evaluation.score.value","value":{"doubleValue":0.5}}`)), []string{"chat #0 "}, nil, "and so does a score"},
		{wrap(suite("aborted")), []string{"[run] #0 error infrastructure"}, nil, "a run that was aborted before its first test"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

// TestOurs: of a report of ours the trials are read, with what they had.
func TestOurs(t *testing.T) {
	s := readtest.File(t, Read, "testdata/ours.jsonl")
	want := map[string]string{"evals/search": "PpF", "evals/refund [gpt-4o]": "E"}
	if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 {
		t.Errorf("%v %+v", got, s.Problems)
	}
	first, lost := s.Find(t, "search", 0), s.Find(t, "refund", 0)
	if first.CostUSD.V != 0.25 || first.Tokens.V != 90 || first.DurationMS.V != 1200 || first.Score.V != 0.75 {
		t.Errorf("%+v", first)
	}
	if lost.ErrorClass != envelope.ClassInfrastructure || lost.Message != "no network" {
		t.Errorf("%+v", lost)
	}
}

// TestAttributeWithoutValue: an attribute of which only the key is there says nothing.
func TestAttributeWithoutValue(t *testing.T) {
	const span = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","spanId":"2","name":"chat",` +
		`"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.input.messages"}],` +
		`"events":[{"name":"exception","attributes":[{"key":"exception.message"},{"key":"exception.stacktrace"}]}]}]}]}]}`
	if s := readtest.Text(t, Read, span); len(s.Trials) != 1 || len(s.Problems) > 0 {
		t.Errorf("%q %q", s.Lines(), s.Problems)
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzOTLP(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","spanId":"2","attributes":[{"key":"gen_ai.input.messages","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"role","value":{"stringValue":"user"}}]}}]}}}]}]}]}]}`)
}

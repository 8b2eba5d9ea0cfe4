package native

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/jsontext"
	"tribunal/read/internal/chunks"
)

// syntaxCases are objects, valid and not. encoding/json is the judge of both.
var syntaxCases = []string{
	`{}`, `{ }`, `{"a":1}`, `{"a":1,"b":2}`, ` { "a" : [ 1 , 2 ] , "b" : { } } `, "{\"a\":\t1\r}",
	`{`, `}`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a" 1}`, `{"a":1 "b":2}`, `{a:1}`, `{'a':1}`, `{"a":1}x`, `{"a":1}{}`, `{"a":1},`, `{1:2}`, `{"a"::1}`, `{null:1}`,
	`{"a":true,"b":false,"c":null}`, `{"a":tru}`, `{"a":truee}`, `{"a":nul`, `{"a":fals}`, `{"a":True}`, `{"a":NaN}`, `{"a":Infinity}`, `{"a":undefined}`,
	`{"a":0}`, `{"a":-0}`, `{"a":00}`, `{"a":01}`, `{"a":-}`, `{"a":+1}`, `{"a":.5}`, `{"a":1.}`, `{"a":1.5}`, `{"a":1e}`, `{"a":1e+}`, `{"a":1E-2}`, `{"a":1e5.5}`, `{"a":0x1}`, `{"a":1_000}`, `{"a":1e999}`, `{"a":-1.25e-10}`, `{"a":--1}`, `{"a":1`, `{"a":1.`, `{"a":1e`,
	`{"a":""}`, `{"a":"b`, `{"a":"b\`, `{"a":"b\"`, `{"a":"\u"}`, `{"a":"\u12"}`, `{"a":"\u123g"}`, `{"a":"\x41"}`, `{"a":"\'"}`, `{"a":"\"\\\/\b\f\n\r\t\u0041"}`, `{"a":"\U0041"}`, `{"a":"\u00E9\u00e9\uFFFF"}`,
	"{\"a\":\"tab\there\"}", "{\"a\":\"nul\x00here\"}", "{\"a\":\"del\x7fhere\"}", "{\"a\":\"esc\x1bhere\"}", "{\"a\":1\x00}", "{\x00\"a\":1}", "{\"a\":1}\x00", "{\"a\":1}\x0b", "{\"a\":\u00a01}",
	`{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`, `{"a":"\ude00"}`, `{"a":"\ud83dx"}`, `{"a":"\ud83d\n"}`, `{"a":"\ud83d\ud83d\ude00"}`, `{"a":"\ud83d\u0041"}`, `{"a":"\ud83d\u00"}`, `{"a":"\ud83d\`, `{"\ud800":1,"\u0061":2}`,
	"{\"a\":\"\xff\"}", "{\"a\":\"\xc3\x28\"}", "{\"a\":\"\xed\xa0\x80\"}", "{\"a\":\"\xf0\x9f\x98\"}", "{\"a\":\"caf\u00e9 \u65e5\u672c \U0001F600\"}", "{\"\xff\":1}", "{\"a\":\"\xe9\\n\xe9\"}", "{\"a\":\"\uFFFD\"}",
	`{"a":[]}`, `{"a":[1,]}`, `{"a":[,1]}`, `{"a":[1 2]}`, `{"a":[1}`, `{"a":{"b":1]}`, `{"a":[[[]]]}`, `{"a":[[],[],{}]}`, `{"a":{"b":{"c":[{"d":1},{"e":[2,3]}]}},"f":1}`, `{"a":{"b":1,}}`, `{"a":{"b"}}`, `{"a":{"b":}}`, `{"a":{:1}}`, `{"a":[{]}`, `{"a":[`, `{"a":{`, `{"a":[1`, `{"a":[1,`, `{"a":{"b"`, `{"a":{"b":`, `{"a":{"b":1`, `{"a":["x","y\n"]}`,
	`{"a":1,"a":2}`, `{"a":1,"a":null}`, `{"test":"x","test":"y","status":null}`, `{"test":"\u0074","s\u0074atus":"pass"}`,
}

// differ compares the scanner with encoding/json on one line that begins with a
// brace. It returns what they disagree on, "" when they agree.
func differ(line []byte) string {
	text, rec := jsontext.Part{B: line}, &record{}
	ok := rec.parse(&text, bytes.IndexByte(line, '{'), &jsontext.Said{})
	if valid := json.Valid(line); valid != ok {
		return fmt.Sprintf("encoding/json says valid: %v, and here: at %d: %s", valid, text.Wrong, text.Reason)
	}
	if !ok {
		if text.Wrong < 0 || text.Wrong > len(line) || text.Reason == "" {
			return fmt.Sprintf("no place or reason: %d %q", text.Wrong, text.Reason)
		}
		return ""
	}
	var want map[string]any
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&want); err != nil {
		return err.Error()
	}
	for name, f := range byName {
		if got, v := rec.values[f], want[name]; rec.present.has(f) != (v != nil) {
			return fmt.Sprintf("%s: present %v, encoding/json has %v", name, rec.present.has(f), v)
		} else if v != nil && !sameValue(got, v) {
			return fmt.Sprintf("%s: %v %q, encoding/json has %v", name, got.kind, got.text, v)
		}
		delete(want, name)
	}
	distinct := map[string]bool{}
	for _, name := range rec.unknown {
		distinct[name] = true
	}
	if len(distinct) != len(want) && len(rec.unknown) < unknownCap {
		return fmt.Sprintf("unknown fields %q, encoding/json has %v", rec.unknown, want)
	}
	return ""
}

func sameValue(got value, want any) bool {
	switch w := want.(type) {
	case string:
		return got.kind == '"' && got.text == w
	case json.Number:
		return got.kind == '0' && got.text == w.String()
	case bool:
		return got.kind == 't' && got.text == fmt.Sprint(w)
	case []any:
		return got.kind == '[' && json.Valid([]byte(got.text))
	}
	return got.kind == '{' && json.Valid([]byte(got.text))
}

func TestAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range syntaxCases {
		if !strings.Contains(text, "{") {
			continue
		}
		for _, line := range []string{text, strings.ReplaceAll(text, `"a"`, `"test"`), strings.ReplaceAll(text, `"a"`, `"output"`)} {
			if why := differ([]byte(line[strings.Index(line, "{"):])); why != "" {
				t.Errorf("%q: %s", line, why)
			}
		}
	}
}

func TestDepth(t *testing.T) {
	cases := []struct {
		depth  int
		reason string
	}{
		{1, "one"}, {jsontext.Deepest - 1, "with the record itself as deep as encoding/json goes"}, {jsontext.Deepest, "one more"}, {200000, "far more"},
	}
	for _, c := range cases {
		for _, brackets := range []string{`[]`, `{"x":}`} {
			half := len(brackets) - 1
			line := `{"a":` + strings.Repeat(brackets[:half], c.depth) + `1` + strings.Repeat(brackets[half:], c.depth) + `}`
			if why := differ([]byte(line)); why != "" {
				t.Errorf("%s, %d deep in %s: %s", c.reason, c.depth, brackets, why)
			}
		}
	}
}

// live tells the name of every trial when it arrives.
type live struct {
	sink
	arrived chan string
}

func (l *live) Trial(t *envelope.Trial) { l.arrived <- strings.Clone(t.Test) }

// stream is n trials of 100 tests with 700 bytes of output each, every tenth of
// them failing.
func stream(n int) []byte {
	var b bytes.Buffer
	output := strings.Repeat(`step: asked the tool and waited for its answer\n`, 15)[:700]
	for i := range n {
		status := "pass"
		if i%10 == 7 {
			status = "fail"
		}
		fmt.Fprintf(&b, `{"suite":"suite %d","test":"answers question %d","attempt":%d,"status":%q,"score":0.%d,"duration_ms":%d.5,"cost_usd":0.0%d,"tokens":%d,"tool_calls":3,"output":"%s"}`+"\n",
			i%10, i%100, i/100, status, i%1000, i%9000, i%500+1, i, output)
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	text := stream(50000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		builder := count.NewBuilder(5, 0.5)
		in := builder.Input("bench", "native")
		if err := Read(bytes.NewReader(text), in); err != nil || builder.Trials() != 50000 {
			b.Fatal(err, builder.Trials())
		}
		in.Close()
	}
}

type nothing struct{}

func (nothing) Trial(*envelope.Trial)                     {}
func (nothing) Header(envelope.Header, *envelope.Carried) {}
func (nothing) Recorded(*envelope.Recorded)               {}
func (nothing) Problem(envelope.Problem)                  {}

// TestMemoryPerTrial: reading a trial takes no memory, and counting one a piece for its test.
func TestMemoryPerTrial(t *testing.T) {
	counted := func(text []byte) error {
		return readSideBySide(bytes.NewReader(text), count.NewBuilder(5, 0.5).Input("bench", "native"), nil, 2, chunks.Size, chunks.MaxLine)
	}
	one := func(tests int) (text []byte) {
		for i := range tests {
			text = fmt.Appendf(text, `{"test":"question %d","variant":"v%d","status":"pass"}`+"\n", i, i%2)
		}
		return text
	}
	for name, c := range map[string]struct {
		few, many []byte
		more      float64
		read      func([]byte) error
	}{
		"read":    {stream(1000), stream(5000), 10, func(text []byte) error { return Read(bytes.NewReader(text), nothing{}) }},
		"counted": {stream(60000), stream(120000), 1000, counted},
		"tests":   {one(20000), one(40000), 1.1 * 20000, counted},
	} {
		took := func(text []byte) float64 {
			return testing.AllocsPerRun(2, func() {
				if err := c.read(text); err != nil {
					t.Fatal(err)
				}
			})
		}
		if few, many := took(c.few), took(c.many); many > few+c.more {
			t.Errorf("%s: %v allocations, then %v", name, few, many)
		}
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"test":"a","status":"pass"}`, true, "a trial"},
		{`{"score":1,"test":"a"}` + "\n", true, "a trial by its score"},
		{`{"category":1,"x":2,"test":"a"}`, true, "a trial by its category, with a field of its own"},
		{`{"test":"a","checks":[{"name":"cites","status":"pass"}]}`, true, "a trial by its checks"},
		{`{"test":"a","checks":3}`, false, "checks that are a number"},
		{"building...\n\n" + `{"test":"a","status":"pass"}` + "\n", true, "a log line first"},
		{`{"broken` + "\n" + `{"test":"a","status":"pass"}`, true, "a broken line first"},
		{"\uFEFF" + `{"test":"a","status":"pass"}`, true, "a byte order mark"},
		{`{"type":"run","name":"n"}`, true, "a header"},
		{`{"schema":"tribunal/trials/v1","type":"run"}`, true, "the schema says so"},
		{`{"schema":"tribunal/trials/v1"`, true, "the schema says so, cut"},
		{`{"suite":"s","test":"a","attempt":0,"output":"very long`, true, "cut, three fields of ours"},
		{`{"test":"a","outpu`, false, "cut too early"},
		{`{"test":"a"}`, false, "nothing says how it ended"},
		{`{"type":"run"}`, false, "anybody's run"},
		{`{"schema":"tribunal/trials/v2","test":"a","status":"pass"}`, false, "a later version"},
		{`{"type":1,"test":"a","status":"pass"}`, false, "a type that is none"},
		{``, false, "nothing"},
		{`hello`, false, "a text"},
		{`[{"test":"a","status":"pass"}]`, false, "a document"},
		{`{` + "\n" + ` "test":"a",` + "\n", false, "a document over several lines"},
		{`{"schema":"tribunal/envelope/v1","run":{},"tests":[{"test":"a","status":"pass"}]}`, false, "an envelope"},
		{`{"schema":"tribunal/envelope/v1","type":"header","run":{},"policy":{}}` + "\n", false, "an envelope in lines"},
		{`{"type":"test","suite":"s","test":"a","status":"pass","rows":{}}` + "\n", false, "a line of an envelope"},
		{`{"Time":"2024-01-01T00:00:00Z","Action":"run","Package":"p","Test":"T"}`, false, "go test -json"},
		{`{"pytest_version":"8.0","$report_type":"SessionStart"}`, false, "pytest-reportlog"},
		{`{"meta":{"protocolVersion":"1"}}`, false, "Cucumber Messages"},
		{`{ "type": "suite", "event": "started", "test_count": 3 }`, false, "libtest"},
		{`{ "type": "test", "event": "ok", "name": "a", "exec_time": 0.1 }`, false, "libtest"},
		{`{"spec":{"completion_fns":["x"],"eval_name":"e","run_id":"1"}}`, false, "OpenAI evals"},
		{`{"run_id":"1","event_id":0,"sample_id":"a","type":"match","data":{}}`, false, "OpenAI evals"},
		{`{"testIdx":0,"promptIdx":0,"testCase":{},"success":true,"score":1}`, false, "promptfoo"},
		{`{"doc_id":0,"doc":{},"resps":[["x"]],"filtered_resps":["x"],"acc":1.0}`, false, "lm-eval"},
		{`{"timestamp":"x","test_id":"a","suite":"s","score":1,"target":"t"}`, false, "AgentV"},
		{`{"evalId":"e","results":{"version":3}}`, false, "promptfoo"},
		{`{"config":{},"suites":[],"stats":{}}`, false, "Playwright"},
		{`{"numTotalTests":1,"testResults":[]}`, false, "Jest"},
		{`{"reportFormat":"CTRF","results":{"tests":[{"name":"a","status":"passed"}]}}`, false, "CTRF"},
		{`{"created":1,"exitcode":0,"summary":{},"tests":[]}`, false, "pytest-json-report"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

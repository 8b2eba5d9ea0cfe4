package otlp

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
	_ "tribunal/read/formats"
	"tribunal/verdict"
)

// judged is a stream of trials under the rule that all must pass.
func judged(t *testing.T, stream string) *envelope.Envelope {
	t.Helper()
	policy, err := verdict.Resolve(envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	b := count.NewBuilder(5, policy.ScoreThreshold.V)
	read.Stream(b, "trials.ndjson", strings.NewReader(stream), "")
	e, err := verdict.Seal(b.Run(policy.OnConflict, 5), policy)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// spansOf are the spans of what is written, and how many lines they are.
func spansOf(t *testing.T, e *envelope.Envelope) (spans []span, lines int) {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, e, Options{Signal: Traces}); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out.Bytes()) {
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(line), Marks[0]) || Name(line) != "traces.jsonl" || len(r.Metrics) > 0 {
			t.Errorf("no line of traces: %.200s", line)
		}
		spans, lines = append(spans, r.Spans[0].Spans[0].Spans...), lines+1
	}
	return spans, lines
}

// TestTimes: 2026-03-14T02:00:00Z is 1773453600 seconds after 1970. A trial without a
// start begins with the run, a tool call takes from its turn to the end of its answer.
func TestTimes(t *testing.T) {
	const start = instant(1_773_453_600_000_000_000)
	const ms = instant(1_000_000)
	spans, _ := spansOf(t, judged(t, `{"type":"run","started_at":"2026-03-14T02:00:00Z"}
{"test":"a","attempt":0,"status":"pass","started_at":"2026-03-14T02:00:01Z","duration_ms":250.5,"transcript":[{"role":"assistant","at_ms":10,"tool_calls":[{"id":"1","name":"find"},{"id":"2","name":"book"}]},{"role":"tool","tool_call_id":"1","at_ms":20,"duration_ms":5,"text":"none","error":true}]}
{"test":"a","attempt":1,"status":"pass","duration_ms":100}
`))
	want := []struct {
		name       string
		start, end instant
	}{
		{"test run", start, start + 1250*ms + ms/2},
		{"a", start, start + 1250*ms + ms/2},
		{"a", start + 1000*ms, start + 1250*ms + ms/2},
		{"execute_tool find", start + 1010*ms, start + 1025*ms},
		{"execute_tool book", start + 1010*ms, start + 1010*ms},
		{"a", start, start + 100*ms},
	}
	if len(spans) != len(want) {
		t.Fatalf("%d spans", len(spans))
	}
	for i, w := range want {
		if s := spans[i]; s.Name != w.name || s.Start != w.start || s.End != w.end {
			t.Errorf("span %d is %s from %d to %d, want %+v", i, s.Name, s.Start, s.End, w)
		}
	}
	if spans[3].Status == nil || spans[3].Status.Code != 2 || spans[4].Status != nil {
		t.Error("the call that failed has STATUS_CODE_ERROR, the other has no status")
	}
}

// TestNoTimes: what nobody knows is not there, and is not 1970.
func TestNoTimes(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, judged(t, `{"test":"a","status":"pass","duration_ms":5}`+"\n"), Options{}); err != nil || strings.Contains(out.String(), "UnixNano") {
		t.Errorf("%v %s", err, &out)
	}
}

// TestLines: 500 spans are a request. The run, and 400 tests of a trial each, are 801.
func TestLines(t *testing.T) {
	var stream strings.Builder
	for i := range 400 {
		stream.WriteString(`{"test":"t` + strings.Repeat("x", i) + `","status":"pass"}` + "\n")
	}
	spans, lines := spansOf(t, judged(t, stream.String()))
	if len(spans) != 801 || lines != 2 {
		t.Errorf("%d spans in %d lines", len(spans), lines)
	}
}

// TestSignals: a file of OTLP has one kind of data.
func TestSignals(t *testing.T) {
	e := judged(t, `{"test":"a","status":"fail"}`+"\n")
	for signal, want := range map[string][2]bool{"": {true, true}, Both: {true, true}, Traces: {true, false}, Metrics: {false, true}} {
		var out bytes.Buffer
		if err := Write(&out, e, Options{Signal: signal}); err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{strings.Contains(out.String(), Marks[0]), strings.Contains(out.String(), Marks[1])}; got != want {
			t.Errorf("%q: traces and metrics %v, want %v", signal, got, want)
		}
	}
}

// TestLabelsThatLookAlike: no key of an attribute is there twice.
func TestLabelsThatLookAlike(t *testing.T) {
	var a attributes
	labels(&a, map[string]string{"k": "1", "k\x1b[1m": "2", "l": "3"})
	var keys []string
	for _, one := range a {
		keys = append(keys, one.Key)
	}
	if got := strings.Join(keys, ", "); got != "tribunal.label.k, tribunal.label.k #2, tribunal.label.l" {
		t.Error(got)
	}
}

type fullDisk struct{ left int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestErrorsOfTheWriter(t *testing.T) {
	e := judged(t, `{"test":"a","status":"fail"}`+"\n")
	for _, signal := range []string{Both, Traces, Metrics} {
		if err := Write(&fullDisk{100}, e, Options{Signal: signal}); err == nil {
			t.Errorf("%s: a full disk is not said", signal)
		}
	}
}

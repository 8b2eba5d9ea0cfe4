package ctrf_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/hostile"
	"tribunal/render/ctrf"
	"tribunal/render/internal/rendertest"
)

// report is what a reader of CTRF sees, and our own extras as they are.
type report struct {
	Results struct {
		Summary struct{ Tests, Passed, Failed, Skipped, Pending, Other, Flaky, Start, Stop, Duration int64 }
		Extra   struct{ Tribunal json.RawMessage }
		Tests   []struct {
			ID, Name, Status, RawStatus, Message, Trace string
			Suite                                       []string
			Duration                                    int64
			Start, Stop                                 *int64
			Flaky                                       bool
			Retries                                     int
			RetryAttempts                               []struct {
				Attempt         int
				Status, Message string
			}
			Extra *struct{ Tribunal json.RawMessage }
		}
	}
}

func write(t *testing.T, e *envelope.Envelope) []byte {
	t.Helper()
	return rendertest.Document(t, e, ctrf.Write)
}

func read(t *testing.T, doc []byte) report {
	t.Helper()
	var r report
	if err := json.Unmarshal(doc, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGoldens(t *testing.T) {
	for _, name := range []string{"plain", "broken", "empty"} {
		got := write(t, rendertest.Envelopes()[name])
		rendertest.Golden(t, name+".json", got)
	}
}

func TestContract(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat() // uuid
	schema, err := compiler.Compile("../../testdata/schemas/ctrf.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range rendertest.Envelopes() {
		t.Run(name, func(t *testing.T) {
			doc := rendertest.Written(t, e, ctrf.Write)
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Error(err)
			}
			compare(t, read(t, doc), e)
			checkBytes(t, doc)
		})
	}
}

// compare holds what a reader sees against the envelope.
func compare(t *testing.T, r report, e *envelope.Envelope) {
	t.Helper()
	got, ids := map[string]int64{}, map[string]bool{}
	for _, x := range r.Results.Tests {
		got[x.Status]++
		got["raw "+x.RawStatus]++
		if x.Extra != nil {
			ids[x.ID] = true
		}
	}
	if len(ids) != len(e.Tests) {
		t.Errorf("%d ids for %d tests", len(ids), len(e.Tests))
	}
	s, c := r.Results.Summary, e.Summary.Counts
	broken, unheld := rendertest.Beside(e)
	c.Tests, c.Error, c.Fail = c.Tests+broken+unheld, c.Error+broken, c.Fail+unheld
	for _, n := range []struct {
		reason    string
		got, want int64
	}{
		{"the list is whole", int64(len(r.Results.Tests)), int64(c.Tests)},
		{"the summary counts the list", s.Tests, int64(len(r.Results.Tests))},
		{"counts add up", s.Passed + s.Failed + s.Skipped + s.Pending + s.Other, s.Tests},
		{"passed", s.Passed, got["passed"]}, {"pass is passed", s.Passed, int64(c.Pass)},
		{"failed", s.Failed, got["failed"]}, {"fail and error are failed", s.Failed, int64(c.Fail + c.Error)},
		{"error keeps its word", got["raw error"], int64(c.Error)},
		{"skipped", s.Skipped, got["skipped"]}, {"skip is skipped", s.Skipped, int64(c.Skip)},
		{"other", s.Other, got["other"]}, {"inconclusive is other", s.Other, int64(c.Inconclusive)},
		{"and keeps its word", got["raw inconclusive"], int64(c.Inconclusive)},
	} {
		if n.got != n.want {
			t.Errorf("%s: %d, want %d", n.reason, n.got, n.want)
		}
	}
}

// checkBytes wants a document that no terminal, build server or page obeys.
func checkBytes(t *testing.T, doc []byte) {
	t.Helper()
	for i, r := range string(doc) {
		if r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == '\ufeff' || r&0xfffe == 0xfffe {
			t.Fatalf("byte %d: %U", i, r)
		}
	}
	for _, bad := range []string{"##[", "##vso[", "##teamcity[", "</script"} {
		if bytes.Contains(doc, []byte(bad)) {
			t.Errorf("%q is left", bad)
		}
	}
}

// TestReadBack puts the extras together again: nothing of the envelope is lost.
func TestReadBack(t *testing.T) {
	retried := hostile.Plain()
	must(t, json.Unmarshal([]byte(`{"outcome":"FP","retry":[false,true],"score":[0.25,1],"started_at":["2026-11-21T10:00:00.5Z",null]}`), retried.Tests[5].Rows))
	retried.Tests[5].Details, retried.Summary.Trials.Total = nil, 21
	for name, e := range map[string]*envelope.Envelope{"plain": hostile.Plain(), "broken": hostile.Broken(), "columns": retried} {
		r := read(t, write(t, e))
		var doc map[string]json.RawMessage
		must(t, json.Unmarshal(r.Results.Extra.Tribunal, &doc))
		tests := []json.RawMessage{}
		for _, x := range r.Results.Tests {
			if x.Extra != nil {
				tests = append(tests, x.Extra.Tribunal)
			}
		}
		list, err := json.Marshal(tests)
		must(t, err)
		doc["tests"] = list
		whole, err := json.Marshal(doc)
		must(t, err)
		back, err := wire.Decode(bytes.NewReader(whole))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(rendertest.JSON(t, e), rendertest.JSON(t, back.Envelope)); diff != "" {
			t.Errorf("%s: lost on the way (-before +after):\n%s", name, diff)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		reason, rows, runStart      string
		total                       float64
		start, stop                 int64 // of the run
		testStart, testStop, testMS int64 // of its test; -1 is absent
	}{
		{"nothing is known", `{"outcome":"P"}`, "", 0, 0, 0, -1, -1, 0},
		{"the run's start and the sum of its trials", `{"outcome":"P"}`, "1970-01-01T00:00:01Z", 1500.4, 1000, 2500, -1, -1, 1500},
		{"half a millisecond is rounded up", `{"outcome":"P"}`, "", 1.5, 0, 2, -1, -1, 2},
		{"trials at the same time do not add up", `{"outcome":"PP","duration_ms":[100,50],"started_at":["1970-01-01T00:00:02Z","1970-01-01T00:00:02Z"]}`, "", 150, 2000, 2100, 2000, 2100, 150},
		{"the run started before its first trial", `{"outcome":"P","duration_ms":[7],"started_at":["1970-01-01T00:00:02Z"]}`, "1970-01-01T00:00:01Z", 7, 1000, 2007, 2000, 2007, 7},
		{"before 1970", `{"outcome":"P","started_at":["1969-12-31T23:59:59.9995Z"]}`, "", 0, -1, -1, -1, -1, 0},
		{"a start that is no time", `{"outcome":"P"}`, "yesterday", 3, 0, 3, -1, -1, 3},
	} {
		e := &envelope.Envelope{Tests: []envelope.Test{{Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)}}}
		x := &e.Tests[0]
		x.Test, x.Status, x.DurationMS = "x", envelope.Pass, &envelope.Spread{Total: c.total}
		must(t, json.Unmarshal([]byte(c.rows), &x.Rows))
		e.Run.StartedAt, e.Summary.DurationMS = c.runStart, envelope.Some(c.total)
		r := read(t, write(t, e)).Results
		at := func(p *int64) int64 {
			if p == nil {
				return -1
			}
			return *p
		}
		got := []int64{r.Summary.Start, r.Summary.Stop, at(r.Tests[0].Start), at(r.Tests[0].Stop), r.Tests[0].Duration}
		if diff := cmp.Diff([]int64{c.start, c.stop, c.testStart, c.testStop, c.testMS}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}

func TestRetries(t *testing.T) {
	for _, c := range []struct {
		reason, rows string
		status       envelope.Status
		flaky        bool
		attempts     string
	}{
		{"repeats are no retries", `{"outcome":"FP"}`, envelope.Pass, false, "[]"},
		{"a retry that passed", `{"outcome":"FP","retry":[false,true]}`, envelope.Pass, true, "[{2 passed }]"},
		{"retries that failed", `{"outcome":"FEX","retry":[false,true,true]}`, envelope.Fail, false, "[{2 failed said} {3 other }]"},
		{"the first trial is no retry", `{"outcome":"P","retry":[true]}`, envelope.Pass, true, "[]"},
	} {
		e := &envelope.Envelope{Tests: []envelope.Test{{Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)}}}
		x := &e.Tests[0]
		x.Test, x.Status, x.Flaky = "x", c.status, c.status == envelope.Pass
		x.Details = []envelope.Detail{{Trial: 1, Status: envelope.Fail, Message: "said"}}
		if c.status == envelope.Pass {
			x.Details = nil
		}
		must(t, json.Unmarshal([]byte(c.rows), &x.Rows))
		r := read(t, write(t, e)).Results
		got := r.Tests[0]
		if got.Flaky != c.flaky || (r.Summary.Flaky == 1) != c.flaky || fmt.Sprint(got.RetryAttempts) != c.attempts || got.Retries != len(got.RetryAttempts) {
			t.Errorf("%s: flaky %t, %d in the summary, %d retries: %v", c.reason, got.Flaky, r.Summary.Flaky, got.Retries, got.RetryAttempts)
		}
	}
}

var version5 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestIDs(t *testing.T) {
	seen := map[string]envelope.Key{}
	for _, k := range []envelope.Key{
		{Test: "ab"}, {Suite: "a", Test: "b"}, {Suite: "ab"}, {Test: "a", Variant: "b"}, {Test: "a [b]"}, {Test: "a\x00"}, {Test: "a\x01"}, {Test: "1:b", Suite: "a"},
	} {
		e := &envelope.Envelope{Tests: []envelope.Test{{Key: k, Status: envelope.Pass, Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)}}}
		id := read(t, write(t, e)).Results.Tests[0].ID
		if !version5.MatchString(id) {
			t.Errorf("%+v: %s is no UUID of version 5", k, id)
		}
		if other, ok := seen[id]; ok {
			t.Errorf("%+v and %+v have the same id", k, other)
		}
		seen[id] = k
		e.Tests[0].Status, e.Tests[0].Line = envelope.Fail, 9
		if again := read(t, write(t, e)).Results.Tests[0].ID; again != id {
			t.Errorf("%+v: another id with another verdict", k)
		}
	}
}

// TestHuge: what is shown is cut, whatever comes in.
func TestHuge(t *testing.T) {
	huge := strings.Repeat("ten bytes ", 1<<20)
	e := hostile.Plain()
	x := &e.Tests[2]
	x.Verdict.Reason, x.Suite, x.Details[0].Output, x.File = huge, huge[:1<<20], huge[:1<<20], huge[:1<<20]
	got := read(t, write(t, e)).Results.Tests[2]
	if len(got.Suite[0]) > 1000+len(" ~0123456789ab") || len(got.Message) > 4<<10 || len(got.Trace) > 64<<10 {
		t.Errorf("suite %d, message %d, trace %d bytes", len(got.Suite[0]), len(got.Message), len(got.Trace))
	}
	if !strings.Contains(got.Message, "bytes cut") {
		t.Error("the cut is not marked")
	}
}

// TestFilePath: a file is named as readers look for it, below the repository; as
// it was told it is in the extras.
func TestFilePath(t *testing.T) {
	e := hostile.Plain()
	e.Tests = e.Tests[:1]
	e.Tests[0].File = "/abs/../tests/x.py"
	var b strings.Builder
	if err := ctrf.Write(&b, e); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"filePath":"tests/x.py"`, `"file":"/abs/../tests/x.py"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing", want)
		}
	}
}

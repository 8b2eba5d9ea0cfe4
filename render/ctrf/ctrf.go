// Package ctrf writes an envelope in the Common Test Report Format, version
// 0.0.0: one JSON object that dashboards and chat reporters of many CI systems
// read.
//
// CTRF has no word for a test that the evidence does not decide, so
//
//	pass          passed
//	fail          failed
//	inconclusive  other
//	error         failed
//	skip          skipped
//
// and rawStatus holds our own word. A failure that its quarantine excuses is other, too, so that no dashboard goes red for
// it; its rawStatus is fail. A CTRF test has one outcome and retries after failures; trials are neither. They go to extra,
// under the key tribunal: results.extra.tribunal is the json form of the envelope without its tests, tests[].extra.tribunal
// is the test as that form has it. Both together are the whole envelope, so that nothing is lost for who reads it back.
// flaky, retries and retryAttempts are written for trials that really are retries.
//
// The schema demands whole milliseconds and a start, a stop and durations. What is unknown is 0 there and absent in extra.
//
// A run that is broken gets one failed test that says so, and so does one whose gate does not hold: the report would be
// green. It is no test of the envelope and has no extra.
//
// The package leaves out what older copies of the schema reject (testId, runId, labels), ids and times of the report
// itself, which would differ from one writing to the next, and insights over several runs.
package ctrf

import (
	"crypto/sha1" // what UUIDs of version 5 are made with; nothing is kept secret by it
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

const (
	specVersion = "0.0.0"
	tool        = "tribunal"
	nameLimit   = 1000 // bytes
)

type summary struct {
	Tests    int    `json:"tests"`
	Passed   int    `json:"passed"`
	Failed   int    `json:"failed"`
	Skipped  int    `json:"skipped"`
	Pending  int    `json:"pending"`
	Other    int    `json:"other"`
	Flaky    int    `json:"flaky"`
	Start    int64  `json:"start"`
	Stop     int64  `json:"stop"`
	Duration *int64 `json:"duration,omitempty"`
}

type environment struct {
	ReportName string `json:"reportName,omitempty"`
	Commit     string `json:"commit,omitempty"`
}

// Write writes the envelope as one JSON object, a line per test. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope) error {
	out := wire.NewWriter(w, true)
	out.Text(`{"reportFormat":"CTRF","specVersion":"` + specVersion + `","generatedBy":"` + tool + "\",\n")
	out.Text(`"results":{"tool":{"name":"` + tool + `"}`)
	out.Field(",\n", "summary", summarise(e))
	out.Field(",\n", "extra", extra{exact(runFacts{Schema: envelope.Schema, Run: &e.Run, Policy: &e.Policy, Summary: &e.Summary,
		Metrics: e.Metrics, Suites: e.Suites, Steps: e.Steps, Texts: e.Texts, Reasons: e.Reasons, Gate: &e.Gate, Problems: e.Problems})})
	if env := (environment{ReportName: line(e.Run.Name), Commit: line(e.Run.Commit)}); env != (environment{}) {
		out.Field(",\n", "environment", env)
	}
	out.Text(",\n\"tests\":[")
	for i := range e.Tests {
		out.Item(i, "\n ", testOf(e, &e.Tests[i]))
	}
	for i, note := range notes(e) {
		out.Item(len(e.Tests)+i, "\n ", note)
	}
	out.Text("\n]}}\n")
	return out.Close()
}

func summarise(e *envelope.Envelope) summary {
	c := e.Summary.Counts
	s := summary{Tests: c.Tests, Passed: c.Pass, Failed: c.Fail + c.Error, Skipped: c.Skip, Other: c.Inconclusive}
	for i := range e.Tests {
		if t := &e.Tests[i]; standing.Spared(e, t) && t.Status == envelope.Fail {
			s.Failed--
			s.Other++
		}
		if flaky(&e.Tests[i]) {
			s.Flaky++
		}
	}
	beside := len(notes(e))
	s.Tests += beside
	s.Failed += beside
	when := spanOfRun(e)
	s.Start, s.Stop = when.start, when.stop
	if d := e.Summary.DurationMS; d.OK {
		s.Duration = new(whole(d.V))
	}
	return s
}

func line(s string) string { return text.CutLine(text.Line(s), nameLimit) }

type extra struct {
	Tribunal json.RawMessage `json:"tribunal"`
}

// runFacts are the keys of the json form of an envelope, but its tests.
type runFacts struct {
	Schema   string              `json:"schema"`
	Run      *envelope.RunHeader `json:"run"`
	Policy   *envelope.Effective `json:"policy"`
	Summary  *envelope.Summary   `json:"summary"`
	Metrics  []envelope.Metric   `json:"metrics,omitempty"`
	Suites   []envelope.Suite    `json:"suites,omitempty"`
	Steps    []envelope.Step     `json:"steps,omitempty"`
	Texts    []string            `json:"texts,omitempty"`
	Reasons  []envelope.Reason   `json:"reasons,omitempty"`
	Gate     *envelope.Gate      `json:"gate"`
	Problems []envelope.Problem  `json:"problems,omitempty"`
}

// exactTest is a test whose rows name the reasons of the run.
func exactTest(t *envelope.Test) json.RawMessage {
	rows, err := t.Rows.AppendInRun(nil)
	if err != nil {
		return exact(t)
	}
	return exact(struct {
		*envelope.Test
		Rows json.RawMessage `json:"rows"`
	}{t, rows})
}

var escaped = standing.EscapedInJSON("")

// exact is a value as it is read back, in plain ASCII: hostile characters are there, but as escapes that nothing obeys.
// Numbers that JSON has no form for (NaN, infinities) would fail it; then it says what is missing.
func exact(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"incomplete": err.Error()})
	}
	return standing.ASCII(b, &escaped)
}

type span struct {
	start, stop int64
	known       bool
}

func (s *span) add(start, stop int64) {
	if !s.known {
		*s = span{start, max(start, stop), true}
		return
	}
	s.start, s.stop = min(s.start, start), max(s.stop, stop)
}

// spanOf is from the first start of a trial to the last end, as far as trials say when they started.
func spanOf(t *envelope.Test) span {
	var s span
	for i := range t.Rows.StartedAt() {
		ns, ok := t.Rows.StartedAt().At(i)
		if !ok {
			continue
		}
		ms, _ := t.Rows.DurationMS().At(i)
		start := millis(ns)
		s.add(start, start+whole(ms))
	}
	return s
}

// spanOfRun is from the first thing known to have started to the last end. When only the run
// says when it started, its trials are taken to have run one after the other.
func spanOfRun(e *envelope.Envelope) span {
	var s span
	for i := range e.Tests {
		if when := spanOf(&e.Tests[i]); when.known {
			s.add(when.start, when.stop)
		}
	}
	inTrials := s.known
	if t, err := time.Parse(time.RFC3339Nano, e.Run.StartedAt); err == nil {
		s.add(t.UnixMilli(), t.UnixMilli())
	}
	if !inTrials {
		s.stop = s.start + whole(e.Summary.DurationMS.V)
	}
	return s
}

// millis cuts nanoseconds to the millisecond they lie in.
func millis(ns int64) int64 { return time.Unix(0, ns).UnixMilli() }

// whole is a duration in whole milliseconds, half away from zero.
func whole(ms float64) int64 {
	if !(ms > 0) { // NaN too
		return 0
	}
	const exactly = 1 << 53 // up to here every reader of JSON knows integers
	return int64(min(math.Round(ms), exactly))
}

const (
	messageLimit = 4 << 10  // bytes
	traceLimit   = 64 << 10 // bytes
)

type test struct {
	ID        string   `json:"id,omitempty"`
	Name      string   `json:"name"`
	Suite     []string `json:"suite,omitempty"`
	Status    string   `json:"status"`
	RawStatus string   `json:"rawStatus"`
	Duration  int64    `json:"duration"`
	Start     *int64   `json:"start,omitempty"`
	Stop      *int64   `json:"stop,omitempty"`
	Message   string   `json:"message,omitempty"`
	Trace     string   `json:"trace,omitempty"`
	FilePath  string   `json:"filePath,omitempty"`
	Line      int      `json:"line,omitempty"`
	Flaky     bool     `json:"flaky,omitempty"`
	Retries   int      `json:"retries,omitempty"`
	Attempts  []retry  `json:"retryAttempts,omitempty"`
	Steps     []step   `json:"steps,omitempty"`
	Extra     *extra   `json:"extra,omitempty"`
}

// step is a check of the trials: passed when it passed in all that have it.
type step struct {
	Name   string   `json:"name"`
	Status string   `json:"status"`
	Extra  *tallied `json:"extra,omitempty"`
}

type tallied struct {
	Passed int `json:"passed"`
	N      int `json:"n"`
}

func stepsOf(t *envelope.Test) (steps []step) {
	for _, name := range t.CheckNames() {
		c := t.Checks[name]
		s := step{Name: line(name), Status: "passed", Extra: &tallied{c.Passed, c.N}}
		switch {
		case c.N == 0:
			s.Status = "skipped"
		case c.Passed < c.N:
			s.Status = "failed"
		}
		steps = append(steps, s)
	}
	return steps
}

var statuses = map[envelope.Status]string{
	envelope.Pass: "passed", envelope.Fail: "failed", envelope.Inconclusive: "other", envelope.Error: "failed", envelope.Skip: "skipped",
}

func testOf(e *envelope.Envelope, t *envelope.Test) test {
	suite := standing.SuiteName(t.Suite, text.Line)
	out := test{
		ID: id(t.Key), Name: standing.TestName(suite, t.Key, text.Line), Status: statuses[t.Status], RawStatus: string(t.Status),
		FilePath: line(text.Path(t.File)), Line: max(0, t.Line), Flaky: flaky(t), Attempts: retries(t),
		Steps: stepsOf(t), Extra: &extra{exactTest(t)},
	}
	if out.Status == "" || standing.Spared(e, t) {
		out.Status = "other"
	}
	out.Retries = len(out.Attempts)
	if t.Suite != "" {
		out.Suite = []string{suite}
	}
	if t.DurationMS != nil {
		out.Duration = whole(t.DurationMS.Total)
	}
	if when := spanOf(t); when.known {
		out.Start, out.Stop = &when.start, &when.stop
	}
	if t.Status != envelope.Pass {
		said := append([]string{t.Verdict.Reason}, standing.Inside(t)...)
		out.Message = text.Cut(text.Block(strings.Join(said, "\n")), messageLimit)
		out.Trace = trace(t)
	}
	return out
}

// namespace of our ids, a random UUID chosen once.
var namespace = [16]byte{0x5f, 0x0c, 0x9d, 0x6e, 0x1b, 0x7a, 0x4e, 0x43, 0x9a, 0x52, 0x27, 0xc1, 0x88, 0xd4, 0x60, 0x3f}

// id is a UUID of version 5 (RFC 4122, 4.3) made of the key alone, so that a test is the same one in every run. Each word
// has its length before it, so that no two keys run together into one.
func id(k envelope.Key) string {
	h := sha1.New()
	h.Write(namespace[:])
	for _, w := range []string{k.Suite, k.Test, k.Variant} {
		fmt.Fprintf(h, "%d:%s", len(w), w)
	}
	return standing.UUID(h.Sum(nil), 5)
}

func trace(t *envelope.Test) string {
	var b strings.Builder
	for i := range t.Details {
		d := &t.Details[i]
		message, output := text.Block(d.Message), text.Block(d.Output)
		if message == "" && output == "" {
			continue
		}
		fmt.Fprintf(&b, "trial %d: %s\n", d.Trial+1, d.Status)
		for _, said := range []string{message, output} {
			if said != "" {
				b.WriteString(strings.TrimRight(said, "\n") + "\n")
			}
		}
	}
	return text.Cut(strings.TrimRight(b.String(), "\n"), traceLimit)
}

func notes(e *envelope.Envelope) (out []test) {
	note := func(name string, raw envelope.Status, says string) {
		if says != "" {
			out = append(out, test{Name: name, Status: "failed", RawStatus: string(raw), Message: text.Cut(text.Block(says), messageLimit)})
		}
	}
	note("(the run)", envelope.Error, standing.Broken(e))
	note("(the gate)", envelope.Fail, standing.Unheld(&e.Gate))
	return out
}

type retry struct {
	Attempt  int    `json:"attempt"`
	Status   string `json:"status"`
	Duration *int64 `json:"duration,omitempty"`
	Start    *int64 `json:"start,omitempty"`
	Message  string `json:"message,omitempty"`
}

var outcomes = map[envelope.Outcome]string{
	envelope.Passed: "passed", envelope.Failed: "failed", envelope.Errored: "failed", envelope.Excluded: "other", envelope.Skipped: "skipped",
}

// retries are the trials that ran because the one before them had failed. Other trials are repeats and no retries.
func retries(t *envelope.Test) []retry {
	if t.Rows.Retry() == nil {
		return nil
	}
	said := map[int]string{}
	for i := range t.Details {
		said[t.Details[i].Trial] = line(t.Details[i].Message)
	}
	var out []retry
	for i, outcome := range t.Rows.Outcome {
		if i == 0 || !t.Rows.Retry().At(i) {
			continue
		}
		r := retry{Attempt: i + 1, Status: outcomes[outcome], Message: said[i]}
		if ms, ok := t.Rows.DurationMS().At(i); ok {
			r.Duration = new(whole(ms))
		}
		if ns, ok := t.Rows.StartedAt().At(i); ok {
			r.Start = new(millis(ns))
		}
		out = append(out, r)
	}
	return out
}

// flaky is what CTRF means by it: a test that passed in the end and was retried after a failure.
func flaky(t *envelope.Test) bool {
	return t.Status == envelope.Pass && t.Flaky && t.Rows.Retry() != nil
}

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
// and rawStatus holds our own word. A failure that its quarantine excuses is
// other, too, so that no dashboard goes red for it; its rawStatus is fail. A CTRF test has one outcome and retries
// after failures; trials are neither. They go to extra, under the key tribunal:
// results.extra.tribunal is the json form of the envelope without its tests,
// tests[].extra.tribunal is the test as that form has it. Both together are the
// whole envelope, so that nothing is lost for who reads it back. flaky, retries
// and retryAttempts are written for trials that really are retries.
//
// The schema demands whole milliseconds and a start, a stop and durations. What
// is unknown is 0 there and absent in extra.
//
// A run that is broken gets one failed test that says so, and so does one whose gate
// does not hold: the report would be green. It is no test of the envelope and has no
// extra.
//
// The package leaves out what older copies of the schema reject (testId, runId,
// labels), ids and times of the report itself, which would differ from one
// writing to the next, and insights over several runs.
package ctrf

import (
	"encoding/json"
	"io"
	"math"
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

// Write writes the envelope as one JSON object, a line per test. The error is
// that of the writer.
func Write(w io.Writer, e *envelope.Envelope) error {
	out := wire.NewWriter(w, true)
	out.Text(`{"reportFormat":"CTRF","specVersion":"` + specVersion + `","generatedBy":"` + tool + "\",\n")
	out.Text(`"results":{"tool":{"name":"` + tool + `"}`)
	out.Field(",\n", "summary", summarise(e))
	out.Field(",\n", "extra", extra{runExtra(e)})
	if env := (environment{ReportName: line(e.Run.Name), Commit: line(e.Run.Commit)}); env != (environment{}) {
		out.Field(",\n", "environment", env)
	}
	out.Text(",\n\"tests\":[")
	for i := range e.Tests {
		out.Item(i, "\n ", testOf(&e.Tests[i]))
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
		if t := &e.Tests[i]; t.Excused() && t.Status == envelope.Fail {
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

// extra is CTRF's place for what it has no word for.
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

func runExtra(e *envelope.Envelope) json.RawMessage {
	return exact(runFacts{Schema: envelope.Schema, Run: &e.Run, Policy: &e.Policy, Summary: &e.Summary,
		Metrics: e.Metrics, Suites: e.Suites, Steps: e.Steps, Texts: e.Texts, Reasons: e.Reasons, Gate: &e.Gate, Problems: e.Problems})
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

// exact is a value as it is read back, in plain ASCII: hostile characters are
// there, but as escapes that nothing obeys. Numbers that JSON has no form for
// (NaN, infinities) would fail it; then it says what is missing.
func exact(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"incomplete": err.Error()})
	}
	return standing.ASCII(b, "")
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

// spanOf is from the first start of a trial to the last end, as far as trials
// say when they started.
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

const exactly = 1 << 53 // up to here every reader of JSON knows integers

// whole is a duration in whole milliseconds, half away from zero.
func whole(ms float64) int64 {
	if !(ms > 0) { // NaN too
		return 0
	}
	return int64(min(math.Round(ms), exactly))
}

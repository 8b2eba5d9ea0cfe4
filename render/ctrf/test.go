package ctrf

import (
	"crypto/sha1" // what UUIDs of version 5 are made with; nothing is kept secret by it
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

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

func testOf(t *envelope.Test) test {
	suite := standing.SuiteName(t.Suite, text.Line)
	out := test{
		ID: id(t.Key), Name: standing.TestName(suite, t.Key, text.Line), Status: statuses[t.Status], RawStatus: string(t.Status),
		FilePath: line(text.Path(t.File)), Line: max(0, t.Line), Flaky: flaky(t), Attempts: retries(t),
		Steps: stepsOf(t), Extra: &extra{exactTest(t)},
	}
	if out.Status == "" || t.Excused() {
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

// id is a UUID of version 5 (RFC 4122, 4.3) made of the key alone, so that a
// test is the same one in every run. Each word has its length before it, so
// that no two keys run together into one.
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

// notes are tests that say what is wrong beside the tests.
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

// retry is one element of retryAttempts. The first trial is attempt 1 and no retry.
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

// retries are the trials that ran because the one before them had failed. Other
// trials are repeats and no retries.
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

// flaky is what CTRF means by it: a test that passed in the end and was retried
// after a failure.
func flaky(t *envelope.Test) bool {
	return t.Status == envelope.Pass && t.Flaky && t.Rows.Retry() != nil
}

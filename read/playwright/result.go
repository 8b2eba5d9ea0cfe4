package playwright

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
)

// result finds what one result says of its test.
func (rd *reader) result(t envelope.Trial, r *result, expected string) {
	t.Labels = slices.Clone(t.Labels)
	annotate(&t, nil, r.Annotations)
	var known bool
	if t.Status, known = r.outcome(expected, &t); !known {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "a result of "+t.Test+" is not counted: its status is none that Playwright has")
		return
	}
	if r.Status != string(t.Status) {
		t.RawStatus = r.Status
	}
	t.Retry = r.Retry > 0
	if r.Duration != nil {
		t.DurationMS = trialfields.Milliseconds(*r.Duration, 1)
	}
	t.StartedAt, _ = time.Parse(time.RFC3339Nano, r.StartTime)
	r.explain(&t)
	rd.held += len(t.Output)
	rd.found = append(rd.found, t)
}

// outcome is the status of a trial: it passes when it ends as expected.
func (r *result) outcome(expected string, t *envelope.Trial) (_ envelope.Status, known bool) {
	switch r.Status {
	case "skipped":
		return envelope.Skip, true
	case "interrupted":
		t.ErrorClass = envelope.ClassInfrastructure
		return envelope.Error, true
	case "timedOut":
		t.ErrorClass = envelope.ClassTimeout
	case "passed", "failed":
	default:
		return "", false
	}
	if r.Status == expected || r.Status == "passed" && expected == "" {
		return envelope.Pass, true
	}
	return envelope.Fail, true
}

// explain sets the reason of a result that is not as expected, and what the test
// printed.
func (r *result) explain(t *envelope.Trial) {
	if t.Status == envelope.Pass {
		t.Message = "" // nobody asks, and the reasons of an expected failure are none
		return
	}
	failures := r.Errors
	if len(failures) == 0 {
		failures = []testError{r.Error}
	}
	var output strings.Builder
	for _, f := range failures {
		output.WriteString(f.text())
	}
	for _, printed := range append(r.Stdout, r.Stderr...) {
		output.WriteString("\n" + strings.TrimSuffix(printed.Text, "\n"))
	}
	t.Output = failure.Ends(strings.Trim(output.String(), "\n"))
	if t.Status != envelope.Skip { // the message of an element of errors has a piece of the source in it
		t.Message = cmp.Or(failure.Reason(r.Error.Message, 3), failure.Reason(failures[0].Message, 3), "ended as "+r.Status)
	}
}

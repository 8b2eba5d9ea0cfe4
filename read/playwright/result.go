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
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "a result of "+t.Test+" is not counted: Playwright does not have its status")
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
	rd.inside(&t, r)
	rd.held += len(t.Output)
	rd.found = append(rd.found, t)
}

// inside adds the steps of a result, and the files that it left.
func (rd *reader) inside(t *envelope.Trial, r *result) {
	t.Checks, t.Attachments = nil, nil
	addSteps(t, "", r.Steps, 0)
	for _, c := range t.Checks {
		rd.held += len(c.Name) + len(c.Reason)
	}
	for _, a := range r.Attachments {
		trialfields.Attach(t, envelope.Attachment{Name: a.Name, Path: rd.path(a.Path), MediaType: a.ContentType})
	}
}

// addSteps adds steps by their titles and those of the steps around them. A step
// failed when it has an error, as an outer one has that of an inner one, and when it
// did not end: the test hung in it, or its process did.
func addSteps(t *envelope.Trial, outer string, steps []*step, depth int) {
	for _, s := range steps {
		if s == nil {
			continue
		}
		c := envelope.Check{Name: outer + failure.FirstLine(s.Title), Status: envelope.Pass}
		switch {
		case s.Error != nil:
			c.Status, c.Reason = envelope.Fail, cmp.Or(s.Error.Message, s.Error.Value)
		case s.Duration < 0:
			c.Status, c.Reason = envelope.Fail, "the step did not end"
		}
		trialfields.AddCheck(t, c, "step")
		if depth < maxNesting {
			addSteps(t, trialfields.CheckName(c.Name)+" › ", s.Steps, depth+1)
		}
	}
}

// path is where an attachment is: relative to the folder of the configuration where
// it is below that, as its output folder is by default.
func (rd *reader) path(name string) string {
	name = slashes(name)
	return cmp.Or(below(rd.base, name), name)
}

// interrupted is the status of a result that the end of the run cut short.
const interrupted = "interrupted"

// outcome is the status of a trial: it passes when it ends as expected.
func (r *result) outcome(expected string, t *envelope.Trial) (_ envelope.Status, known bool) {
	switch r.Status {
	case "skipped":
		return envelope.Skip, true
	case interrupted:
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

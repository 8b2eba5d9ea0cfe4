// Package runfailure reports failures of a whole run, beside those of its tests.
//
// A run can fail although none of its tests did: a worker crashed, a global hook failed, a
// target was not built, somebody interrupted it. Such a failure becomes an error of the test
// [run], so that the run is not green. The package also names the reasons for which a test
// has no end in a stream, and tells of inputs that are cut off or cannot be read.
package runfailure

import (
	"fmt"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
)

// Test is the test that stands for what failed of a run beside its tests.
const Test = "[run]"

// Watch is a sink that hands everything on to another, and knows whether a trial failed.
type Watch struct {
	envelope.Sink
	Attempts trialfields.Attempts  // of the trials that [Watch.Send] numbers
	Run      string                // the process or shard that is watched, where it has a name
	Failed   int                   // trials that failed, also of the run itself
	lasting  int                   // those of them that no retry took back
	open     map[envelope.Key]bool // tests that failed and did not pass when they were tried again
	many     bool                  // more than are kept
	errors   int32                 // errors of the run so far
	tests    int                   // trials that are no retries
}

// mostOpen is how many tests that failed are kept. Of more it is taken that one of them stays so.
const mostOpen = 10_000

// Send numbers a trial and hands it on.
func (w *Watch) Send(t *envelope.Trial) { w.Attempts.Send(t, w) }

// Head hands on what is known of a run, if anything is.
func (w *Watch) Head(h envelope.Header) {
	if h.Name+h.ID+h.Commit+h.StartedAt != "" || h.Labels != nil {
		w.Header(h, nil)
	}
}

// Began hands on when a run began, if that is known.
func (w *Watch) Began(at time.Time) { w.Head(envelope.Header{StartedAt: Stamp(at)}) }

// Stamp is a time as headers have it, "" for an unknown one.
func Stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339Nano)
}

// Trial hands a trial on. It numbers errors of the run, which readers deliver as well that know more of them.
func (w *Watch) Trial(t *envelope.Trial) {
	if t.Key == (envelope.Key{Test: Test}) {
		t.Attempt = envelope.Some(w.errors)
		w.errors++
	}
	if t.Key != (envelope.Key{Test: Test}) && !t.Retry {
		w.tests++
	}
	switch bad := t.Status == envelope.Fail || t.Status == envelope.Error; {
	case bad:
		w.Failed++
		if !t.Retry || !w.open[t.Key] {
			w.lasting++
		}
		w.remember(t.Key)
	case t.Retry && w.open[t.Key]:
		w.lasting--
		delete(w.open, t.Key)
	}
	w.Sink.Trial(t)
}

// Problem hands a problem on. A result that is reported as malformed is not missing.
func (w *Watch) Problem(p envelope.Problem) {
	if p.Code == envelope.CodeMalformed && p.Severity == envelope.SeverityError {
		w.tests++
	}
	w.Sink.Problem(p)
}

func (w *Watch) remember(test envelope.Key) {
	if w.open[test] {
		return
	}
	if w.many = w.many || len(w.open) == mostOpen; !w.many {
		each.Put(&w.open, envelope.Key{Suite: strings.Clone(test.Suite), Test: strings.Clone(test.Test), Variant: strings.Clone(test.Variant)}, true)
	}
}

// Next begins the next of several runs: trials before it explain nothing of it.
func (w *Watch) Next() {
	w.Failed, w.lasting, w.many, w.tests = 0, 0, false, 0
	clear(w.open)
}

// Fail delivers an error of the run: something failed that no trial stands for.
func (w *Watch) Fail(class string, said ...string) {
	why := failure.Together(said...)
	reason := failure.Reason(why, 3)
	w.Trial(&envelope.Trial{Key: envelope.Key{Test: Test}, Run: w.Run, Status: envelope.Error, ErrorClass: class,
		Message: reason, Output: failure.Ends(failure.Longer(why, reason))})
}

// Explain delivers an error of a run that says of itself only that it failed, unless a test did: most runners say so of
// a run in which a test failed as well. One that passed when it was tried again fails no run.
func (w *Watch) Explain(said ...string) {
	if len(w.open) == 0 && !w.many {
		w.Fail(envelope.ClassInfrastructure, said...)
	}
}

// Counted explains failures that a report only counts, among its tests or whatever it
// calls them. Some count each try of a test, so that any trial that failed explains them.
func (w *Watch) Counted(failures int, among string) {
	if failures > 0 && w.Failed == 0 {
		w.Explain(fmt.Sprintf("the report counts %s, and none of its %s failed", words.Plural(failures, "failure", "failures"), among))
	}
}

// Counts checks what a report counts against what it has, of whatever it calls its results. An
// error of the run stands for failures that it does not have. If it counts as many results as
// there are, it counts no tries, so that each of its failures needs one.
func (w *Watch) Counts(results, failures int, among string) {
	before := w.errors
	if w.Counted(failures, among); w.errors > before && results-failures <= w.tests {
		return
	} else if w.errors == before && results == w.tests {
		w.Lost(failures, among)
	}
	w.Announced(results, among)
}

// Lost delivers an error of the run if its report counts more failures, none of them a try, than it has.
func (w *Watch) Lost(failures int, among string) {
	if failures > w.lasting {
		w.Fail(envelope.ClassInfrastructure, fmt.Sprintf("the report counts %s, but %d of its %s failed",
			words.Plural(failures, "failure", "failures"), w.lasting, among))
	}
}

// Announced reports a report that has fewer results than it says it has.
func (w *Watch) Announced(results int, among string) {
	w.Fewer(envelope.Problem{Line: 1, Column: 1, Message: "the report"}, results, w.tests, among)
}

// Fewer reports a part of a report, at the place and by the name of the problem, that has
// fewer results than it announces.
func (w *Watch) Fewer(part envelope.Problem, results, has int, among string) {
	if part.Count = results - has; part.Count > 0 {
		part.Severity, part.Code = envelope.SeverityError, envelope.CodePlanned
		part.Message += fmt.Sprintf(" announces %s and has %d: the others are missing; get a whole copy, or run the tests again",
			words.Plural(results, among[:len(among)-1], among), has)
		w.Problem(part)
	}
}

// Part is a sink for a part of an input, which problems begin with the name of.
type Part struct {
	envelope.Sink
	Name string
}

// Problem hands a problem on.
func (p Part) Problem(problem envelope.Problem) {
	problem.Message = p.Name + ": " + problem.Message
	p.Sink.Problem(problem)
}

// Truncated tells of a stream that ends before its run does, on its last line.
func Truncated(to envelope.Sink, line int, what string) {
	to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeTruncated, Line: max(line, 1), Column: 1,
		Message: what + "; get the whole file, or run the tests again"})
}

// Unreadable tells of an input, or a part of one, that cannot be read.
func Unreadable(to envelope.Sink, format string, args ...any) {
	to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: 1, Column: 1,
		Message: fmt.Sprintf(format, args...)})
}

// Unended is why a test has no end of its own.
type Unended struct {
	Why, Class string
	Far        envelope.Unended
}

// Crashed is that of a test, or whatever a format calls it, whose process died.
func Crashed(what string) Unended {
	return Unended{"the process died before the " + what + " ended", envelope.ClassCrash, envelope.Running}
}

// Lost is that of a test whose run went on.
func Lost(what string) Unended {
	return Unended{"the end of the " + what + " is not in the stream", envelope.ClassInfrastructure, 0}
}

// CutOff is that of a test with which the stream ends.
func CutOff(what string) Unended {
	return Unended{"the stream ends before the " + what + " does", envelope.ClassInfrastructure, envelope.Running}
}

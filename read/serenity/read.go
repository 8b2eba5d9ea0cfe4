// Package serenity reads what Serenity BDD and Serenity/JS write of a test, a JSON file each in target/site/serenity.
//
// The suite is the class of a test or the file of a feature, a row of a table is a test, and steps are checks. Unlike JUnit,
// the files say how often a test was tried, and that it was compromised.
package serenity

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts the outcome of a test. Its steps come first, so that
// nothing else may be in head.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	own := keys.HasAny("featureTag", "isManualTestingUpToDate", "annotatedResult", "testSource")
	steps := keys.Has("testSteps") && bytes.Contains(head, []byte(`"description"`)) && bytes.Contains(head, []byte(`"startTime"`))
	return !inArray && keys.Has("name") && (steps || keys.Has("title", "result") && own)
}

// Read reads one outcome.
func Read(r io.Reader, to envelope.Sink) error {
	o := outcome{}
	return jsonwalk.Strict(r, to, func(d *jsonwalk.Text) error {
		err := d.Members(jsonwalk.Members{
			"name": &o.Name, "testCaseName": &o.Class, "testSource": &o.Source, "context": &o.Context, "userStory": &o.Story, "tags": &o.Tags,
			"testSteps": &o.Steps, "dataTable": &o.Table, "result": &o.Result, "testFailureMessage": &o.Message, "testFailureCause": &o.Cause,
			"manual": &o.Manual, "startTime": &o.StartTime, "duration": &o.Duration,
		})
		if err != nil { // cut, or no JSON: how the test ended comes last
			return err
		}
		if o.Name == "" || o.result() == "" {
			d.Problem(envelope.SeverityError, envelope.CodeMalformed, "a test is not counted: it has no name, or neither a result nor steps")
			return nil
		}
		o.emitTrials(to)
		return nil
	})
}

// outcome is what is read of a test (net.thucydides.model.domain.TestOutcome).
type outcome struct {
	Name, Class, Source, Context string
	Story                        struct{ StoryName, Path string }
	Tags                         []tag
	Steps                        []step
	Table                        struct{ Rows []row }
	Result, Message              string
	Cause                        cause
	Manual                       bool
	StartTime                    jsonwalk.Moment
	Duration                     *float64 // milliseconds
}

type tag struct{ Name, Type string }

// row is a row of the table of a scenario outline, or of a test that is run for each of them.
type row struct {
	Values cells
	Result string
}

type step struct {
	Description, Result string
	StartTime           jsonwalk.Moment
	Duration            *float64 // milliseconds
	Exception           cause
	Children            []step
}

func (o *outcome) emitTrials(to envelope.Sink) {
	attempts := &trialfields.Attempts{}
	if !o.isTable() {
		t := o.trial(o.Name)
		t.Retry = attempts.Tries(t, o.retries(), to, o.reasons()...) > 0
		o.setOutcome(&t, o.result(), o.Steps)
		o.explain(&t, o.Cause, o.Message, o.Steps)
		t.StartedAt, t.DurationMS = o.StartTime.Time, trialfields.Elapsed(o.Duration, 1)
		attempts.Send(&t, to)
		return
	}
	for i := range o.Steps {
		t := o.row(i)
		attempts.Send(&t, to)
	}
}

// trial is a trial of the test of that name, with what all its trials have.
func (o *outcome) trial(name string) envelope.Trial {
	t := envelope.Trial{Key: envelope.Key{Suite: cmp.Or(o.Class, o.Story.StoryName), Test: name, Variant: o.Context}}
	if path, isFeature := feature(o.Story.Path); isFeature {
		t.Suite, t.File = path, path
	}
	var tags []string
	for _, each := range o.Tags {
		if each.Type == "tag" {
			tags = append(tags, each.Name)
		}
	}
	trialfields.Tags(&t, tags)
	return t
}

// feature is the path of the file of a feature, of which Cucumber says where it looked for it.
func feature(path string) (string, bool) {
	path = strings.ReplaceAll(path, `\`, "/")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "classpath:"), "file:")
	return path, strings.HasSuffix(path, ".feature")
}

// isTable reports whether steps are the rows of the table. A test that failed when none of
// them did failed around them, and is one.
func (o *outcome) isTable() bool {
	if len(o.Table.Rows) == 0 || len(o.Table.Rows) != len(o.Steps) {
		return false
	}
	return !isBad(o.Result) || slices.ContainsFunc(o.Steps, step.isBad) || slices.ContainsFunc(o.Table.Rows, row.isBad)
}

func (s step) isBad() bool { return isBad(s.Result) }
func (r row) isBad() bool  { return isBad(r.Result) }

// row is the trial of a row. It and its step both say how it ended, and the worse of them
// decides: a step that was skipped is a row that passed, and older versions wrote failures of
// one into the other alone.
func (o *outcome) row(i int) envelope.Trial {
	name := o.Name + words.If(len(o.Steps) > 1, " (example "+strconv.Itoa(i+1)+")")
	r, s := &o.Table.Rows[i], &o.Steps[i]
	t := o.trial(name)
	o.setOutcome(&t, cmp.Or(worse(r.Result, s.Result), "UNDEFINED"), s.Children)
	o.explain(&t, s.cause(), "", s.Children)
	t.StartedAt, t.DurationMS = s.StartTime.Time, trialfields.Elapsed(s.Duration, 1)
	if r.Values != "" {
		trialfields.Set(&t, "example", string(r.Values))
	}
	return t
}

// cause is why a step failed: what the step says, or the first step below it that does.
func (s *step) cause() cause {
	for i := 0; s.Exception.isNone() && i < len(s.Children); i++ {
		if found := s.Children[i].cause(); !found.isNone() {
			return found
		}
	}
	return s.Exception
}

func (o *outcome) explain(t *envelope.Trial, why cause, message string, steps []step) {
	if t.Status == envelope.Pass {
		return
	}
	text := cmp.Or(why.Message, message, why.ErrorType)
	t.Output = failure.Ends(failure.Together(text, why.StackTrace.stackTrace()))
	t.Message = cmp.Or(failure.Reason(text, 3), first(steps, t.RawStatus))
	if t.Status == envelope.Skip {
		return
	}
	t.Message = cmp.Or(t.Message, strings.ToLower(t.RawStatus)+" without a message")
	if t.ErrorClass == "" && failure.TimedOut(t.Message) {
		t.ErrorClass = envelope.ClassTimeout
	}
}

// first names the first step that ended like its test.
func first(steps []step, result string) string {
	i := slices.IndexFunc(steps, func(s step) bool { return s.Result == result })
	if i < 0 {
		return ""
	}
	return strings.ToLower(result) + ": " + failure.Reason(steps[i].Description, 1)
}

// cells are the values of a row, texts and numbers.
type cells string

func (c *cells) Take(v jsonwalk.Value) { *c = cells(strings.Join(v.Strings(), ", ")) }

func (c *cells) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, c) }

type cause struct {
	ErrorType, Message string
	StackTrace         frames
}

func (c cause) isNone() bool { return c.ErrorType == "" && c.Message == "" }

type frames []struct {
	DeclaringClass, MethodName, FileName string
	LineNumber                           int
}

func (f frames) stackTrace() string {
	var b strings.Builder
	for _, each := range f {
		fmt.Fprintf(&b, "\tat %s.%s(%s:%d)\n", each.DeclaringClass, each.MethodName, each.FileName, each.LineNumber)
	}
	return b.String()
}

// ranks are the words for how a test or a step ended (net.thucydides.model.domain.TestResult),
// the worst last, in the order of TestResultList.
var ranks = []string{"UNDEFINED", "SUCCESS", "ABORTED", "SKIPPED", "IGNORED", "PENDING", "UNSUCCESSFUL", "FAILURE", "ERROR", "COMPROMISED"}

// worse is the worse of two words. One that nobody knows is the worst.
func worse(a, b string) string {
	if rank(a) < rank(b) {
		return b
	}
	return a
}

func rank(result string) int {
	if i := slices.Index(ranks, result); i >= 0 || result == "" {
		return i
	}
	return len(ranks)
}

// isBad reports whether a result fails the run, as far as it alone says.
func isBad(result string) bool { return rank(result) >= slices.Index(ranks, "UNSUCCESSFUL") }

// result is how the test ended. Steps and rows that failed fail one that is said to have
// passed, and say how one ended that does not say so itself.
func (o *outcome) result() string {
	result := o.Result
	if result != "" && result != "SUCCESS" {
		return result
	}
	add := func(part string) {
		if isBad(part) || o.Result == "" {
			result = worse(result, part)
		}
	}
	for _, s := range o.Steps {
		add(s.Result)
	}
	for _, r := range o.Table.Rows {
		add(r.Result)
	}
	return result
}

func (o *outcome) setOutcome(t *envelope.Trial, result string, steps []step) {
	t.RawStatus = result
	t.Status, t.ErrorClass = o.status(result)
	for _, s := range steps {
		if status, _ := o.status(s.Result); !isHistory(s) {
			trialfields.AddCheck(t, envelope.Check{Name: s.Description, Status: status, Reason: s.cause().Message}, "step")
		}
	}
}

// status is what a result means. Nothing says of one that was compromised that it was not
// the test's own doing, so that it counts; a step of Cucumber that nobody wrote fails the run.
func (o *outcome) status(result string) (status envelope.Status, class string) {
	switch result {
	case "":
		return "", ""
	case "SUCCESS":
		return envelope.Pass, ""
	case "FAILURE", "UNSUCCESSFUL":
		return envelope.Fail, ""
	case "PENDING":
		if o.Source == "Cucumber" && !o.Manual && !o.isPutOff() {
			return envelope.Error, envelope.ClassPreValidation
		}
		return envelope.Skip, ""
	case "IGNORED", "SKIPPED", "ABORTED":
		return envelope.Skip, ""
	}
	return envelope.Error, ""
}

// isPutOff reports whether a tag says that a scenario is not to be run yet.
func (o *outcome) isPutOff() bool {
	return slices.ContainsFunc(o.Tags, func(t tag) bool {
		return slices.Contains([]string{"pending", "wip", "skip", "ignore"}, strings.ToLower(t.Name))
	})
}

// A test that passed when it was tried again (test.retry.count) has the tag
// {"name":"Retries: 2","type":"unstable test"} and a step with the reasons of all tries
// before (BaseStepListener.lastTestPassedAfterRetries). One that failed each time has neither.
const (
	unstable = "unstable test"
	retries  = "Retries: "
	history  = "UNSTABLE TEST:"
	bullet   = "* "
)

func isHistory(s step) bool { return strings.HasPrefix(s.Description, history) }

func (o *outcome) retries() int {
	for _, t := range o.Tags {
		if count, is := strings.CutPrefix(t.Name, retries); is && t.Type == unstable {
			n, _ := strconv.Atoi(count)
			return n
		}
	}
	return 0
}

// reasons are those of the tries before the last, in their order.
func (o *outcome) reasons() (reasons []string) {
	for _, s := range o.Steps {
		if !isHistory(s) {
			continue
		}
		for _, line := range strings.Split(s.Description, "\n"+bullet)[1:] {
			reasons = append(reasons, failure.Reason(line, 3))
		}
	}
	return reasons
}

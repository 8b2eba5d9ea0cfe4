// Package jest reads the JSON reports of Jest (--json) and Vitest (--reporter=json).
//
// Jest lists why each earlier try failed. A test that Vitest lists as passed with failure
// messages passed after that many tries. Each try is a trial. A failed test of Vitest with
// several messages may have had tries or repeats: it is one trial with a warning.
package jest

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a report.
func Sniff(head []byte) bool {
	return jsonwalk.DocumentKeys(head).Has("numTotalTests", "numTotalTestSuites")
}

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}}
	err := jsonwalk.Strict(r, rd.to, rd.report)
	if rd.whole && !rd.interrupted {
		rd.to.Announced(rd.counted, "tests")
	}
	switch {
	case rd.interrupted:
		rd.to.Fail(envelope.ClassInfrastructure, "the run was interrupted: later tests are missing")
	case rd.failed:
		rd.to.Explain("the run failed, but no test did: a coverage limit, an old snapshot, a reporter or no tests?")
	case rd.unended:
		rd.to.Explain("tests did not run to their end, and none failed: the worker of Vitest that had them died, or the run was stopped")
	}
	return err
}

type reader struct {
	*jsonwalk.Text
	to          *runfailure.Watch
	trial       envelope.Trial // the one that is delivered
	named       []byte
	reasons     failure.Memory
	warned      bool
	counted     int  // tests, as the run counts them
	whole       bool // the report was read to its end
	failed      bool // the run says so
	interrupted bool
	unended     bool // tests of Vitest did not run, or to no end
}

func (rd *reader) report(d *jsonwalk.Text) error {
	rd.Text, d.Nothing = d, true
	tests, suites, success := 0, 0, true
	err := d.Members(jsonwalk.Members{"numFailedTests": &tests, "numFailedTestSuites": &suites, "success": &success,
		"numTotalTests": &rd.counted, "wasInterrupted": &rd.interrupted, "startTime": rd.startTime, "testResults": jsonwalk.Decoded(rd.file)})
	rd.whole, rd.failed = err == nil, tests > 0 || suites > 0 || !success
	return err
}

func (rd *reader) startTime(d *jsonwalk.Text) error {
	ms := 0.0
	err := d.Decode(&ms)
	rd.to.Began(instant(ms))
	return err
}

// instant is the time so many milliseconds after 1970, zero when that is none.
func instant(ms float64) time.Time {
	const farthest = 1 << 43
	if !(ms > 0 && ms < farthest) {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

// file is the result of one file of tests, as --json writes it, or as Jest hands it to
// reporters, of which some write what they are given.
type file struct {
	Name, Status, Message        string
	AssertionResults             []assertion
	TestFilePath, FailureMessage string      // of what reporters are given
	TestResults                  []assertion // likewise
}

// written gives what reporters are given the names that --json has for it, where a file does not have those itself.
func (f *file) written() {
	f.Name, f.Message = cmp.Or(f.Name, f.TestFilePath), cmp.Or(f.Message, f.FailureMessage)
	if len(f.AssertionResults) == 0 {
		f.AssertionResults = f.TestResults
	}
	if f.FailureMessage != "" {
		f.Status = "failed"
	}
}

func (rd *reader) file(f *file) {
	f.written()
	failed := false
	for i := range f.AssertionResults {
		a := &f.AssertionResults[i]
		failed = failed || a.Status == "failed"
		rd.test(f, a)
	}
	if f.Status == "failed" && !failed {
		rd.emit(f.itself())
	}
}

// itself is the trial of a file that failed without a failed test: it did not
// load, or something around its tests went wrong.
func (f *file) itself() envelope.Trial {
	said := strings.Replace(f.Message, "● Test suite failed to run", "", 1)
	const fileTest = "[file]" // the test that stands for what a file says of itself alone
	t := envelope.Trial{Key: envelope.Key{Suite: f.Name, Test: fileTest}, Status: envelope.Error, RawStatus: f.Status,
		Message: failure.Reason(said, 2), Output: failure.Ends(f.Message), File: f.Name}
	if len(f.AssertionResults) == 0 {
		t.ErrorClass = envelope.ClassPreValidation
	}
	t.Message = cmp.Or(t.Message, "the file failed and does not say why")
	return t
}

func (rd *reader) emit(t envelope.Trial) {
	rd.trial = t
	rd.Nothing = false
	rd.to.Send(&rd.trial)
}

type assertion struct {
	AncestorTitles          []string
	FullName, Title, Status string
	Duration                *float64 // milliseconds
	FailureMessages         []string
	Location                *struct{ Line int }
	StartAt                 float64        // milliseconds since 1970; Jest 30
	Invocations             int            // Jest: tries, the last included
	RetryReasons            []string       // Jest: why each try before the last failed
	Meta                    map[string]any // Vitest: what the test says of itself
}

// name is the path of titles, as the runner prints it: a test of Vitest has the
// same name in its JUnit report. The next call overwrites its memory.
func (rd *reader) name(a *assertion) string {
	if a.Title == "" {
		return a.FullName
	}
	arrow := " › "
	if a.Meta != nil { // of Vitest
		arrow = " > "
	}
	rd.named = rd.named[:0]
	for _, title := range a.AncestorTitles {
		rd.named = append(append(rd.named, title...), arrow...)
	}
	rd.named = append(rd.named, a.Title...)
	return jsontext.InPlace(rd.named)
}

// test delivers the tries of a test: those that failed, then the last.
func (rd *reader) test(f *file, a *assertion) {
	proto := envelope.Trial{Key: envelope.Key{Suite: f.Name, Test: cmp.Or(rd.name(a), "(unnamed)")}, File: f.Name}
	status, known := envelope.ParseStatus(a.Status)
	if !known {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed,
			"test "+words.Quote(proto.Test, 60)+" is not counted: Jest and Vitest have no status "+words.Quote(a.Status, 60))
		return
	}
	if a.Location != nil {
		proto.Line = max(a.Location.Line, 0)
	}
	a.label(&proto)
	tries := a.tries(status)
	for i, why := range tries {
		t := proto
		t.Labels, t.Status, t.RawStatus, t.Retry = slices.Clone(t.Labels), envelope.Fail, "failed", i > 0
		rd.explain(&t, why)
		rd.emit(t)
	}
	rd.last(proto, a, status, len(tries))
}

// label gives a trial what a test of Vitest says of itself.
func (a *assertion) label(t *envelope.Trial) {
	if a.Meta == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(a.Meta)) {
		switch value := a.Meta[name].(type) {
		case string, float64, bool:
			trialfields.Set(t, name, fmt.Sprint(value))
		}
	}
}

// tries is why each try before the last failed.
func (a *assertion) tries(status envelope.Status) []string {
	tries := a.RetryReasons
	if len(tries) == 0 && status == envelope.Pass {
		tries = a.FailureMessages
	}
	tries = slices.Clip(tries)
	const maxTries = 1000 // bounds how many tries are believed that give no reason
	for len(tries) < min(a.Invocations-1, maxTries) {
		tries = append(tries, "")
	}
	return tries
}

func (rd *reader) last(t envelope.Trial, a *assertion, status envelope.Status, before int) {
	t.Status, t.Retry, t.StartedAt = status, before > 0, instant(a.StartAt)
	if a.Status != string(status) {
		t.RawStatus = a.Status
	}
	rd.unended = rd.unended || a.Meta != nil && a.Status == "pending" // Vitest calls what it leaves out skipped
	t.DurationMS = trialfields.Elapsed(a.Duration, 1)
	if status == envelope.Fail || status == envelope.Error {
		if len(a.FailureMessages) > 1 && a.Invocations == 0 {
			rd.unclear()
		}
		rd.explain(&t, strings.Join(a.FailureMessages, "\n\n"))
	}
	rd.emit(t)
}

// unclear says once that some failed tests may have been tried more often.
func (rd *reader) unclear() {
	if !rd.warned {
		rd.warned = true
		rd.Problem(envelope.SeverityWarning, envelope.CodeRetriesLost,
			"failed tests have several messages: whether they had several attempts is not in this report; each of these tests counts as one trial")
	}
}

func (rd *reader) explain(t *envelope.Trial, why string) {
	t.Message, t.Output = rd.reasons.Reason(why, 3), failure.Ends(why)
	t.Message = cmp.Or(t.Message, "failed without a message")
	if failure.TimedOut(t.Message) {
		t.ErrorClass = envelope.ClassTimeout
	}
}

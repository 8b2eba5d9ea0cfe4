// Package jest reads the JSON reports of Jest (--json) and Vitest
// (--reporter=json), which share a shape and differ in what they tell of
// retries.
//
// It exists because both say more than it seems: Jest lists why each earlier
// try failed, and a test that Vitest lists as passed with failure messages
// passed after that many tries. Each try is a trial. What Vitest does not tell,
// it cannot be asked: a failed test with several messages was tried several
// times, or failed in several places, or was repeated; it is one trial with a
// warning.
package jest

import (
	"cmp"
	"io"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/wholerun"
)

// fileTest is the test that stands for what a file says of itself alone.
const fileTest = "[file]"

// Sniff reports whether head starts with a report.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return !inArray && keys.Has("numTotalTests", "numTotalTestSuites")
}

// Read reads one report. What is wrong with it is a problem in the sink; the
// error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &wholerun.Watch{Sink: to}}
	err := jsonwalk.Strict(r, rd.to, rd.report)
	if rd.whole && !rd.interrupted {
		rd.to.Announced(rd.counted, "tests")
	}
	switch {
	case rd.interrupted:
		rd.to.Fail(envelope.ClassInfrastructure, "the run was interrupted: later tests are missing")
	case rd.failed:
		rd.to.Explain("the run failed, and none of its tests: a limit of coverage, a snapshot that is obsolete, or a reporter")
	case rd.unended:
		rd.to.Explain("tests did not run to their end, and none failed: the worker of Vitest that had them died, or the run was stopped")
	}
	return err
}

type reader struct {
	*jsonwalk.Text
	to          *wholerun.Watch
	attempts    trialfields.Attempts
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
	rd.Text = d
	err := d.Object(func(key string) error {
		switch key {
		case "startTime":
			return rd.startTime()
		case "numFailedTests", "numFailedTestSuites":
			failed := 0
			err := rd.Decode(&failed)
			rd.failed = rd.failed || failed > 0
			return err
		case "numTotalTests":
			return d.Decode(&rd.counted)
		case "success":
			success := true
			err := rd.Decode(&success)
			rd.failed = rd.failed || !success
			return err
		case "wasInterrupted":
			return d.Decode(&rd.interrupted)
		case "testResults":
			return d.Array(rd.file)
		}
		return nil
	})
	rd.whole = err == nil
	return err
}

func (rd *reader) startTime() error {
	ms := 0.0
	err := rd.Decode(&ms)
	if at := instant(ms); !at.IsZero() {
		rd.to.Header(envelope.Header{StartedAt: at.Format(time.RFC3339Nano)}, nil)
	}
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

// written gives what reporters are given the names that --json has for it, where a file does
// not have those itself.
func (f *file) written() {
	f.Name, f.Message = cmp.Or(f.Name, f.TestFilePath), cmp.Or(f.Message, f.FailureMessage)
	if len(f.AssertionResults) == 0 {
		f.AssertionResults = f.TestResults
	}
	if f.FailureMessage != "" {
		f.Status = "failed"
	}
}

func (rd *reader) file() error {
	f := file{}
	if err := rd.Decode(&f); err != nil {
		return err
	}
	f.written()
	failed := false
	for i := range f.AssertionResults {
		a := &f.AssertionResults[i]
		failed = failed || a.Status == "failed"
		rd.test(&f, a)
	}
	if f.Status == "failed" && !failed {
		rd.deliver(f.itself())
	}
	return nil
}

// itself is the trial of a file that failed without a failed test: it did not
// load, or something around its tests went wrong.
func (f *file) itself() envelope.Trial {
	said := strings.Replace(f.Message, "● Test suite failed to run", "", 1)
	t := envelope.Trial{Key: envelope.Key{Suite: f.Name, Test: fileTest}, Status: envelope.Error, RawStatus: f.Status,
		Message: failure.Reason(said, 2), Output: failure.Ends(f.Message), File: f.Name}
	if len(f.AssertionResults) == 0 {
		t.ErrorClass = envelope.ClassPreValidation
	}
	if t.Message == "" {
		t.Message = "the file failed and does not say why"
	}
	return t
}

func (rd *reader) deliver(t envelope.Trial) {
	rd.trial = t
	rd.attempts.Send(&rd.trial, rd.to)
}

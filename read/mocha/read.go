// Package mocha reads the reports of Mocha's JSON reporter and of mochawesome, also those of Cypress.
//
// Each failed try that currentRetry counts is a trial, and the reported one is their retry. mochawesome does not count
// them. The suite is the file, the test its full title. A hook that fails is an error under Mocha's title for it.
package mocha

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a report: its numbers come first, under names that no other runner has
// together. Tests print where it goes, so that it may stand behind that.
func Sniff(head []byte) bool { return isReport(head) || begin(head) >= 0 }

func begin(head []byte) int { return jsonwalk.Begin(head, "stats", isReport) }

func isReport(head []byte) bool {
	const statsRoom = 4 << 10
	keys, inArray := jsonwalk.Keys(head)
	if inArray || !keys.Has("stats") || !keys.HasAny("tests", "passes", "failures", "pending", "results", "suites") {
		return false
	}
	stats := head[:min(len(head), statsRoom)]
	return bytes.Contains(stats, []byte(`"passes"`)) && bytes.Contains(stats, []byte(`"pending"`)) && bytes.Contains(stats, []byte(`"suites"`))
}

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, failed: map[envelope.Key]int{}, skipped: map[envelope.Key]int{}}
	err := jsonwalk.StrictAmong(r, rd.to, begin, rd.report)
	if rd.whole {
		rd.to.Counts(rd.stats.Tests, rd.stats.Failures, "tests")
	}
	rd.to.Head(envelope.Header{StartedAt: rd.stats.Start})
	return err
}

type reader struct {
	*jsonwalk.Text
	to    *runfailure.Watch
	stats struct {
		Start           string
		Tests, Failures int // as the report has it
	}
	whole   bool                 // it was read to its end
	listed  bool                 // all tests were read from tests
	failed  map[envelope.Key]int // how often each is in failures
	skipped map[envelope.Key]int // tests that skipped themselves
	waiting []*test              // of tests, until pending and failures are read
	fails   []*test              // of failures, which has hooks, too
}

type test struct {
	Title, FullTitle, File    string
	Duration                  *float64 // milliseconds; a test that did not run has none
	CurrentRetry              int
	Speed                     string
	Err                       fault
	State                     string // mochawesome
	Pass, Fail, Pending       bool   // mochawesome
	TimedOut, IsHook, Skipped bool   // mochawesome
}

type fault struct{ Message, Stack, Estack, Diff string }

func (rd *reader) report(d *jsonwalk.Text) error {
	rd.Text = d
	suite := func(*jsonwalk.Text) error { return rd.suite("", 0) }
	err := d.Members(jsonwalk.Members{
		"stats":   &rd.stats,
		"results": func(*jsonwalk.Text) error { return d.Array(func() error { return suite(d) }) },
		"suites":  suite, // mochawesome before version 4
		"tests": func(*jsonwalk.Text) error {
			rd.listed = true
			return jsonwalk.Decoded(func(t *test) {
				rd.waiting = append(rd.waiting, t)
				if t.neverBegan() {
					rd.skipped[t.key("")]--
				}
			})(d)
		},
		"failures": jsonwalk.Decoded(func(t *test) {
			rd.fails = append(rd.fails, t)
			rd.failed[t.key("")]++
		}),
		"passes":  rd.others(envelope.Pass),
		"pending": rd.others(envelope.Skip),
	})
	rd.ended()
	rd.whole = err == nil
	return err
}

// neverBegan reports whether Mocha left out a test, which has no duration then. One that
// skipped itself has a duration, and no speed.
func (t *test) neverBegan() bool { return t.Err == fault{} && t.Duration == nil && t.Speed == "" }

// ended delivers the tests from the list of all that ended, and the other failures. CodeceptJS gives tests that passed
// the error of a hook.
func (rd *reader) ended() {
	for _, t := range rd.waiting {
		k, status := t.key(""), envelope.Pass
		switch {
		case t.Err != fault{} && (t.Speed == "" || rd.failed[k] > 0):
			rd.failed[k]--
			status = envelope.Fail
		case t.neverBegan():
			status = envelope.Skip
		case t.Speed == "" && rd.skipped[k] > 0:
			rd.skipped[k]--
			status = envelope.Skip
		}
		rd.emitTries(t, "", status)
	}
	for _, t := range rd.fails {
		if k := t.key(""); rd.failed[k] > 0 {
			rd.failed[k]--
			rd.emitTries(t, "", envelope.Fail)
		}
	}
}

// others reads passes and pending. In a report with a list of all tests, they only say which of them are pending.
func (rd *reader) others(status envelope.Status) func(*jsonwalk.Text) error {
	return jsonwalk.Decoded(func(t *test) {
		switch {
		case !rd.listed:
			rd.emitTries(t, "", status)
		case status == envelope.Skip:
			rd.skipped[t.key("")]++
		}
	})
}

func (rd *reader) suite(file string, depth int) error {
	const maxNesting = 100
	if depth > maxNesting {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "suites nested deeper than 100 are not read")
		return nil
	}
	own := ""
	take := func(t *test) {
		if !t.IsHook || t.Fail {
			rd.emitTries(t, file, t.outcome())
		}
	}
	tests := jsonwalk.Decoded(take)
	return rd.Object(func(key string) error {
		switch key {
		case "fullFile", "file": // the full one comes first, and is empty where the suite has no file of its own
			err := rd.Decode(&own)
			if err == nil && own != "" && (file == "" || key == "fullFile") {
				file = own
			}
			return err
		case "beforeHooks", "afterHooks", "tests":
			return tests(rd.Text)
		case "suites":
			return rd.Array(func() error { return rd.suite(file, depth+1) })
		}
		return nil
	})
}

func (t *test) outcome() envelope.Status {
	switch {
	case t.Fail:
		return envelope.Fail
	case t.Pass:
		return envelope.Pass
	case t.Pending, t.Skipped:
		return envelope.Skip
	}
	status, _ := envelope.ParseStatus(t.State)
	return status
}

func (t *test) key(file string) envelope.Key {
	file = cmp.Or(file, t.File)
	name := t.FullTitle
	if strings.TrimSpace(name) == "" {
		name = t.Title
	}
	return envelope.Key{Suite: strings.ReplaceAll(file, `\`, "/"), Test: strings.TrimSpace(name)}
}

// hooks are how titles of hooks begin.
var hooks = []string{`"before all" hook`, `"before each" hook`, `"after all" hook`, `"after each" hook`}

// emitTries delivers the tries of a test that failed and then the one in the report.
func (rd *reader) emitTries(t *test, file string, status envelope.Status) {
	trial := envelope.Trial{Key: t.key(file), Status: status}
	trial.File = trial.Suite
	if trial.Test == "" || status == "" {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "a test is not counted: it has no title, or no known state")
		return
	}
	tries := 0
	if status != envelope.Skip {
		tries = rd.to.Attempts.Tries(trial, t.CurrentRetry, rd.to)
	}
	trial.Retry = tries > 0
	trial.DurationMS = trialfields.Elapsed(t.Duration, 1)
	switch {
	case status == envelope.Fail:
		t.explain(&trial)
	case t.Skipped:
		trial.Message = "did not run: a hook before it failed"
	}
	rd.to.Send(&trial)
}

func (t *test) explain(trial *envelope.Trial) {
	text := cmp.Or(t.Err.Stack+t.Err.Estack, t.Err.Message) + words.Around("\n\n", t.Err.Diff)
	trial.Output = failure.Ends(text)
	trial.Message = cmp.Or(failure.Reason(t.Err.Message, 3), failure.Reason(text, 1), "failed without a message")
	if t.TimedOut || failure.TimedOut(trial.Message) {
		trial.ErrorClass = envelope.ClassTimeout
	}
	if slices.ContainsFunc(hooks, func(h string) bool { return strings.HasPrefix(t.Title, h) }) {
		trial.Status = envelope.Error
	}
}

// Package pytestjson reads the report of pytest-json-report, one JSON document.
//
// The report has one entry a test, that of its last run. How often and why a test was run again
// is lost, which a warning says. Package reportlog reads the report that keeps them.
package pytestjson

import (
	"bytes"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/pytest"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a report. Where something sorted its keys, a long
// list of what was collected is the first.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return !inArray && (keys.Has("created", "exitcode", "root") &&
		(keys.HasAny("tests", "summary") || bytes.Contains(head, []byte(`"environment"`))) ||
		keys.Has("collectors") && bytes.Contains(head, []byte(`"nodeid"`)))
}

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	whole := &runfailure.Watch{Sink: to}
	rd := &reader{to: whole, tests: pytest.NewTests(whole)}
	err := jsonwalk.Strict(r, whole, rd.report)
	rd.tests.Finish()
	if n := rd.counted.Total; n > 0 && !rd.listed && err == nil {
		runfailure.Unreadable(to, "this report counts %s and lists none: write it without --json-report-summary",
			words.Plural(n, "test", "tests"))
		return nil
	}
	rd.tests.Ended(rd.exitCode)
	if rd.listed && rd.whole {
		whole.Counts(rd.counted.Total, rd.counted.Failed+rd.counted.Error, "tests")
	}
	return err
}

type reader struct {
	*jsonwalk.Text
	to       envelope.Sink
	tests    *pytest.Tests
	exitCode int
	counted  struct{ Total, Failed, Error int } // its summary
	whole    bool                               // it was read to its end
	listed   bool                               // the tests are there
	warned   bool
}

func (rd *reader) report(d *jsonwalk.Text) error {
	rd.Text = d
	err := d.Members(jsonwalk.Members{
		"exitcode": &rd.exitCode, "summary": &rd.counted, "created": rd.created,
		"collectors": jsonwalk.Decoded(func(c *struct{ NodeID, Outcome, LongRepr string }) {
			if c.Outcome == "failed" { // a file that could not be collected
				rd.tests.Uncollected(c.NodeID, c.Outcome, failure.Reason(c.LongRepr, 1), c.LongRepr)
			}
		}),
		"tests": func(*jsonwalk.Text) error {
			rd.listed = true
			return jsonwalk.Decoded(rd.test)(d)
		},
	})
	rd.whole = err == nil
	return err
}

func (rd *reader) created(d *jsonwalk.Text) error {
	seconds := 0.0
	err := d.Decode(&seconds)
	const farthest = 1 << 33
	if err == nil && seconds > 0 && seconds < farthest {
		whole, part := math.Modf(seconds)
		at := time.Unix(int64(whole), int64(part*1e6)*1000).UTC()
		rd.to.Header(envelope.Header{StartedAt: at.Format(time.RFC3339Nano)}, nil)
	}
	return err
}

func (rd *reader) test(t *test) {
	if t.NodeID == "" || t.Outcome == "" {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "a test without a nodeid or an outcome is not counted")
		return
	}
	if t.Outcome == "rerun" && !rd.warned {
		rd.warned = true
		rd.Problem(envelope.SeverityWarning, envelope.CodeRetriesLost,
			"tests were run again, and this report has their last run only: use pytest-reportlog to see all")
	}
	rd.tests.Trial(t.trial(), func(mark string) bool { return slices.Contains(t.Keywords, mark) })
}

type test struct {
	NodeID, Outcome       string
	LineNo                *int // from 0 on
	Keywords              []string
	Setup, Call, Teardown *phase
	UserProperties        []map[string]any `json:"user_properties"`
}

type phase struct {
	Duration                 *float64 // seconds
	Outcome                  string
	Crash                    struct{ Message string }
	LongRepr, Stdout, Stderr string
}

// trial makes a trial of the phases. The outcome of the test is the word that is
// kept; on its own it decides only when there are no phases.
func (t *test) trial() envelope.Trial {
	trial, phases := envelope.Trial{}, pytest.Phases{}
	said := make([]string, 2, 8)
	xfail := t.Outcome == "xfailed" || t.Outcome == "xpassed"
	for _, p := range []struct {
		when string
		*phase
	}{{"setup", t.Setup}, {"call", t.Call}, {"teardown", t.Teardown}} {
		if p.phase == nil {
			continue
		}
		phases.Add(pytest.Phase{When: p.when, Outcome: p.Outcome, XFail: xfail, Message: p.said(), Output: p.LongRepr})
		said = append(said, failure.Ends(p.Stdout), failure.Ends(p.Stderr))
	}
	if t.Setup == nil && t.Call == nil && t.Teardown == nil {
		phases.Add(t.alone(xfail))
	}
	phases.Fill(&trial)
	said[0], said[1] = trial.Output, "\n"
	trial.Output = failure.Ends(strings.Trim(strings.Join(said, ""), "\n"))
	if trial.RawStatus = t.Outcome; t.Outcome == string(trial.Status) {
		trial.RawStatus = ""
	}
	t.place(&trial)
	return trial
}

// alone is the outcome of a test whose phases are left out of the report.
func (t *test) alone(xfail bool) pytest.Phase {
	outcome := t.Outcome
	switch outcome {
	case "xfailed":
		outcome = "skipped"
	case "xpassed":
		outcome = "passed"
	}
	return pytest.Phase{When: "call", Outcome: outcome, XFail: xfail}
}

// said is why the phase did not pass.
func (p *phase) said() string {
	if p.Crash.Message != "" {
		return p.Crash.Message
	}
	// A skip is written as a Python tuple of file, line and reason.
	if _, reason, ok := strings.Cut(p.LongRepr, ", 'Skipped: "); ok && p.Outcome == "skipped" {
		return strings.TrimSuffix(reason, "')")
	}
	return p.LongRepr
}

func (t *test) place(trial *envelope.Trial) {
	trial.Suite, trial.Test = pytest.Split(t.NodeID)
	trial.File = trial.Suite
	if t.LineNo != nil && *t.LineNo >= 0 {
		trial.Line = *t.LineNo + 1
	}
	if t.Setup != nil {
		trial.SetupMS = trialfields.Elapsed(t.Setup.Duration, 1000)
	}
	if t.Call != nil {
		trial.DurationMS = trialfields.Elapsed(t.Call.Duration, 1000)
	}
	for _, p := range t.UserProperties {
		for _, name := range slices.Sorted(maps.Keys(p)) { // one name each, as pytest writes it
			pytest.Property(trial, name, p[name])
		}
	}
}

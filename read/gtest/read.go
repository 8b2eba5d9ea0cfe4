// Package gtest reads the JSON of GoogleTest (--gtest_output=json). Its XML is JUnit, which package junit reads.
//
// It exists because the JSON has the file and the line of every test. With
// --gtest_repeat each round writes over the file of the one before, so rounds are
// several files, each a run. What RecordProperty says is cost, score or a label.
package gtest

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a report.
func Sniff(head []byte) bool {
	return jsonwalk.DocumentKeys(head).Has("tests", "failures", "disabled", "testsuites")
}

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}}
	return jsonwalk.Document(r, rd.to, rd.report)
}

type reader struct {
	to       *runfailure.Watch
	failures int  // as the report counts them
	leftOut  bool // --gtest_fail_fast may have skipped tests of this suite
}

func (rd *reader) report(d *jsonwalk.Text) error {
	tests := 0
	failed := func(v jsonwalk.Value) { rd.failures += int(v.Count().V) }
	err := d.Members(jsonwalk.Members{
		"timestamp": func(v jsonwalk.Value) {
			if !v.Time().IsZero() {
				rd.to.Header(envelope.Header{StartedAt: v.Text()}, nil)
			}
		},
		"tests":    func(v jsonwalk.Value) { tests = int(v.Count().V) },
		"failures": failed, "errors": failed,
		"testsuites": rd.suites,
	})
	if err == nil {
		rd.to.Counts(tests, rd.failures, "tests")
	}
	return err
}

func (rd *reader) suites(d *jsonwalk.Text) error {
	return d.Array(func() error {
		name := ""
		rd.leftOut = false
		return d.Members(jsonwalk.Members{
			"name":     func(v jsonwalk.Value) { name = v.String() },
			"failures": func(v jsonwalk.Value) { rd.leftOut = v.Count().V > 0 },
			// The suite of a SetUpTestSuite that failed has begun, and has no failure.
			"timestamp": func(v jsonwalk.Value) { rd.leftOut = rd.failures > 0 && (rd.leftOut || v.Time().Year() <= 1970) },
			"testsuite": jsonwalk.Objects(func(v jsonwalk.Value) { rd.test(name, v) }),
		})
	})
}

// own are the members of a test that are GoogleTest's.
var own = []string{"name", "file", "line", "status", "result", "timestamp", "time", "classname", "failures", "skipped", "value_param",
	"type_param"}

func (rd *reader) test(suite string, v jsonwalk.Value) {
	t := envelope.Trial{Key: envelope.Key{Suite: suite, Test: v.Get("name").String()},
		File: strings.ReplaceAll(v.Get("file").String(), `\`, "/")}
	said := failures(v)
	switch {
	case t.Test == "" && len(said) > 0: // as 1.16 writes what failed around the tests
		rd.to.Fail("", append([]string{"the suite " + strconv.Quote(suite) + " failed outside of its tests"}, said...)...)
		return
	case t.Test == "":
		v.Reject("it has no name")
		return
	}
	if line := v.Get("line").Index(); line.OK && t.File != "" {
		t.Line = int(line.V)
	}
	switch result := v.Get("result").String(); {
	case len(said) > 0:
		t.Status = envelope.Fail
		t.Message, t.Output = failure.Reason(withoutPlace(said[0]), 3), failure.Ends(strings.Join(said, "\n\n"))
	case result == "COMPLETED" || result == "" && v.Get("status").String() == "RUN":
		t.Status = envelope.Pass
	case result == "SKIPPED" && !v.Get("skipped").Present() && !began(v) && !rd.leftOut:
		t.Status, t.RawStatus = envelope.Error, result
		t.Message = "the test did not begin: SetUpTestSuite or a global SetUp failed"
	case result == "SKIPPED", result == "SUPPRESSED", v.Get("status").String() == "NOTRUN":
		t.Status = envelope.Skip
		for s := range v.Get("skipped").Items() {
			t.Message = failure.Reason(withoutPlace(s.Get("message").String()), 1)
		}
	default:
		t.Status, t.RawStatus = envelope.Error, result
	}
	if s := v.Get("time").String(); strings.HasSuffix(s, "s") && t.Status != envelope.Skip {
		t.DurationMS = trialfields.Lasted(strings.TrimSuffix(s, "s"), 1000)
	}
	if began(v) {
		t.StartedAt = v.Get("timestamp").Time().UTC()
	}
	for name, value := range v.Members() {
		if !slices.Contains(own, name) && (value.IsText() || value.IsNumber()) {
			trialfields.Set(&t, name, value.String())
		}
	}
	rd.to.Send(&t)
}

// failures are what a test says that failed.
func failures(v jsonwalk.Value) (said []string) {
	for f := range v.Get("failures").Items() {
		said = append(said, f.Get("failure").String())
	}
	return said
}

// began reports whether a test says when it began. One that was skipped before, because
// what sets it up failed, has the time 0 in the zone of the machine. Since 1.14 it may have
// been skipped by SetUpTestSuite, and since 1.15 the report says why a test was skipped.
func began(v jsonwalk.Value) bool { return v.Get("timestamp").Time().Year() > 1970 }

// withoutPlace is a failure without its first line, which is where it happened.
func withoutPlace(said string) string {
	if _, rest, ok := strings.Cut(said, "\n"); ok {
		return rest
	}
	return said
}

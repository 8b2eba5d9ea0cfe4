// Package meson reads testlog.json, which Meson writes beside a log for people
// (meson-logs/testlog.json): a line for each program that it ran as a test.
//
// It exists because Meson's JUnit says less: a test that took too long is a testcase without
// a failure there, and so is one that passed though it was to fail, and a program that died
// or broke off behind points of TAP. What has no line here are the points inside a program.
package meson

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// outcome is what a result of Meson means for a trial.
type outcome struct {
	status     envelope.Status
	class, why string // why: where nothing else says it
}

// outcomes are the results of tests that ended (TestResult in mesonbuild/mtest.py).
var outcomes = map[string]outcome{
	"OK":             {status: envelope.Pass},
	"EXPECTEDFAIL":   {status: envelope.Pass},
	"SKIP":           {status: envelope.Skip},
	"IGNORED":        {status: envelope.Skip},
	"FAIL":           {status: envelope.Fail},
	"UNEXPECTEDPASS": {status: envelope.Fail, why: "it passed, and was expected to fail"},
	"ERROR":          {status: envelope.Error, why: "its output is not whole, or not of its protocol"},
	"TIMEOUT":        {status: envelope.Error, class: envelope.ClassTimeout, why: "it took too long"},
	"INTERRUPT":      {status: envelope.Error, class: envelope.ClassInfrastructure, why: "it was interrupted"},
}

// Sniff reports whether the first object in head is a test of Meson.
func Sniff(head []byte) bool {
	keys := jsonwalk.FirstLineKeys(head)
	_, known := outcomes[keys["result"]]
	return known && keys.Has("name", "stdout")
}

// Read reads one log. What is wrong with a line is a problem in the sink; the error is
// that of r.
func Read(r io.Reader, to envelope.Sink) error {
	var attempts trialfields.Attempts
	return jsonwalk.Lines(r, to, func(v jsonwalk.Value) {
		t, ok := trial(v)
		if !ok {
			return
		}
		attempts.Send(&t, to)
	}, "result")
}

func trial(v jsonwalk.Value) (t envelope.Trial, ok bool) {
	name, result := v.Get("name").Text(), v.Get("result").Text()
	as, known := outcomes[result]
	if name == "" || !known {
		v.Reject("it is not a test of Meson with a name and a result")
		return t, false
	}
	t = envelope.Trial{Key: key(name), Status: as.status, RawStatus: result, ErrorClass: as.class,
		DurationMS: v.Get("duration").Millis(float64(time.Second / time.Millisecond)), StartedAt: instant(v.Get("starttime").Amount())}
	if as.status == envelope.Fail || as.status == envelope.Error {
		said := v.Get("stderr").Text()
		t.Message = strings.TrimSuffix(as.with(v.Get("returncode").Number())+": "+failure.Reason(said, 1), ": ")
		t.Output = failure.Together(said, v.Get("stdout").Text())
	}
	return t, true
}

// key parts "project:suite+suite / name", as Meson names a test.
func key(name string) envelope.Key {
	if suite, test, parted := strings.Cut(name, " / "); parted && test != "" {
		return envelope.Key{Suite: suite, Test: test}
	}
	return envelope.Key{Test: name}
}

// with is why a test did not pass whose program ended with that code, below 0 by a signal.
func (o outcome) with(code envelope.Opt[float64]) string {
	switch {
	case o.class != "" || o.why != "" && code.V == 0:
		return o.why
	case !code.OK:
		return "it failed"
	case code.V < 0:
		return fmt.Sprintf("killed by signal %.0f", -code.V)
	}
	return fmt.Sprintf("ended with exit code %.0f", code.V)
}

func instant(seconds envelope.Opt[float64]) time.Time {
	const most = 1 << 33 // far beyond any run
	if !seconds.OK || seconds.V > most {
		return time.Time{}
	}
	whole, part := math.Modf(seconds.V)
	return time.Unix(int64(whole), int64(part*float64(time.Second))).UTC()
}

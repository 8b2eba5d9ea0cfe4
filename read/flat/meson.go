package flat

import (
	"fmt"
	"math"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
)

// Meson is testlog.json, which Meson writes beside a log for people
// (meson-logs/testlog.json): a line for each program that it ran as a test.
//
// It exists because Meson's JUnit says less: a test that took too long is a testcase without
// a failure there, and so is one that passed though it was to fail, and a program that died
// or broke off behind points of TAP. What has no line here are the points inside a program.
var Meson = Format{
	Sniff: func(head []byte) bool {
		keys := jsonwalk.FirstLineKeys(head)
		_, known := programOutcomes[keys["result"]]
		return known && keys.Has("name", "stdout")
	},
	keys: []string{"result"}, test: "name", unnamed: noProgram, judge: judgeProgram,
}

const noProgram = "it is not a test of Meson with a name and a result"

// programOutcome is what a result of Meson means for a trial.
type programOutcome struct {
	status     envelope.Status
	class, why string // why: where nothing else says it
}

// programOutcomes are the results of tests that ended (TestResult in mesonbuild/mtest.py).
var programOutcomes = map[string]programOutcome{
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

// judgeProgram takes how a program ended, and parts "project:suite+suite / name", as Meson names it.
func judgeProgram(t *envelope.Trial, v jsonwalk.Value) string {
	result := v.Get("result").Text()
	as, known := programOutcomes[result]
	if !known {
		return noProgram
	}
	if suite, test, parted := strings.Cut(t.Test, " / "); parted && test != "" {
		t.Suite, t.Test = suite, test
	}
	t.Status, t.RawStatus, t.ErrorClass = as.status, result, as.class
	t.DurationMS, t.StartedAt = v.Get("duration").Millis(float64(time.Second/time.Millisecond)), instant(v.Get("starttime").Amount())
	if as.status == envelope.Fail || as.status == envelope.Error {
		said := v.Get("stderr").Text()
		t.Message = strings.TrimSuffix(as.with(v.Get("returncode").Number())+": "+failure.Reason(said, 1), ": ")
		t.Output = failure.Together(said, v.Get("stdout").Text())
	}
	return ""
}

// with is why a test did not pass whose program ended with that code, below 0 by a signal.
func (o programOutcome) with(code envelope.Opt[float64]) string {
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

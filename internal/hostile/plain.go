package hostile

import "tribunal/envelope"

// Plain is an envelope without any trap, for goldens: a test of every status
// but with words a person would write, two of them a test of two variants.
func Plain() *envelope.Envelope {
	e := &envelope.Envelope{Tests: []envelope.Test{
		plain("", "no suite", "", envelope.Pass, "PP", "all 2 counted trials passed"),
		plain("weather", "broken", "", envelope.Error, "XX", "no counted trial: 2 excluded"),
		plain("weather", "fails", "", envelope.Fail, "FPFEF", "1 of 5 trials passed: the 95 % wald interval 0.000 to 0.551 is below the threshold 0.8"),
		plain("weather", "left out", "", envelope.Skip, "S", "all trials were skipped"),
		plain("weather", "passes", "large", envelope.Pass, "PPPPP", "5 of 5 trials passed"),
		plain("weather", "passes", "small", envelope.Pass, "PPFPP", "4 of 5 trials passed"),
		plain("weather", "unsure", "", envelope.Inconclusive, "PFPX", "3 counted trials: at least 5 are needed"),
	}}
	e.Tests[2].File, e.Tests[2].Line = "tests/weather_test.py", 42
	e.Tests[2].Labels = map[string]string{"team": "forecast"}
	e.Tests[2].Details[0].Message, e.Tests[2].Details[0].Output = "expected rain, got <sun>", "step 1\nstep 2 & more"
	e.Tests[3].Details[0].Message = "no network"
	e.Run.Name, e.Run.Commit, e.Run.StartedAt = "nightly", "4f2a9c1", "2026-11-21T10:00:00Z"
	e.Policy.Rule = "wald"
	for i := range e.Tests {
		t := &e.Tests[i]
		e.Summary.Add(t.Status)
		e.Summary.Trials.Total += t.Trials.Total
		e.Summary.Trials.Counted += t.Trials.Counted
		e.Summary.Trials.Passed += t.Trials.Passed
	}
	e.Summary.Flaky = 1
	e.Problems = []envelope.Problem{{Severity: envelope.SeverityWarning, Code: "noise", Message: "3 lines are no trials", Input: "trials.ndjson", Line: 7}}
	e.Gate = envelope.Gate{Status: envelope.Fail, ExitCode: 1, Reasons: []string{"1 test failed", "1 test errored"}}
	return e
}

func plain(suite, name, variant string, status envelope.Status, strip, reason string) envelope.Test {
	t := envelope.Test{Key: envelope.Key{Suite: suite, Test: name, Variant: variant}, Status: status, Rows: rows(strip)}
	count(&t)
	t.Verdict.Reason = reason
	return t
}

// Broken is the envelope of a run whose only input has no trial.
func Broken() *envelope.Envelope {
	return &envelope.Envelope{
		Problems: []envelope.Problem{{Severity: envelope.SeverityError, Code: envelope.CodeNoTrials, Message: "no trial in this input", Input: "trials.ndjson"}},
		Gate:     envelope.Gate{Status: envelope.Error, ExitCode: 2, Reasons: []string{"1 error in the input"}, InputErrors: 1},
	}
}

package pytestjson

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/pytest"
	"tribunal/read/internal/trialfields"
)

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
	if t.Setup != nil && t.Setup.Duration != nil {
		trial.SetupMS = trialfields.Milliseconds(*t.Setup.Duration, 1000)
	}
	if t.Call != nil && t.Call.Duration != nil {
		trial.DurationMS = trialfields.Milliseconds(*t.Call.Duration, 1000)
	}
	for _, p := range t.UserProperties {
		for _, name := range slices.Sorted(maps.Keys(p)) { // one name each, as pytest writes it
			text, ok := p[name].(string)
			if !ok {
				b, _ := json.Marshal(p[name])
				text = string(b)
			}
			trialfields.Set(trial, name, text)
		}
	}
}

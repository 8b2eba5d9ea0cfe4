// Package karate reads what Karate 1 writes of a feature, NAME.karate-json.txt in its karate-reports folder.
//
// The suite is the feature and a scenario a test, the rows of an outline numbered; its steps are its checks. A scenario that
// calls karate.abort() leaves its last steps out and passed. Steps of called features are part of the calling step.
package karate

import (
	"bytes"
	"cmp"
	"io"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/gherkin"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with the results of a feature.
func Sniff(head []byte) bool {
	keys := jsonwalk.DocumentKeys(head)
	return keys.Has("scenarioResults") &&
		(keys.HasAny("prefixedPath", "packageQualifiedName") || bytes.Contains(head, []byte(`"stepResults"`)))
}

// Read reads one feature.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}}
	return jsonwalk.Strict(r, to, rd.feature)
}

type reader struct {
	*jsonwalk.Text
	to    *runfailure.Watch
	found []envelope.Trial // scenarios, while the path of their feature may follow
	names gherkin.Names
}

func (rd *reader) feature(d *jsonwalk.Text) error {
	rd.Text = d
	path, failed := "", 0
	err := d.Members(jsonwalk.Members{"relativePath": &path, "failedCount": &failed, "scenarioResults": jsonwalk.Decoded(rd.scenario)})
	for i := range rd.found {
		t := &rd.found[i]
		t.Suite, t.Test, t.File = path, rd.names.Of(t.Test, t.Line), path
		rd.to.Send(t)
	}
	rd.to.Counted(failed, "scenarios")
	return err
}

// scenario is one scenario, or a row of an outline, whose line is that of the row.
type scenario struct {
	Name, Error    string
	Line           int
	Failed         *bool
	Tags           []string
	DurationMillis *float64
	StartTime      int64 // milliseconds since 1970
	StepResults    []step
}

type step struct {
	Step   struct{ Text string }
	Result struct{ Status, ErrorMessage string }
}

func (rd *reader) scenario(s *scenario) {
	if s.Name == "" && s.Line <= 0 {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "a scenario that has neither a name nor a line is not counted")
		return
	}
	t := s.trial()
	rd.names.Add(t.Test, t.Line)
	rd.found = append(rd.found, t)
}

func (s *scenario) trial() envelope.Trial {
	t := envelope.Trial{Key: envelope.Key{Test: s.Name}, Line: max(s.Line, 0)}
	s.setOutcome(&t)
	t.DurationMS = trialfields.Elapsed(s.DurationMillis, 1)
	if s.StartTime > 0 {
		t.StartedAt = time.UnixMilli(s.StartTime).UTC()
	}
	trialfields.Tags(&t, s.Tags)
	return t
}

// setOutcome fills in how the scenario ended. A step may be one that is to fail (@fail), and a
// hook may fail it when all of them passed: what it says of itself decides, if it does.
func (s *scenario) setOutcome(t *envelope.Trial) {
	var steps gherkin.Steps
	passed := false
	for i := range s.StepResults {
		each := &s.StepResults[i]
		steps.Add(each.Result.Status, each.Result.ErrorMessage, each.Step.Text)
		passed = passed || each.Result.Status == "passed"
	}
	steps.Fill(t)
	switch bad := t.Status == envelope.Fail || t.Status == envelope.Error; {
	case s.Failed == nil:
	case *s.Failed && !bad:
		t.Status, t.ErrorClass, t.RawStatus = envelope.Fail, "", "failed"
		t.Message, t.Output = cmp.Or(failure.Reason(s.Error, 2), "failed without a message"), failure.Ends(s.Error)
	case !*s.Failed && (passed || bad):
		t.Status, t.ErrorClass, t.RawStatus, t.Message, t.Output = envelope.Pass, "", "passed", "", ""
	}
}

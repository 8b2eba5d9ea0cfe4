package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tribunal/envelope"
)

// typeOf is the type of a line; "" for a trial. A journal writes it first.
func typeOf(text []byte) (string, error) {
	if bytes.HasPrefix(text, []byte(`{"suite":`)) || bytes.HasPrefix(text, []byte(`{"test":`)) {
		return "", nil
	}
	var of struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(text, &of)
	return of.Type, err
}

// decode is a line behind the first; nil for one of a later version.
func decode(text []byte) (Line, error) {
	kind, err := typeOf(text)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "":
		t, err := decodeTrial(text)
		return Trial{t}, err
	case typeHeld:
		t, err := decodeTrial(text)
		return Held{t}, err
	case typeBeyond:
		t, err := decodeTrial(text)
		return Beyond{t}, err
	case typeTests:
		l, err := into[struct{ Tests Tests }](text)
		return l.Tests, err
	case typeStart:
		return into[Start](text)
	case typeCut:
		return into[Cut](text)
	case typeEnded:
		return into[Ended](text)
	case typeResume:
		return into[Resume](text)
	case typeSetup:
		return into[Setup](text)
	case typeNote:
		return into[Note](text)
	case typeEnd:
		return into[End](text)
	case typeRun:
		return nil, errors.New("a second run begins")
	}
	return nil, nil
}

func into[T any](text []byte) (v T, err error) {
	err = json.Unmarshal(text, &v)
	return v, err
}

func decodeTrial(text []byte) (*envelope.Trial, error) {
	w, err := into[wireTrial](text)
	if err != nil {
		return nil, err
	}
	t := &envelope.Trial{
		Key: w.Key, Run: w.Run, Attempt: w.Attempt, Status: w.Status, RawStatus: w.RawStatus, Truth: w.Truth, Score: w.Score, Category: w.Category,
		DurationMS: w.DurationMS, SetupMS: w.SetupMS, CostUSD: w.CostUSD, SetupCostUSD: w.SetupCostUSD, Tokens: w.Tokens, ToolCalls: w.ToolCalls,
		ErrorClass: w.ErrorClass, Retry: w.Retry, Adaptive: w.Adaptive, Message: w.Message, Output: w.Output, File: w.File, Line: w.Line, StartedAt: w.StartedAt.V,
	}
	for _, name := range slices.Sorted(maps.Keys(w.Labels)) {
		t.Labels = append(t.Labels, envelope.Label{Name: name, Value: w.Labels[name]})
	}
	for _, c := range w.Checks {
		t.Checks = append(t.Checks, envelope.Check(c))
	}
	t.Transcript, t.Attachments = w.Transcript, w.Attachments
	if t.Test == "" || !t.Attempt.OK {
		return nil, errors.New("a trial without its test or its attempt")
	}
	return t, nil
}

// decodeHeader is the first line.
func decodeHeader(text []byte) (Header, string, error) {
	w, err := into[wireRun](text)
	switch {
	case err != nil:
		return Header{}, "", err
	case w.Type != typeRun || w.Schema != envelope.TrialSchema || w.Journal == 0:
		return Header{}, "", errors.New("it is not a journal: its first lines are missing")
	case w.Journal != version:
		return Header{}, "", fmt.Errorf("it is a journal of version %d, and this program knows version %d", w.Journal, version)
	}
	return Header{Run: w.Header, Plan: Plan{Policy: w.Policy, Seed: w.Seed}, Boot: w.Boot}, w.Plan, nil
}

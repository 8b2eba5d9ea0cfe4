package ndjson

import (
	"encoding/json"
	"errors"
	"io"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/verdict/parting"
)

// shownTest is a test of a list, or the one whose conversations are shown.
type shownTest struct {
	envelope.Key
	Status  envelope.Status   `json:"status"`
	Counted int               `json:"counted"`
	Passed  int               `json:"passed"`
	Kept    []int             `json:"kept"` // trials with conversations
	Parting *envelope.Parting `json:"parting,omitempty"`
	Trials  []shownTrial      `json:"trials,omitempty"`
	Pairs   []shownPair       `json:"pairs,omitempty"`
}

// shownTrial is a trial: its turns, or its steps where no conversation was kept.
type shownTrial struct {
	Trial   int             `json:"trial"` // row, 0-based
	Outcome string          `json:"outcome"`
	Truth   envelope.Status `json:"truth,omitempty"` // a person's label
	Turns   []envelope.Turn `json:"turns,omitempty"`
	Steps   []envelope.Step `json:"steps,omitempty"`
}

// shownPair is the place of a step among those of each trial; null where only the
// other made it.
type shownPair struct {
	First  *int `json:"first"`
	Second *int `json:"second"`
	Equal  bool `json:"equal,omitempty"`
}

// WriteShow writes what is to be read of a run as one JSON document: a test with
// the turns of its trials, or the list of tests.
func WriteShow(w io.Writer, s *parting.Shown) error {
	if s == nil {
		return errors.New("json: no conversation to write")
	}
	var document any
	if s.View != nil {
		document = shown(s.View)
	} else {
		list := struct {
			Tests []shownTest `json:"tests"`
		}{[]shownTest{}}
		for i := range s.Tests {
			list.Tests = append(list.Tests, about(&s.Tests[i]))
		}
		document = list
	}
	text, err := json.MarshalIndent(document, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(wire.DisarmJSON(append(text, '\n')))
	return err
}

func about(t *envelope.Test) shownTest {
	out := shownTest{Key: t.Key, Status: t.Status, Counted: t.Trials.Counted, Passed: t.Trials.Passed, Kept: []int{}, Parting: t.Parting}
	for _, kept := range t.Transcripts {
		out.Kept = append(out.Kept, kept.Trial)
	}
	return out
}

func shown(v *parting.View) shownTest {
	out := about(v.Test)
	for i := range v.Sides {
		s := &v.Sides[i]
		trial := shownTrial{Trial: s.Trial, Outcome: string(rune(s.Outcome)), Truth: v.Test.Rows.Truth().At(s.Trial), Turns: s.Turns}
		if !s.Kept {
			trial.Steps = s.Steps()
		}
		out.Trials = append(out.Trials, trial)
	}
	for _, p := range v.Pairs {
		out.Pairs = append(out.Pairs, shownPair{place(p.First), place(p.Second), v.Equal(p)})
	}
	return out
}

func place(step int) *int {
	if step < 0 {
		return nil
	}
	return &step
}

package cucumberjson

import (
	"reflect"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSteps: a step a scenario, behind a hook that passed each time.
func TestSteps(t *testing.T) {
	s := readtest.File(t, Read, sample)
	for test, want := range map[string]string{
		"always passes":  "a step that passes on try 1: pass",
		"never passes":   "a step that passes on try 99: fail (Error: not yet: 3 < 99\n    at World.<anonymous> (/home/dev/shop/features/step_definitions/s.js:3:120))",
		"undefined step": "there is no such step: error",
		"pending step":   "a pending step: error",
	} {
		if got := s.Find(t, test, 0); len(got.Checks) != 1 || readtest.Checks(got)[0] != want {
			t.Errorf("%s: %q, want %q", test, readtest.Checks(got), want)
		}
	}
	behave := readtest.Text(t, Read, behaves)
	if got := readtest.Checks(behave.Trials[0]); len(got) == 0 || behave.Trials[0].Status != envelope.Pass {
		t.Errorf("behave: %q", got)
	}
}

func TestInside(t *testing.T) {
	const feature = `[{"uri":"a","keyword":"Feature","elements":[`
	cases := []struct {
		elements string
		checks   []string
		files    []envelope.Attachment
		reason   string
	}{
		{`{"type":"background","steps":[{"name":"a shop","result":{"status":"passed"}}]},{"type":"scenario","name":"n","line":3,"steps":[{"name":"it sells","result":{"status":"failed","error_message":"no"}}]}`,
			[]string{"a shop: pass", "it sells: fail (no)"}, nil, "a background is part of the scenario behind it"},
		{`{"type":"scenario","name":"n","line":3,"before":[{"result":{"status":"failed","error_message":"no browser"},"embeddings":[{"data":"eA==","mime_type":"image/png","name":"start"}]}],"steps":[{"name":"it sells","result":{"status":"skipped"},"embeddings":[{"data":"eA==","media":{"type":"text/plain"}},{}]}]}`,
			[]string{"hook: fail (no browser)", "it sells: skip"}, []envelope.Attachment{{Name: "start", MediaType: "image/png"}, {MediaType: "text/plain"}}, "embeddings, in both spellings, and one that says nothing"},
		{`{"type":"scenario","name":"n","line":3,"steps":[]}`, nil, nil, "no step"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, feature+c.elements+`]}]`)
		if len(s.Trials) != 1 || !slices.Equal(readtest.Checks(s.Trials[0]), c.checks) || !reflect.DeepEqual(s.Trials[0].Attachments, c.files) {
			t.Errorf("%s: %v %q %v", c.reason, s.Lines(), s.Told(), s.Trials)
		}
	}
	hooked := readtest.Text(t, Read, `[`+`{"keyword":"Feature","name":"f","location":"a.feature:1","status":"failed","elements":[`+scenario(`"hook_error"`, `{"keyword":"When","name":"x","result":{"status":"passed","duration":1}}`)+`]}]`)
	if got := readtest.Checks(hooked.Trials[0]); hooked.Trials[0].Status != envelope.Error || !slices.Equal(got, []string{"x: pass"}) {
		t.Errorf("a scenario of behave whose hook failed keeps its steps: %v %q", hooked.Lines(), got)
	}
}

package tau2

import (
	"io"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const simulation = `{"id":"s","task_id":"7","start_time":"x","end_time":"y","duration":2,"termination_reason":"user_stop","reward_info":{"reward":1},"trial":3}`

// TestPart: the file of a simulation takes domain and model from the results.json
// of its folder, and says so when there is none.
func TestPart(t *testing.T) {
	results := func(text string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	}
	known := envelope.Key{Suite: "retail", Test: "7", Variant: "gpt"}
	for _, c := range []struct {
		folder   Folder
		key      envelope.Key
		reported []string
		reason   string
	}{
		{Folder{Results: results(`{"timestamp":"x","info":{"agent_info":{"llm":"gpt"},"environment_info":{"domain_name":"retail"}},"tasks":[{`)}, known, nil, "info, and a file that is cut behind it"},
		{Folder{Results: results(`{"tasks":[{"info":1}],"info":{"agent_info":{"llm":"gpt"},"environment_info":{"domain_name":"retail"}}}`)}, known, nil, "info behind the tasks"},
		{Folder{Results: results(`{"timestamp":"x"`)}, envelope.Key{Test: "7"}, []string{"unknown-task 1:1"}, "no info"},
		{Folder{Results: func() (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }}, envelope.Key{Test: "7"}, []string{"unknown-task 1:1"}, "no file"},
		{Folder{}, envelope.Key{Test: "7"}, []string{"unknown-task 1:1"}, "no folder"},
	} {
		s := readtest.Text(t, func(r io.Reader, to envelope.Sink) error { return ReadIn(r, to, c.folder) }, simulation)
		if len(s.Trials) != 1 || s.Trials[0].Key != c.key || s.Trials[0].Attempt.V != 3 || s.Trials[0].Status != envelope.Pass || !slices.Equal(s.Reported(), c.reported) || len(s.Headers) > 0 {
			t.Errorf("%s: %+v %q %v", c.reason, s.Trials, s.Reported(), s.Headers)
		}
	}
}

// TestCounted: what was read from its file is not counted again.
func TestCounted(t *testing.T) {
	read := func(r io.Reader, to envelope.Sink) error {
		return ReadIn(r, to, Folder{Counted: func(name string) bool { return name == "simulations/a.json" }})
	}
	const entries = `[{"id":"a","task_id":"1","trial":0,"reward":1},{"id":"b","task_id":"1","trial":1,"reward":1},{"task_id":"1","trial":2,"reward":0}]}`
	for _, c := range []struct {
		text     string
		reported []string
		reason   string
	}{
		{`{"info":{},"simulation_index":` + entries, []string{"missing-simulation 1:1"}, "the index lists b, which has no file"},
		{`{"info":{},"simulations":` + entries, []string{"duplicate-trials 1:1"}, "all are here, and a is there, too"},
	} {
		s := readtest.Text(t, read, c.text)
		if want := []string{"1 #1 pass", "1 #2 fail"}; !slices.Equal(s.Lines(), want) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s: %q %q %v", c.reason, s.Lines(), s.Reported(), s.Problems)
		}
	}
}

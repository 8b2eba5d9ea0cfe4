package lmeval

import (
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestDirections: the harness writes samples_TASK_TIME.jsonl beside results_TIME.json
// (evaluation_tracker.py of 0.4.12), whose higher_is_better has the metrics of each task.
func TestDirections(t *testing.T) {
	const results = `{"results":{"my_task":{"acc,none":NaN}},"higher_is_better":{"other":{"harm":true},"my_task":{"harm":false,"good":true,"acc":false,"open":null}},"n-shot":{}}`
	const name = "runs/m/samples_my_task_2026-01-21T03-44-18.458309.jsonl"
	for _, c := range []struct {
		name, metric, line string
		reported           []string
		reason             string
	}{
		{name, "harm", "1 #0 error unscored pre-validation", nil, "less is better, and 1 is no pass"},
		{name + ".gz", "acc", "1 #0 error unscored pre-validation", nil, "whatever it is called"},
		{name, "good", "1 #0 pass", nil, "more is better"},
		{name, "open", "1 #0 pass", []string{"metric-direction 1:1"}, "the task does not say"},
		{strings.Replace(name, "my_task", "other", 1), "harm", "1 #0 pass", nil, "of another task"},
		{"samples_my_task_2027.jsonl", "harm", "1 #0 pass", []string{"metric-direction 1:1"}, "the results of another run"},
		{"samples.jsonl", "harm", "1 #0 pass", []string{"metric-direction 1:1"}, "a name of its own"},
	} {
		open := func(path string) (io.ReadCloser, error) {
			if path != "results_2026-01-21T03-44-18.458309.json" {
				return nil, fs.ErrNotExist
			}
			return io.NopCloser(strings.NewReader(results)), nil
		}
		read := func(r io.Reader, to envelope.Sink) error { return ReadIn(r, to, c.name, open) }
		s := readtest.Text(t, read, `{"doc_id":1,"metrics":["`+c.metric+`"],"`+c.metric+`":1.0}`)
		if !slices.Equal(s.Lines(), []string{c.line}) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s: %q, %q %v, want %q, %q", c.reason, s.Lines(), s.Reported(), s.Problems, c.line, c.reported)
		}
	}
}

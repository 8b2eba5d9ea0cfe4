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

func TestSample(t *testing.T) {
	s := readtest.File(t, Read, "testdata/samples_math_perturbed.jsonl")
	if s.Counts() != "10 tests, 10 trials: 0 pass, 10 fail, 0 error, 0 skip, 0 retries" || len(s.Problems) != 0 {
		t.Errorf("%s, %v", s.Counts(), s.Problems)
	}
	got := s.Trials[0]
	if got.Test != "0 7193b975-4e074085" || got.Variant != "" || got.Attempt != envelope.Some[int32](0) || got.Score != envelope.Some(0.0) || got.Message != "exact_match 0.0, target 3" ||
		!strings.HasPrefix(got.Output, " 1. The graph of $y=1.") || !slices.Equal(got.Labels, []envelope.Label{{Name: "metric", Value: "exact_match"}}) {
		t.Errorf("%#v", got)
	}
}

func TestShapes(t *testing.T) {
	cases := []struct {
		text, line string
		told       []string
		reason     string
	}{
		{`{"doc_id":1,"filter":"none","metrics":["acc"],"acc":1.0,"resps":[[["-1.0",false]],[["-2.0",false]]]}`, "1 #0 pass", nil, "multiple choice: a request a choice is no repeat"},
		{`{"doc_id":1,"filter":"strict-match","metrics":["exact_match"],"exact_match":1.0,"resps":[["a"]]}`, "1 [strict-match] #0 pass", nil, "filters are variants"},
		{`{"doc_id":1,"metrics":["exact_match"],"exact_match":0.5,"resps":[["a","b"]]}`, "1 #0 fail", []string{"aggregated 1:1"}, "two responses, one score"},
		{`{"doc_id":"x","metrics":["bleu","rouge"],"bleu":[1,2],"rouge":0.3}`, "x #0 fail", nil, "the first listed metric with a number"},
		{`{"doc_id":1,"metrics":["ok"],"ok":true}`, "1 #0 pass", []string{"metric-direction 1:1"}, "a truth, of which nobody says that it is good"},
		{`{"doc_id":1,"metrics":["bleu_max","bleu_acc","bleu_diff","rouge1_acc"],"bleu_max":12.3,"bleu_acc":0,"bleu_diff":-3.1,"rouge1_acc":1}`, "1 #0 fail", nil, "truthfulqa_gen: of BLEU of 100 nobody passes, of its accuracy by 1"},
		{`{"doc_id":1,"metrics":["likelihood_diff","pct_stereotype"],"likelihood_diff":3.2,"pct_stereotype":1.0}`, "1 #0 error unscored pre-validation", nil, "crows_pairs: a difference of 3.2 is no pass"},
		{`{"doc_id":1,"metrics":["pct_stereotype"],"pct_stereotype":1.0}`, "1 #0 error unscored pre-validation", nil, "crows_pairs: higher_is_better is false, and 1 is the worst"},
		{`{"doc_id":1,"metrics":["wer","f1"],"wer":1.0,"f1":0.2}`, "1 #0 fail", nil, "another metric decides"},
		{`{"doc_id":1,"metrics":["perplexity"],"perplexity":NaN}`, "1 #0 error unscored pre-validation", nil, "no number is no fail"},
		{`{"doc_id":1,"metrics":[]}`, "1 #0 error unscored pre-validation", nil, "no metric"},
		{`{"doc":1,"acc":1}`, "", []string{"malformed-record 1:1"}, "no document"},
		{`{"doc_id":{},"acc":1}`, "", []string{"malformed-record 1:1", "ignored-field 1:1"}, "a document that is an object"},
		{`{"doc_id":1,"ac`, "", []string{"truncated-line 1:15"}, "cut off"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		var lines []string
		if c.line != "" {
			lines = []string{c.line}
		}
		if !slices.Equal(s.Lines(), lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v", c.reason, s.Lines(), s.Told(), s.Problems)
		}
	}
}

// TestDirections: the harness writes samples_TASK_TIME.jsonl beside results_TIME.json
// (evaluation_tracker.py of 0.4.12), whose higher_is_better has the metrics of each task.
func TestDirections(t *testing.T) {
	const results = `{"results":{"my_task":{"acc,none":NaN}},"higher_is_better":{"other":{"harm":true},"my_task":{"harm":false,"good":true,"acc":false,"open":null}},"n-shot":{}}`
	const name = "runs/m/samples_my_task_2026-01-21T03-44-18.458309.jsonl"
	for _, c := range []struct {
		name, metric, line string
		told               []string
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
		if !slices.Equal(s.Lines(), []string{c.line}) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v, want %q, %q", c.reason, s.Lines(), s.Told(), s.Problems, c.line, c.told)
		}
	}
}

// TestDocuments: each task counts its documents from 0 (task.py, doc_iterator, of
// lm-evaluation-harness 0.4.12), and its name stands in no row.
func TestDocuments(t *testing.T) {
	row := func(doc, prompt, target string) string {
		return `{"doc_id":0,"doc":{"q":"` + doc + `"},"target":"` + target + `","resps":[["1"]],"filter":"none","metrics":["acc"],"acc":1.0,` +
			`"doc_hash":"` + doc + `00112233","prompt_hash":"` + prompt + `","target_hash":"` + target + `44556677"}` + "\n"
	}
	old := func(doc string) string {
		return `{"doc_id":0,"doc":{"q":"` + doc + `"},"target":"A","resps":[["1"]],"metrics":["acc"],"acc":1.0}` + "\n"
	}
	cases := []struct {
		rows   string
		tests  int
		reason string
	}{
		{row("aaaaaaaa", "p", "cccccccc") + row("bbbbbbbb", "p", "cccccccc"), 2, "two tasks"},
		{row("aaaaaaaa", "p", "cccccccc") + row("aaaaaaaa", "p", "dddddddd"), 2, "two directions of a translation share the document"},
		{row("aaaaaaaa", "p", "cccccccc") + row("aaaaaaaa", "p", "cccccccc"), 1, "a repeat"},
		{row("aaaaaaaa", "p", "cccccccc") + row("aaaaaaaa", "q", "cccccccc"), 1, "a repeat with other examples, or of a model with another chat template"},
		{old("a") + old("b"), 2, "two tasks before the harness wrote hashes (0.4.3, pull request 1766)"},
		{old("a") + old("a"), 1, "a repeat before then"},
	}
	for _, c := range cases {
		tests := map[string]bool{}
		s := readtest.Text(t, Read, c.rows)
		for _, trial := range s.Trials {
			tests[trial.Test] = true
		}
		if len(tests) != c.tests || len(s.Trials) != 2 || len(s.Problems) > 0 {
			t.Errorf("%s: %q %v, want %d tests", c.reason, s.Lines(), s.Problems, c.tests)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzLMEval(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }

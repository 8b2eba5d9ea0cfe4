package lmeval

import (
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"tribunal/internal/packing"
	"tribunal/internal/regex"
	"tribunal/read/internal/jsonwalk"
)

// preferred are metrics of which 1 is right; the first of them that a row has
// decides, else the first it lists that is an accuracy by its name, and else the first.
var preferred = []string{"exact_match", "acc", "acc_norm", "pass@1", "em", "prompt_level_strict_acc"}

// less are metrics of which the harness or its tasks (0.4.12) say that less of them is
// better, and more are others of which they say that more is.
var (
	less = regex.Of(`^(?:brier_score|ter|wer|cer|bits_per_byte|(?:word_|byte_)?perplexity|likelihood_diff|pct_(?:stereotype|male_preferred|female_preferred|invalid)|difference_male_female|(?:\w+_)?bias(?:_score)?(?:_\w+)?|(?:\w+_)?toxicity(?:_score)?)$`)
	more = regex.Of(`^(?:\w+_acc|acc_\w+|pass@\d+|f1|(?:\w+_)?f1|exact|bleu|chrf|mcc|likelihood|contains|rouge\w*|\w+_exact_match|exact_match_\w+)$`)
)

// directions are metrics of a task, and whether more of them is better, as the results file
// of its run says.
type directions map[string]bool

// down reports a metric of which less is better, as far as that is known.
func (d directions) down(name string) bool { return d.says(name, false, less()) }

// up reports a metric of which more is better, as far as that is known.
func (d directions) up(name string) bool {
	return d.says(name, true, more()) || slices.Contains(preferred, name) && !d.down(name)
}

func (d directions) says(name string, higher bool, known *regexp.Regexp) bool {
	if is, said := d[name]; said {
		return is == higher
	}
	return known.MatchString(name)
}

// metric is the one that decides. One of which less is better does where there is no other.
func (d directions) metric(v jsonwalk.Value) (name string, value jsonwalk.Value) {
	for _, name := range preferred {
		if value := v.Get(name); value.Present() && !d.down(name) {
			return name, value
		}
	}
	rank := 0
	for listed := range v.Get("metrics").Items() {
		each := v.Get(listed.Text())
		if !each.IsNumber() && !each.IsBool() {
			continue
		}
		if r := d.rank(listed.Text()); r > rank {
			name, value, rank = listed.Text(), each, r
		}
	}
	return name, value
}

// rank tells which of several metrics decides.
func (d directions) rank(name string) int {
	switch {
	case d.down(name):
		return 1
	case strings.HasSuffix(name, "_acc"):
		return 3
	}
	return 2
}

// errLearned ends the reading of a results file.
var errLearned = errors.New("the directions were read")

// pointing is what the results file beside samples_TASK_TIME.jsonl, results_TIME.json, says
// of the metrics of the task. It is nothing where there is no such file.
func pointing(name string, open func(path string) (io.ReadCloser, error)) directions {
	stem, isJSONL := strings.CutSuffix(packing.Cut(path.Base(strings.ReplaceAll(name, `\`, "/"))), ".jsonl")
	rest, isSamples := strings.CutPrefix(stem, "samples_")
	at := strings.LastIndexByte(rest, '_')
	if open == nil || !isJSONL || !isSamples || at < 0 {
		return nil
	}
	file, err := open("results" + rest[at:] + ".json")
	if err != nil {
		return nil
	}
	defer file.Close()
	found := directions{}
	_ = jsonwalk.Document(file, jsonwalk.Silent{}, func(t *jsonwalk.Text) error {
		return t.Object(func(key string) error {
			if key != "higher_is_better" {
				return nil
			}
			v, err := t.Value()
			for metric, higher := range v.Get(rest[:at]).Members() {
				if higher.IsBool() {
					found[strings.Clone(metric)] = higher.Bool().V
				}
			}
			return errors.Join(err, errLearned)
		})
	})
	return found
}

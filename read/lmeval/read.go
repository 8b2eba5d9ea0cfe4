// Package lmeval reads the samples_*.jsonl of lm-evaluation-harness (MIT, EleutherAI).
//
// These rows are the only place where the harness keeps single documents. A row with several responses, of which a filter
// makes one score, is one trial, labelled aggregated, with a warning. Rows of several filters judge the same responses, so
// the filter is part of the variant. Task and model are in the names of the files, and which way a metric points in another.
//
// Every task counts its documents from 0, so a test is a number with the beginnings of the hashes of document and target:
// the same for every repeat, seed and model. The hash of the prompt changes with the template of a model, and is not used.
package lmeval

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/compression"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts a row.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	found := keys.Count("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "doc_hash", "prompt_hash")
	const enough = 2 // the head may be cut in a long doc
	return !inArray && keys.Has("doc_id") && found >= enough
}

// ReadIn reads rows, of a file of that name in a folder whose files open opens, nil for none.
func ReadIn(r io.Reader, to envelope.Sink, name string, open func(path string) (io.ReadCloser, error)) error {
	rd := &reader{to: to, points: pointing(name, open)}
	err := jsonwalk.Lines(r, to, rd.row, "doc_id")
	if rd.aggregated > 0 {
		to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: "aggregated", Line: rd.line, Column: rd.column,
			Count:   rd.aggregated,
			Message: words.Plural(rd.aggregated, "row has", "rows have") + " several responses but one score; a row is counted as one trial"})
	}
	return err
}

type reader struct {
	to           envelope.Sink
	points       directions
	unsure       bool // it was told of a metric that may point either way
	attempts     trialfields.Attempts
	aggregated   int
	line, column int // the first aggregated row
	trial        envelope.Trial
}

func (rd *reader) row(v jsonwalk.Value) {
	t := &rd.trial
	*t = envelope.Trial{Key: envelope.Key{Test: v.Get("doc_id").Text(), Variant: v.Get("filter").Text()}}
	if t.Test == "" {
		v.Reject("its doc_id is missing or neither a number nor a string")
		return
	}
	t.Test += content(v)
	if t.Variant == "none" {
		t.Variant = "" // the harness's word for no filter
	}
	t.Attempt = rd.attempts.Next(t.Key)
	rd.setOutcome(v)
	t.Transcript = transcript(v)
	if responses(v.Get("resps")) > 1 {
		if rd.aggregated++; rd.aggregated == 1 {
			rd.line, rd.column = v.Place()
		}
		t.Labels = append(t.Labels, envelope.Label{Name: "aggregated", Value: "true"})
	}
	rd.to.Trial(t)
}

// content is what tells a document from those of other tasks with its number, as
// it follows that; "" when the row has neither document nor target.
func content(v jsonwalk.Value) string {
	return words.Around(" ", words.Join("-", hash(v, "doc"), hash(v, "target")))
}

// hash is the beginning of the harness's hash of a part of the row. Before
// version 0.4.3 there is none, and what stands in the row is hashed instead.
func hash(v jsonwalk.Value, part string) string {
	const shown = 8 // 32 bits: no two documents of a number are expected to share them
	whole := v.Get(part + "_hash").Text()
	if content := v.Get(part); whole == "" && content.Present() {
		whole = fmt.Sprintf("%x", sha256.Sum256([]byte(content.String())))
	}
	return strings.ToValidUTF8(whole[:min(len(whole), shown)], "")
}

func (rd *reader) setOutcome(v jsonwalk.Value) {
	t := &rd.trial
	name, value := rd.points.metric(v)
	t.Score = truth(value)
	said := jsonwalk.Short(failure.FirstLine(name)) + " " + value.String()
	mapping := func() string {
		return "--map 'test=.doc_id," + words.If(t.Variant != "", "variant=.filter,") + "score=." + strings.ReplaceAll(notOfNames().ReplaceAllString(name, "?"), "??", "*")
	}
	switch {
	case !t.Score.OK:
		unscored(t, "no metric with a number")
		return
	case rd.points.down(name): // such as a toxicity, of which 1 is the worst
		unscored(t, said+": lower is better; to pass 0.5 or less: "+mapping()+"*-1' --score-threshold -0.5")
	case t.Score.V > 1: // such as bleu_max, of 100, and likelihood_diff, which has no end and no pass
		unscored(t, said+": nothing says which value passes; to pass 50 or more: "+mapping()+"' --score-threshold 50")
	case t.Score.V >= 1:
		t.Status = envelope.Pass
		rd.doubt(v, name)
	default:
		t.Status = envelope.Fail
		t.Message = said + words.Around("\ntarget: ", jsonwalk.Short(failure.FirstLine(v.Get("target").String())))
		t.Output = v.Get("filtered_resps").First().String()
	}
	t.Labels = append(t.Labels, envelope.Label{Name: "metric", Value: name})
}

// notOfNames are signs that mean something in a path of --map, where ? is any sign, * any number of them, and ?? an operator.
var notOfNames = regex.Of(`[^\w -]`)

// doubt tells once of a metric that passes at 1 though nothing says which way it points.
func (rd *reader) doubt(v jsonwalk.Value, name string) {
	if !rd.unsure && !rd.points.up(name) {
		rd.unsure = true
		v.Warn("metric-direction", fmt.Sprintf("metric %s counts as passed at 1, but higher may not be better; "+
			"put results_TIME.json with its higher_is_better next to samples_TASK_TIME.jsonl",
			jsonwalk.Short(failure.FirstLine(name))))
	}
}

func unscored(t *envelope.Trial, why string) {
	t.Status, t.ErrorClass, t.RawStatus, t.Message = envelope.Error, envelope.ClassPreValidation, "unscored", why
}

// truth is a metric as a number: true is 1.
func truth(v jsonwalk.Value) envelope.Opt[float64] {
	switch {
	case !v.IsBool():
		return v.Number()
	case v.Bool().V:
		return envelope.Some(1.0)
	}
	return envelope.Some(0.0)
}

// responses is how many responses the first request of a row has. Multiple choice has one.
func responses(resps jsonwalk.Value) (n int) {
	first := resps.First()
	if first.There() && !first.IsArray() {
		return 1
	}
	for range first.Items() {
		n++
	}
	return n
}

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

// pointing is what the results file beside samples_TASK_TIME.jsonl, results_TIME.json, says
// of the metrics of the task. It is nothing where there is no such file.
func pointing(name string, open func(path string) (io.ReadCloser, error)) directions {
	stem, isJSONL := strings.CutSuffix(compression.TrimExtension(path.Base(strings.ReplaceAll(name, `\`, "/"))), ".jsonl")
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
	jsonwalk.Member(file, "higher_is_better", func(v jsonwalk.Value) {
		for metric, higher := range v.Get(rest[:at]).Members() {
			if higher.IsBool() {
				found[strings.Clone(metric)] = higher.Bool().V
			}
		}
	})
	return found
}

// transcript is the prompt of a row and the response to it. A row of several responses, and one of multiple choice, whose
// requests are one for each choice, are no conversations: they have none.
func transcript(v jsonwalk.Value) []envelope.Turn {
	response := v.Get("resps").Only()
	if inside := response.Only(); inside.There() {
		response = inside
	}
	if !response.IsText() {
		return nil
	}
	return append(conversation.Prompt(prompt(v.Get("arguments"))), conversation.Say(envelope.RoleAssistant, response.Text()))
}

// prompt is the first argument of the first request: named since version 0.4.3, and a
// list before.
func prompt(arguments jsonwalk.Value) jsonwalk.Value {
	if named := arguments.Get("gen_args_0", "arg_0"); named.Present() {
		return named
	}
	return arguments.First().First()
}

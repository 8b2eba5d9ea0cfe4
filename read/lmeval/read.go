// Package lmeval reads the samples_*.jsonl of lm-evaluation-harness (MIT,
// EleutherAI).
//
// It exists because these rows are the only place where the harness keeps the
// single documents. Repeats hide inside a row: several responses, of which a
// filter makes one score; such a row is one trial, labelled aggregated, with a
// warning. With several filters a document has several rows: they judge the
// same responses, so the filter is part of the variant. Task and model stand
// only in the names of the files, and which way a metric points in another.
package lmeval

import (
	"fmt"
	"io"

	"tribunal/envelope"
	"tribunal/read/peek"
	"tribunal/read/walk"
)

// Sniff reports whether head starts a row.
func Sniff(head []byte) bool {
	keys, inArray := peek.Object(head)
	found := 0
	for _, name := range []string{"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "doc_hash", "prompt_hash"} {
		if _, ok := keys[name]; ok {
			found++
		}
	}
	_, isRow := keys["doc_id"]
	const enough = 2 // the head may be cut in a long doc
	return !inArray && isRow && found >= enough
}

// Read reads rows. The error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, attempts: walk.Attempts{}}
	err := walk.Lines(r, to, rd.row)
	if rd.aggregated > 0 {
		to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: "aggregated", Line: rd.line, Column: rd.column, Count: rd.aggregated,
			Message: fmt.Sprintf("%d rows hold several responses and one score for all of them; each is counted as one trial", rd.aggregated)})
	}
	return err
}

type reader struct {
	to           envelope.Sink
	attempts     walk.Attempts
	aggregated   int
	line, column int // the first aggregated row
	trial        envelope.Trial
}

// row delivers one row.
func (rd *reader) row(v walk.Value) {
	t := &rd.trial
	*t = envelope.Trial{Key: envelope.Key{Test: v.Get("doc_id").Text(), Variant: v.Get("filter").Text()}}
	if t.Test == "" {
		v.Reject("its doc_id is missing or neither a number nor a text")
		return
	}
	if t.Variant == "none" {
		t.Variant = "" // the harness's word for no filter
	}
	t.Attempt = rd.attempts.Next(t.Key)
	rd.judge(v)
	if responses(v.Get("resps")) > 1 {
		if rd.aggregated++; rd.aggregated == 1 {
			rd.line, rd.column = v.Place()
		}
		t.Labels = append(t.Labels, envelope.Label{Name: "aggregated", Value: "true"})
	}
	rd.to.Trial(t)
}

// preferred are metrics of which 1 is right; the first of them that a row has
// decides, and else the first it lists.
var preferred = []string{"exact_match", "acc", "acc_norm", "pass@1", "em", "prompt_level_strict_acc"}

// judge gives the trial its score and status.
func (rd *reader) judge(v walk.Value) {
	t := &rd.trial
	name, value := metric(v)
	t.Score = truth(value)
	switch {
	case !t.Score.OK:
		t.Status, t.RawStatus, t.Message = envelope.Skip, "unscored", "no metric with a number"
		return
	case t.Score.V >= 1:
		t.Status = envelope.Pass
	default:
		t.Status = envelope.Fail
		t.Message = fmt.Sprintf("%s %s, target %s", walk.Short(walk.FirstLine(name)), value.String(), walk.Short(walk.FirstLine(v.Get("target").String())))
		for answer := range v.Get("filtered_resps").Items() {
			t.Output = answer.String()
			break
		}
	}
	t.Labels = append(t.Labels, envelope.Label{Name: "metric", Value: name})
}

func metric(v walk.Value) (name string, value walk.Value) {
	for _, name := range preferred {
		if value := v.Get(name); value.Present() {
			return name, value
		}
	}
	for listed := range v.Get("metrics").Items() {
		name := listed.Text()
		if value := v.Get(name); value.IsNumber() || value.IsBool() {
			return name, value
		}
	}
	return "", walk.Value{}
}

// truth is a metric as a number: true is 1.
func truth(v walk.Value) envelope.Opt[float64] {
	if !v.IsBool() {
		return v.Number()
	}
	if v.Bool().V {
		return envelope.Some(1.0)
	}
	return envelope.Some(0.0)
}

// responses is how many responses stand behind the first request of a row.
// Multiple choice has a request a choice, each with one.
func responses(resps walk.Value) int {
	for first := range resps.Items() {
		if !first.IsArray() {
			return 1
		}
		n := 0
		for range first.Items() {
			n++
		}
		return n
	}
	return 0
}

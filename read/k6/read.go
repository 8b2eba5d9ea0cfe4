// Package k6 reads checks of Grafana k6 (AGPL-3.0): the samples of --out json, a line each, and
// the summaries of --summary-export and handleSummary.
//
// A check is a test and each of its samples a trial, so that a rule can hold it to a rate.
// Trials are made of the counts of a summary. Its thresholds are tests of one trial. Samples say
// neither whether thresholds were kept nor where a stream was cut off between two lines.
package k6

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a sample or a metric, or with a summary.
func Sniff(head []byte) bool {
	keys := jsonwalk.DocumentKeys(head)
	return isSample(keys) || isSummary(keys) || keys.Has("metadata", "results") && bytes.Contains(head, []byte(`"k6Version"`))
}

func isSample(keys jsonwalk.KeySet) bool {
	return (keys["type"] == "Point" || keys["type"] == "Metric") && keys.Has("metric", "data")
}

// isSummary knows a summary by its groups and metrics. Where the groups come first they may
// be longer than a head.
func isSummary(keys jsonwalk.KeySet) bool {
	return keys.Has("root_group") && (keys.Has("metrics") || len(keys) == 1)
}

// Read reads a stream of samples or a summary.
func Read(r io.Reader, to envelope.Sink) error {
	head, whole := jsonwalk.Head(r)
	rd := &reader{to: to}
	if keys, _ := jsonwalk.Keys(head); isSample(keys) {
		return jsonwalk.StrictLines(whole, to, rd.line, "metric")
	}
	return rd.summary(whole)
}

type reader struct {
	to       envelope.Sink
	attempts trialfields.Attempts
	trial    envelope.Trial
	made     int64 // trials of counts
	counted  int   // checks of which there are counts
}

type sample struct {
	Type   string
	Metric string
	Data   struct {
		Time  string
		Value float64
		Tags  struct{ Check, Group, Scenario string }
	}
}

const checksMetric = "checks"

// line reads a line. Nearly all of them are of other metrics, and are not looked into as far
// as they are whole.
func (rd *reader) line(l *jsonwalk.Line) {
	text := bytes.TrimRight(l.Text, " \t\r\n")
	if len(text) > 0 && text[len(text)-1] == '}' && !bytes.Contains(text, []byte(`"`+checksMetric+`"`)) {
		return
	}
	s := sample{}
	if !l.Decode(&s) || s.Type != "Point" || s.Metric != checksMetric {
		return
	}
	t := &rd.trial
	*t = envelope.Trial{Key: key(s.Data.Tags.Group, s.Data.Tags.Check), Status: envelope.Pass}
	if s.Data.Value == 0 {
		t.Status, t.Message = envelope.Fail, doesNotHold
	}
	t.StartedAt, _ = time.Parse(time.RFC3339Nano, s.Data.Time)
	if s.Data.Tags.Scenario != "" && s.Data.Tags.Scenario != usualScenario {
		trialfields.AddLabel(t, "scenario", s.Data.Tags.Scenario)
	}
	rd.attempts.Send(t, rd.to)
}

const usualScenario, doesNotHold = "default", "the check does not hold"

// key is that of a check in a group, such as ::shop::cart.
func key(group, check string) envelope.Key {
	return envelope.Key{Suite: strings.ReplaceAll(strings.TrimPrefix(group, "::"), "::", "/"), Test: cmp.Or(check, "(unnamed)")}
}

func (rd *reader) summary(r io.Reader) error {
	return jsonwalk.Read(r, rd.to, jsonwalk.Members{
		"root_group": jsonwalk.Object(func(v jsonwalk.Value) { rd.group("", v) }),
		"results":    jsonwalk.Object(func(v jsonwalk.Value) { rd.checks("", v.Get("checks", "results")) }),
		"metrics":    jsonwalk.Keyed(rd.metric),
	})
}

func (rd *reader) group(path string, v jsonwalk.Value) {
	rd.checks(path, v.Get("checks"))
	for group := range each(v.Get("groups")) {
		rd.group(path+"::"+group.Get("name").Text(), group)
	}
}

// each are the elements of a list, or of an object as --summary-export writes it.
func each(v jsonwalk.Value) func(yield func(jsonwalk.Value) bool) {
	if v.IsArray() {
		return v.Items()
	}
	return func(yield func(jsonwalk.Value) bool) {
		for _, member := range v.Members() {
			if !yield(member) {
				return
			}
		}
	}
}

// mostTrials bounds how many trials are made of the counts of a file: one number could ask
// for any.
const mostTrials = 1_000_000

// checks makes the trials of checks, of which there are counts. In which order they passed
// nobody knows: they are spread evenly.
func (rd *reader) checks(group string, list jsonwalk.Value) {
	for check := range each(list) {
		k := key(group, check.Get("name").Text())
		passes, fails := check.Get("passes").Count(), check.Get("fails").Count()
		switch {
		case !passes.OK || !fails.OK:
			check.Reject(fmt.Sprintf("the passes or fails of check %q are not counts", jsonwalk.Short(k.Test)))
			continue
		case passes.V > mostTrials || fails.V > mostTrials || rd.made+passes.V+fails.V > mostTrials:
			check.Reject(fmt.Sprintf("check %q: a summary may have at most %d trials; use k6 run --out json, which has each",
				jsonwalk.Short(k.Test), mostTrials))
			continue
		}
		if rd.counted++; rd.counted == 1 {
			check.Report()
			line, column := check.Place()
			const codeAggregated = "aggregated"
			rd.to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: codeAggregated, Line: line, Column: column,
				Message: "a summary of k6 has counts: the trials of checks are derived from them, in an unknown order"})
		}
		rd.made += passes.V + fails.V
		for i := range passes.V + fails.V {
			rd.trial = envelope.Trial{Key: k, Status: envelope.Pass}
			if !trialfields.Spread(i, passes.V, passes.V+fails.V) {
				rd.trial.Status, rd.trial.Message = envelope.Fail, doesNotHold
			}
			rd.attempts.Send(&rd.trial, rd.to)
		}
	}
}

// metric reads the thresholds of a metric. --summary-export writes true for one that was
// crossed, others say whether it is ok.
func (rd *reader) metric(name string, v jsonwalk.Value) {
	for expression, threshold := range v.Get("thresholds").Members() {
		kept := threshold.Get("ok").Bool()
		if threshold.IsBool() {
			kept = envelope.Some(!threshold.Bool().V)
		}
		t := &rd.trial
		*t = envelope.Trial{Key: envelope.Key{Suite: "thresholds", Test: name + ": " + expression}, Status: trialfields.PassFail(kept)}
		switch t.Status {
		case envelope.Fail:
			t.Message = "the threshold is crossed"
		case "":
			t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassPreValidation,
				"the summary does not say whether the threshold was kept"
		}
		rd.attempts.Send(t, rd.to)
	}
}

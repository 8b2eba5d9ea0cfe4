// Package terminalbench reads the results.json of Terminal-Bench (version 1),
// of a whole run and of a single trial.
//
// It exists because these files tell apart what most scores mix: a trial that
// ran out of time may be resolved, and one whose output could not be parsed was
// never judged. The file of a run and those of its trials repeat each other; the
// run named in trial_name, or else the id of the trial, is kept, so that the same
// trial is counted once.
// Agent and model stand in another file, run_metadata.json, and stay unknown.
package terminalbench

import (
	"io"
	"math"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/wholerun"
)

// firstResult is where the trials of a run begin.
var firstResult = regex.Of(`"results"\s*:\s*(\[\s*\{)`)

// Sniff reports whether head starts the file of a run or of a trial.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	if inArray {
		return false
	}
	if isTrial(keys) {
		return true
	}
	if !keys.Has("results") {
		return false
	}
	if at := firstResult().FindSubmatchIndex(head); at != nil {
		first, _ := jsonwalk.Keys(head[at[2]:])
		return isTrial(first)
	}
	return keys.Has("n_resolved", "resolved_ids")
}

// Repeats reports whether head starts the file of a run: its trials may have
// files of their own.
func Repeats(head []byte) bool {
	keys, _ := jsonwalk.Keys(head)
	return !isTrial(keys)
}

func isTrial(keys jsonwalk.KeySet) bool {
	return keys.Has("task_id") && (keys.Has("is_resolved") || keys.Has("trial_name", "instruction"))
}

// Read reads one file, a trial at a time. The error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	head, whole := jsonwalk.Head(r)
	rd := &reader{to: &wholerun.Watch{Sink: to}}
	if keys, _ := jsonwalk.Keys(head); isTrial(keys) {
		return jsonwalk.Document(whole, to, func(t *jsonwalk.Text) error {
			v, err := t.Value()
			if err == nil {
				v.Deliver(rd.one)
			}
			return err
		})
	}
	err := jsonwalk.Document(whole, rd.to, rd.run)
	to.Header(rd.header, nil)
	return err
}

type reader struct {
	to       *wholerun.Watch
	header   envelope.Header
	attempts trialfields.Attempts
	trial    envelope.Trial
}

func (rd *reader) run(t *jsonwalk.Text) error {
	resolved, unresolved, accuracy := 0, 0, 1.0 // as the run counts them
	err := t.Object(func(key string) error {
		switch key {
		case "n_resolved":
			return t.Decode(&resolved)
		case "n_unresolved":
			return t.Decode(&unresolved)
		case "accuracy":
			return t.Decode(&accuracy)
		case "id":
			v, err := t.Value()
			rd.header.ID = v.Text()
			return err
		case "results":
			return t.Objects(rd.one)
		}
		return nil
	})
	if n := resolved + unresolved; err == nil {
		rd.to.Counts(n, max(unresolved, int(math.Round((1-accuracy)*float64(n)))), "trials")
	}
	return err
}

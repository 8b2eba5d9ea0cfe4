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
	"cmp"
	"io"
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// firstResult is where the trials of a run begin.
var firstResult = regex.Of(`"results"\s*:\s*(\[\s*\{)`)

// Sniff reports whether head starts the file of a run or of a trial.
func Sniff(head []byte) bool {
	keys := jsonwalk.DocumentKeys(head)
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

// Read reads one file, a trial at a time.
func Read(r io.Reader, to envelope.Sink) error {
	head, whole := jsonwalk.Head(r)
	rd := &reader{to: &runfailure.Watch{Sink: to}}
	if keys, _ := jsonwalk.Keys(head); isTrial(keys) {
		return jsonwalk.Read(whole, to, jsonwalk.Object(rd.one))
	}
	err := jsonwalk.Document(whole, rd.to, rd.run)
	to.Header(rd.header, nil)
	return err
}

type reader struct {
	to     *runfailure.Watch
	header envelope.Header
	trial  envelope.Trial
}

func (rd *reader) run(t *jsonwalk.Text) error {
	resolved, unresolved, accuracy := 0, 0, 1.0 // as the run counts them
	err := t.Members(jsonwalk.Members{"n_resolved": &resolved, "n_unresolved": &unresolved, "accuracy": &accuracy,
		"id": func(v jsonwalk.Value) { rd.header.ID = v.Text() }, "results": jsonwalk.Objects(rd.one)})
	if n := resolved + unresolved; err == nil {
		rd.to.Counts(n, max(unresolved, int(math.Round((1-accuracy)*float64(n)))), "trials")
	}
	return err
}

// trialName is <task>.<i>-of-<n>, and the run behind it; task ids contain dots,
// so the last i-of-n counts.
var trialName = regex.Of(`^.*\.([0-9]+)-of-[0-9]+(?:\.(.*))?$`)

// classOf is the class of a failure mode. A trial that was judged counts,
// whatever its mode; one that was not counts too when the agent is to blame, by
// what it did (context_length_exceeded, unknown_agent_error) or by what it left
// to the tests (parse_error, test_timeout). Only an agent that the harness could
// not install was never tried.
func classOf(mode string, judged bool) string {
	switch {
	case mode == "agent_timeout", mode == "test_timeout":
		return envelope.ClassTimeout
	case mode == "agent_installation_failed" && !judged:
		return envelope.ClassInfrastructure
	}
	return ""
}

func (rd *reader) one(v jsonwalk.Value) {
	t := &rd.trial
	*t = envelope.Trial{Key: envelope.Key{Test: v.Get("task_id").Text()}}
	if t.Test == "" {
		v.Reject("its task_id is missing or neither a text nor a number")
		return
	}
	resolved := v.Get("is_resolved")
	if !resolved.There() {
		v.Reject("it does not say is_resolved")
		return
	}
	rd.number(v)
	t.Status = cmp.Or(trialfields.PassFail(resolved.Bool()), envelope.Error) // null, where nobody judged
	if mode := v.Get("failure_mode").Text(); mode != "unset" && mode != "none" {
		t.RawStatus, t.ErrorClass = mode, classOf(mode, t.Status != envelope.Error)
	}
	t.StartedAt = v.Get("trial_started_at").Time()
	t.DurationMS = jsonwalk.Between(v.Get("trial_started_at"), v.Get("trial_ended_at"))
	tokens := v.Get("total_input_tokens").Count().V + v.Get("total_output_tokens").Count().V
	t.Tokens = envelope.Opt[int64]{V: tokens, OK: tokens != 0}
	for name, result := range v.Get("parser_results").Members() {
		status, _ := envelope.ParseStatus(result.Text())
		trialfields.AddCheck(t, envelope.Check{Name: name, Status: status}, "test")
	}
	if t.Status != envelope.Pass {
		t.Message = message(v.Get("parser_results"), t)
	}
	rd.to.Trial(t)
}

// number takes attempt and run from the name of the trial. A trial whose name
// does not tell its run is a run of its own, by its id: the file of the job and
// that of the trial say the same one.
func (rd *reader) number(v jsonwalk.Value) {
	t := &rd.trial
	m := trialName().FindStringSubmatch(v.Get("trial_name").Text())
	if m != nil && m[2] != "" {
		t.Run = m[2]
	} else {
		t.Run = cmp.Or(v.Get("uuid").Text(), v.Get("id").Text(), v.Get("recording_path").Text())
	}
	if m != nil {
		if i, err := strconv.ParseInt(m[1], 10, 32); err == nil && i > 0 {
			t.Attempt = envelope.Some(int32(i - 1))
			return
		}
	}
	if t.Attempt = envelope.Some[int32](0); t.Run == "" || m != nil {
		t.Attempt = rd.to.Attempts.Next(t.Key)
	}
}

func message(results jsonwalk.Value, t *envelope.Trial) string {
	const most = 5
	var failed []string
	for name, result := range results.Members() {
		if result.Text() != "passed" {
			failed = append(failed, jsonwalk.Short(failure.FirstLine(name)))
		}
	}
	switch n := len(failed); {
	case n > most:
		return "failed: " + strings.Join(failed[:most], ", ") + " and " + strconv.Itoa(n-most) + " more"
	case n > 0:
		return "failed: " + strings.Join(failed, ", ")
	}
	return failure.FirstLine(t.RawStatus)
}

// Package harbor reads the result.json of Harbor (Terminal-Bench 2), of a trial
// and of a job.
//
// It exists because Harbor keeps what went wrong beside the reward: an agent
// that ran out of time may have been verified all the same. A trial has no
// number, only a random suffix on its name. The conversation of its agent stands in
// a file of its own, agent/trajectory.json. The file of a job says no more of a
// trial than its reward or its exception; its trials are read from there with a
// warning, for a job is read from its file or from those of its trials, never
// from both.
package harbor

import (
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Folders are those of a trial, beside its file: what the agent and the verifier
// wrote, what was copied out, and the same for each step of a task with steps.
var Folders = []string{"agent", "verifier", "artifacts", "steps"}

// Sniff reports whether head starts the file of a trial or of a job.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return !inArray && (isTrial(keys) || isJob(keys))
}

// Summarises reports whether head starts the file of a job: the trials it lists
// have files of their own beside it.
func Summarises(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return !inArray && isJob(keys)
}

func isTrial(keys jsonwalk.KeySet) bool {
	return keys.Has("task_name", "trial_name") && keys.HasAny("verifier_result", "agent_info", "task_checksum", "task_id", "exception_info")
}

func isJob(keys jsonwalk.KeySet) bool { return keys.Has("n_total_trials", "stats") }

// Read reads one file, buffered up to 64 MiB. The error is that of r.
func Read(r io.Reader, to envelope.Sink) error { return ReadIn(r, to, nil) }

// ReadIn reads one file, and the trajectory of its trial in the folder around it, nil
// for none.
func ReadIn(r io.Reader, to envelope.Sink, folder Folder) error {
	head, whole := jsonwalk.Head(r)
	keys, _ := jsonwalk.Keys(head)
	rd := &reader{to: to, folder: folder}
	each := rd.one
	if isJob(keys) {
		each = rd.job
	}
	return jsonwalk.Document(whole, to, func(t *jsonwalk.Text) error {
		v, err := t.Value()
		if err == nil {
			v.Deliver(each)
		}
		return err
	})
}

type reader struct {
	to       envelope.Sink
	folder   Folder
	attempts trialfields.Attempts
	told     bool // that no reward is the one that decides
	trial    envelope.Trial
}

// Package taubench reads the result files of tau-bench (sierra-research, MIT):
// one JSON array with an object per trial.
//
// It exists because these files are where pass^k comes from, and hold several
// trials of every task. They are large, nearly all of it conversation, which is
// kept for the trials that are shown.
// The files do not say suite or model; both stand in their names, which a
// reader does not know.
package taubench

import (
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
)

// Sniff reports whether head starts with an array whose first element has the
// keys of a trial. Only the first of these need be in the head.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	found := keys.Count("task_id", "reward", "info", "traj", "trial")
	const enough = 3
	return inArray && keys.Has("task_id") && found >= enough
}

// Read reads one result file. An element that is no trial is a problem in the
// sink, and reading goes on behind it; where the file is no JSON, it stops. The
// error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	return jsonwalk.Strict(r, to, func(text *jsonwalk.Text) error {
		if text.Next() != '[' {
			return text.Stop("the file is not an array of trials")
		}
		rd, index := &reader{Text: text, to: to}, -1
		return text.Array(func() error { index++; return rd.element(index) })
	})
}

type reader struct {
	*jsonwalk.Text
	to    envelope.Sink
	trial envelope.Trial
	turns conversation.Reader

	reckoned reckoning
}

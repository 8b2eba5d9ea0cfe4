// Package taubench reads the result files of tau-bench (sierra-research, MIT):
// one JSON array with an object per trial.
//
// It exists because these files are where pass^k comes from, and hold several
// trials of every task. They are large, nearly all of it conversation, so they
// are read token by token: of a conversation only the tool calls are counted.
// The files do not say suite or model; both stand in their names, which a
// reader does not know.
package taubench

import (
	"encoding/json"
	"errors"
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/position"
)

// Sniff reports whether head starts with an array whose first element has the
// keys of a trial. Only the first of these need be in the head.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	found := 0
	for _, name := range []string{"task_id", "reward", "info", "traj", "trial"} {
		if _, ok := keys[name]; ok {
			found++
		}
	}
	_, isTask := keys["task_id"]
	const enough = 3
	return inArray && isTask && found >= enough
}

// Read reads one result file. An element that is no trial is a problem in the
// sink, and reading goes on behind it; where the file is no JSON, it stops. The
// error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	places := position.NewReader(r)
	dec := json.NewDecoder(places)
	dec.UseNumber()
	rd := &reader{tokens: tokens{dec: dec}, places: places, to: to}
	err := rd.all()
	if places.Err() != nil {
		return places.Err()
	}
	if err != nil {
		rd.stopped(err)
	}
	return nil
}

type reader struct {
	tokens
	places *position.Reader
	to     envelope.Sink
	trial  envelope.Trial
}

func (rd *reader) all() error {
	token, err := rd.dec.Token()
	if err != nil {
		return err
	}
	if token != json.Delim('[') {
		return errors.New("the file is no array of trials")
	}
	for index := 0; rd.dec.More(); index++ {
		if err := rd.element(index); err != nil {
			return err
		}
	}
	if _, err := rd.dec.Token(); err != nil { // the closing bracket
		return err
	}
	if _, err := rd.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the array of trials")
	}
	return nil
}

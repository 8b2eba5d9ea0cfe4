package ndjson

import (
	"bytes"
	"errors"
	"io"

	"tribunal/run/next"
)

// WriteNext writes a line for each trial to run.
func WriteNext(w io.Writer, p *next.Plan) error {
	return writeValues(w, "", p.Trials...)
}

// WriteArgs writes the words of the command of each trial, with a NUL behind each.
func WriteArgs(w io.Writer, p *next.Plan) error {
	var text bytes.Buffer
	for i := range p.Trials {
		if len(p.Trials[i].Argv) == 0 {
			return errors.New("args: the command is missing; put it after --, as in: " +
				"tribunal next run.json -f args -- ./agent-test {test} {run} {attempt}")
		}
		for _, word := range p.Trials[i].Argv {
			text.WriteString(word)
			text.WriteByte(0)
		}
	}
	_, err := w.Write(text.Bytes())
	return err
}

// mostInMatrix is how many jobs GitHub makes of one matrix.
const mostInMatrix = 256

// WriteMatrix writes the include list of a GitHub matrix on one line, as an output
// of a step holds it.
func WriteMatrix(w io.Writer, p *next.Plan) error {
	if len(p.Trials) > mostInMatrix {
		return errors.New("matrix: GitHub allows 256 jobs; give --batch 256 or less")
	}
	return writeValues(w, "", struct {
		Include []next.Trial `json:"include"`
	}{p.Trials})
}

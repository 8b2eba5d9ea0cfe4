package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// standardOutput is that of a run, and what went wrong there. A reader that has gone,
// such as head, has what it wanted: the rest is written to nobody, and the other
// outputs are as they would have been.
type standardOutput struct {
	to   io.Writer
	err  error
	gone bool
}

// Write implements io.Writer.
func (w *standardOutput) Write(p []byte) (int, error) {
	if w.gone {
		return len(p), nil
	}
	n, err := w.to.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		w.gone = true
		return len(p), nil
	}
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		err = path.Err // what it names is said in other words
	}
	if err != nil {
		w.err = fmt.Errorf("writing to standard output: %w", err)
	}
	return n, w.err
}

// Stat is of the file that standard output is, if it is one.
func (w *standardOutput) Stat() (os.FileInfo, error) { return streamInfo(w.to) }

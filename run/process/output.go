package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"tribunal/internal/redact"
)

// KeptOutput is how much of each output is kept: 64 KiB, head and tail.
const KeptOutput = 64 << 10

// outputs are the files a process writes to. They are files and no pipes, so that a
// process that lives on cannot hold up who reads them, and none is killed for
// writing to a reader that is gone.
type outputs struct {
	stdout, stderr *os.File
	ours           []*os.File // those we opened
}

func openOutputs(stdout, stderr string, null *os.File) (outputs, error) {
	o := outputs{stdout: null, stderr: null}
	var err error
	if stdout != "" {
		if o.stdout, err = o.open(stdout); err != nil {
			return o, err
		}
	}
	switch stderr {
	case "":
	case stdout:
		o.stderr = o.stdout
	default:
		if o.stderr, err = o.open(stderr); err != nil {
			return o, errors.Join(err, o.close())
		}
	}
	return o, nil
}

// open makes a file whose writers all write to its end, also when one of them opens
// /dev/stdout again, which empties a file.
func (o *outputs) open(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("making a file for its output: %w", err)
	}
	o.ours = append(o.ours, f)
	return f, nil
}

func (o *outputs) close() error {
	var errs []error
	for _, f := range o.ours {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

func (o *outputs) exceed(limit int64) bool {
	for _, f := range o.ours {
		if size(f) > limit {
			return true
		}
	}
	return false
}

func (o *outputs) sizes() (stdout, stderr int64) { return size(o.stdout), size(o.stderr) }

func size(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// Excerpt is what is kept of an output.
type Excerpt struct {
	// Head is its beginning, and all of it where Omitted is 0.
	Head []byte
	// Tail is its end.
	Tail []byte
	// Omitted is how many bytes between them are left out.
	Omitted int64
}

// Bytes returns head and tail with a line between them that says how much is left
// out.
func (e Excerpt) Bytes() []byte {
	if e.Omitted == 0 {
		return e.Head
	}
	head := bytes.TrimSuffix(e.Head, []byte("\n"))
	return fmt.Appendf(nil, "%s\n[%d bytes left out]\n%s", head, e.Omitted, e.Tail)
}

// ReadExcerpt reads at most limit bytes of a file, half of them from its beginning
// and half from its end. It cuts where a line ends, if one does within 4 KiB of the
// cut, so that what is to be redacted is there whole or not at all; else where the cut
// splits no secret.
func ReadExcerpt(name string, limit int) (Excerpt, error) {
	f, err := os.Open(name)
	if err != nil {
		return Excerpt{}, fmt.Errorf("reading the output of a command: %w", err)
	}
	defer f.Close()
	total := size(f)
	if total <= int64(limit) {
		all, err := io.ReadAll(io.LimitReader(f, int64(limit)))
		if err != nil {
			return Excerpt{}, fmt.Errorf("reading the output of a command: %w", err)
		}
		return Excerpt{Head: all}, nil
	}
	half := limit / 2
	room := half + int(min(redact.Beyond, total-int64(half)))
	head, tail := make([]byte, room), make([]byte, room)
	_, err1 := io.ReadFull(f, head)
	_, err2 := f.ReadAt(tail, total-int64(room))
	if err := errors.Join(err1, err2); err != nil {
		return Excerpt{}, fmt.Errorf("reading the output of a command: %w", err)
	}
	head, tail = cutEnd(head, half), cutBeginning(tail, room-half)
	return Excerpt{Head: head, Tail: tail, Omitted: total - int64(len(head)+len(tail))}, nil
}

// lineWithin is how far from a cut the end of a line is looked for.
const lineWithin = 4 << 10

func cutEnd(b []byte, at int) []byte {
	if end := bytes.LastIndexByte(b[:at], '\n'); end >= at-lineWithin && end >= 0 {
		return b[:end+1]
	}
	at, _ = redact.Split(string(b), at)
	return b[:at]
}

func cutBeginning(b []byte, at int) []byte {
	if end := bytes.IndexByte(b[at:], '\n'); end >= 0 && end < min(lineWithin, len(b)-at-1) {
		return b[at+end+1:]
	}
	_, at = redact.Split(string(b), at)
	return b[at:]
}

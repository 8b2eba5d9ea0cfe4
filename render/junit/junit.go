package junit

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"

	"tribunal/envelope"
)

// Options of the format. The zero value is the default profile.
type Options struct {
	Profile string // default, gitlab, jenkins, strict or surefire; "" is default
	// Flaky adds flakyFailure elements to flaky passes. Their readers take them
	// for failed first tries of one run, which trials are not.
	Flaky bool
}

// Write writes the envelope as one JUnit XML document. The error is that of the
// writer, or names an unknown profile.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	p, err := profileOf(o.Profile)
	if err != nil {
		return err
	}
	d := &draft{env: e, profile: p, flaky: o.Flaky, suites: group(e, p)}
	d.fit(fileLimit, caseLimit)
	return d.write(w)
}

// write writes the document as drafted.
func (d *draft) write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	short := &selfCloser{w: out}
	d.out = out
	if _, err := io.WriteString(short, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(short)
	enc.Indent("", " ")
	d.sync = func() error { return errors.Join(enc.Flush(), short.flush()) }
	if err := enc.Encode(d.document()); err != nil {
		return err
	}
	if _, err := io.WriteString(short, "\n"); err != nil {
		return err
	}
	if err := short.flush(); err != nil {
		return err
	}
	return out.Flush()
}

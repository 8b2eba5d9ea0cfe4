package junit

import (
	"io"

	"tribunal/envelope"
)

// Options of the format. The zero value is the default profile.
type Options struct {
	Profile string // default, gitlab, jenkins, strict or surefire; "" is default
	// Flaky adds flakyFailure elements to flaky passes. Readers of them assume that the
	// failures are earlier tries of one run, which trials are not.
	Flaky bool
}

// Write writes the envelope as a JUnit XML document. Its error is that of w, or names an
// unknown profile.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	p, err := profileOf(o.Profile)
	if err != nil {
		return err
	}
	d := &draft{env: e, profile: p, flaky: o.Flaky, suites: group(e, p)}
	d.fit(fileLimit, caseLimit)
	return d.write(w)
}

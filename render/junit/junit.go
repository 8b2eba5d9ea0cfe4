package junit

import (
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

package read

import (
	"crypto/sha256"
	"fmt"
	"hash"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// digested makes a digest of the trials of an input, for formats whose runner
// writes one run into several files that say of no run which it is.
type digested struct {
	envelope.Sink
	hash   hash.Hash
	trials int
}

func newDigested(to envelope.Sink) *digested { return &digested{Sink: to, hash: sha256.New()} }

// Trial implements envelope.Sink.
func (d *digested) Trial(t *envelope.Trial) {
	d.trials++
	fmt.Fprintf(d.hash, "%#v\n", *t)
	d.Sink.Trial(t)
}

// warnSame warns of an input with the very trials of one before it. Nothing says
// that they are not of two runs, so they count as given.
func (d *digested) warnSame(to *count.Input, name string) {
	if d.trials == 0 {
		return
	}
	if before := to.Holds(string(d.hash.Sum(nil))); before != "" && before != name {
		to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Line: 1, Column: 1, Count: d.trials,
			Message: "this input has the same trials as " + before + ", and all count twice; if both are files of one run, name only one"})
	}
}

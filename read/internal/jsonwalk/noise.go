package jsonwalk

import (
	"bytes"
	"fmt"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// Noise is how many lines are no objects, and which of them came first.
type Noise struct {
	count, line int
	first       string
}

// Add counts a line that is no record. Blank ones are nothing.
func (n *Noise) Add(text []byte, line int) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return
	}
	if n.count++; n.count == 1 {
		n.line, n.first = line, quoted(text)
	}
}

// Follow adds the noise of the next part of an input, which has so many lines
// before it.
func (n *Noise) Follow(next Noise, before int) {
	if n.count == 0 {
		n.line, n.first = next.line+before, next.first
	}
	n.count += next.count
}

// Report tells the noise, if there was any, as one problem.
func (n *Noise) Report(to envelope.Sink) {
	if n.count == 0 {
		return
	}
	to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeNoise, Line: n.line, Column: 1, Count: n.count,
		Message: fmt.Sprintf("lines that are no records are passed over: %d, the first of them: %s", n.count, n.first)})
}

// quoted is the head of a text as a message shows it.
func quoted(text []byte) string { return words.Quote(text, 60) }

package standing

import (
	"strings"
	"unicode"

	"tribunal/envelope"
)

// GateWords are what stands behind the status of the gate on its line: its notices, and
// the file that said a part of the policy. No text of a test is in them, and no sign
// that means something to any format.
func GateWords(e *envelope.Envelope) string {
	says := e.Gate.Headline()
	if e.Policy.Config == "" {
		return says
	}
	if says != "" {
		says += ", "
	}
	return says + PolicyFile(e)
}

// PolicyFile says which file said a part of the policy; empty where none did.
func PolicyFile(e *envelope.Envelope) string {
	if path := PolicyPath(e); path != "" {
		return "policy of " + path
	}
	return ""
}

// PolicyPath is the path of that file alone.
func PolicyPath(e *envelope.Envelope) string { return strings.Map(plain, e.Policy.Config) }

// plain keeps what paths are made of.
func plain(c rune) rune {
	if unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("./-_, ", c) {
		return c
	}
	return '_'
}

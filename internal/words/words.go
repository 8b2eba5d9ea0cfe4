// Package words has numbers with their nouns and units, as the whole program
// says them to people.
//
// It exists so that a reason, a table, a page and an error say the same number
// the same way. It leaves out what a single format asks for: colours, escapes,
// digits for machines.
package words

import "strings"

// Head keeps the head of a text that is quoted in a message, at most so many
// bytes of it. The copy does not keep the text alive.
func Head(s string, most int) string {
	if len(s) <= most {
		return strings.Clone(s)
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

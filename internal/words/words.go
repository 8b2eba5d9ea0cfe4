// Package words has numbers with their nouns and units, as the whole program
// says them.
//
// It exists so that a reason, a table, a page and an error say the same number
// the same way. It leaves out what a single format asks for: colours, escapes,
// thousands separators, digits for machines.
package words

import "strconv"

// Plural is the number and the noun that goes with it.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

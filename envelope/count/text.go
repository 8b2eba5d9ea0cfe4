package count

import (
	"strings"
	"unicode/utf8"

	"tribunal/envelope/internal/codec"
)

// textOf is the JSON of plain data, to compare by.
func textOf(v any) string {
	text, err := codec.Marshal(v)
	if err != nil {
		panic("envelope: plain data that does not marshal: " + err.Error())
	}
	return string(text)
}

// valid is s as valid UTF-8 in memory of its own.
func valid(s string) string {
	return strings.Clone(repaired(s))
}

// repaired is s with U+FFFD in place of what is no UTF-8.
func repaired(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

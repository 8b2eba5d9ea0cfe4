package marks

import "unicode/utf8"

// endsAtMost is how many bytes of a character that is not complete may end a
// text.
const endsAtMost = utf8.UTFMax - 1

// validFrom reports whether a text is UTF-8 whose first bytes are, but for a
// character that is not complete at their end.
func validFrom(text []byte, first int) bool {
	for back := 1; back <= min(endsAtMost, first); back++ {
		if utf8.RuneStart(text[first-back]) {
			return utf8.Valid(text[first-back:])
		}
	}
	return utf8.Valid(text[first:])
}

package codec

import "unicode/utf8"

// JSON is printed in the logs of jobs, too, and build servers obey ##[name] and
// ##word[ wherever in a line they stand. On the wire the first # of these is an
// escape, which reads back as the same character. So is what terminals and editors
// obey: the controls that JSON allows, what turns the direction of text, byte order
// marks, and tags that nobody sees.

const del = 0x7f

// obeyed reports a character beyond ASCII that is an escape on the wire.
func obeyed(r rune) bool {
	switch {
	case r < 0xa0: // C1, and DEL
		return true
	case r < 0x2000:
		return r == 0x61c
	case r <= 0x2069:
		return r >= 0x2066 || r >= 0x2028 && r <= 0x202e || r == 0x200e || r == 0x200f // line ends of JavaScript with the overrides
	}
	return r == 0xfeff || r>>7 == 0xe0000>>7
}

// BeginsCommand reports that a text starts like such a command.
func BeginsCommand[T string | []byte](text T) bool {
	if len(text) < 3 || text[0] != '#' || text[1] != '#' {
		return false
	}
	letter := text[2] | 0x20
	return text[2] == '[' || 'a' <= letter && letter <= 'z'
}

// DisarmJSON escapes in JSON text what build servers, terminals and editors obey: it
// stands in strings only.
func DisarmJSON(text []byte) []byte {
	at, _ := nextObeyed(text, 0)
	if at == len(text) {
		return text
	}
	var out []byte
	done := 0
	for at < len(text) {
		var size int
		at, size = nextObeyed(text, done)
		out = append(out, text[done:at]...)
		if size > 0 {
			out = appendEscaped(out, string(text[at:at+size]))
		}
		done = at + size
	}
	return out
}

// nextObeyed is the place and the size of the next character to escape from a place
// on; the end of the text and 0 when there is none.
func nextObeyed(text []byte, from int) (at, size int) {
	for i := from; i < len(text); {
		switch c := text[i]; {
		case c == del, c == '#' && BeginsCommand(text[i:]):
			return i, 1
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(text[i:])
			if obeyed(r) {
				return i, n
			}
			i += n
		}
	}
	return len(text), 0
}

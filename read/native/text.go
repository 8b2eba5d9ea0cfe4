package native

import (
	"strconv"
	"unicode/utf8"

	"tribunal/internal/jsontext"
)

// str reads the string at the current byte, which must be its opening quote. A
// string without escapes is returned where it lies.
func (s *scanner) str() string {
	start := s.pos + 1
	if s.pass(); s.failed {
		return ""
	}
	inside := s.line[start : s.pos-1]
	if jsontext.IsPlain(inside) {
		return jsontext.InPlace(inside)
	}
	mark := len(s.buf)
	s.buf = jsontext.Repair(jsontext.Append(s.buf, inside), mark)
	return jsontext.InPlace(s.buf[mark:])
}

// pass passes over the string at the current byte.
func (s *scanner) pass() {
	for s.pos++; !s.failed; {
		s.pos = jsontext.Plain(s.line, s.pos)
		switch {
		case s.pos >= len(s.line):
			s.fail(len(s.line), "the line ends in the middle of a string")
		case s.line[s.pos] == '"':
			s.pos++
			return
		case s.line[s.pos] == '\\':
			s.escape()
		default:
			s.fail(s.pos, "the control character "+show(s.line[s.pos:])+" stands unescaped in a string")
		}
	}
}

// escape passes over what a backslash begins.
func (s *scanner) escape() {
	s.pos++
	switch {
	case s.pos >= len(s.line):
		s.fail(len(s.line), "the line ends in the middle of a string")
	case s.line[s.pos] == 'u':
		s.pos++
		for end := s.pos + 4; s.pos < end; s.pos++ {
			if s.pos >= len(s.line) || !jsontext.IsHex(s.line[s.pos]) {
				s.expected(`one of four hexadecimal digits behind \u`)
				return
			}
		}
	case jsontext.Escapes[s.line[s.pos]] == 0:
		s.fail(s.pos, `a backslash is followed by `+show(s.line[s.pos:])+`, which is not one of " \ / b f n r t u`)
	default:
		s.pos++
	}
}

// show is the first character of b, for people.
func show(b []byte) string {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		return "byte 0x" + strconv.FormatUint(uint64(b[0]), 16)
	}
	return strconv.QuoteRune(r)
}

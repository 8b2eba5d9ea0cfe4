package native

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"tribunal/read/internal/jsonstrings"
)

// str reads the string at the current byte, which must be its opening quote. A
// string without escapes is returned where it lies.
func (s *scanner) str() string {
	s.pos++
	start := s.pos
	s.pos = jsonstrings.Plain(s.line, start)
	if s.closed() && utf8.Valid(s.line[start:s.pos]) {
		s.pos++
		return inPlace(s.line[start : s.pos-1])
	}
	return s.copied(start)
}

// copied reads the rest of a string that began at start and cannot stay where
// it lies.
func (s *scanner) copied(start int) string {
	mark := len(s.buf)
	for {
		if s.buf = append(s.buf, s.line[start:s.pos]...); s.closed() {
			s.pos++
			s.buf = jsonstrings.Repair(s.buf, mark)
			return inPlace(s.buf[mark:])
		}
		if s.special(); s.failed {
			return ""
		}
		start, s.pos = s.pos, jsonstrings.Plain(s.line, s.pos)
	}
}

// pass passes over the string at the current byte, of which nobody asks what it says.
func (s *scanner) pass() {
	mark := len(s.buf)
	for s.pos++; !s.failed; s.special() {
		if s.pos = jsonstrings.Plain(s.line, s.pos); s.closed() {
			s.pos++
			break
		}
	}
	s.buf = s.buf[:mark]
}

// closed reports whether the current byte is the quote that closes a string.
func (s *scanner) closed() bool { return s.pos < len(s.line) && s.line[s.pos] == '"' }

// special reads what stands in a string and is neither plain nor its closing quote.
func (s *scanner) special() {
	switch {
	case s.pos >= len(s.line):
		s.fail(len(s.line), "the line ends in the middle of a string")
	case s.line[s.pos] == '\\':
		s.escape()
	default:
		s.fail(s.pos, "the control character "+show(s.line[s.pos:])+" stands unescaped in a string")
	}
}

// escape reads what a backslash begins and appends it to buf.
func (s *scanner) escape() {
	s.pos++
	if s.pos >= len(s.line) {
		s.fail(len(s.line), "the line ends in the middle of a string")
		return
	}
	c := s.line[s.pos]
	if c == 'u' {
		s.pos++
		s.buf = utf8.AppendRune(s.buf, s.codePoint())
		return
	}
	if jsonstrings.Escapes[c] == 0 {
		s.fail(s.pos, `a backslash is followed by `+show(s.line[s.pos:])+`, which is none of " \ / b f n r t u`)
		return
	}
	s.buf = append(s.buf, jsonstrings.Escapes[c])
	s.pos++
}

// codePoint reads the digits behind \u, and the second half of a surrogate pair
// with them. A half alone is U+FFFD.
func (s *scanner) codePoint() rune {
	r := s.hex()
	if s.failed || !utf16.IsSurrogate(r) {
		return r
	}
	after := s.pos
	if after+1 >= len(s.line) || s.line[after] != '\\' || s.line[after+1] != 'u' {
		return utf8.RuneError
	}
	s.pos += 2
	both := utf16.DecodeRune(r, s.hex())
	if both == utf8.RuneError && !s.failed {
		s.pos = after // the next escape speaks for itself
	}
	return both
}

// hex reads four hexadecimal digits.
func (s *scanner) hex() rune {
	r := rune(0)
	for range 4 {
		digit := -1
		if s.pos < len(s.line) {
			digit = hexDigit(s.line[s.pos])
		}
		if digit < 0 {
			s.expected(`one of four hexadecimal digits behind \u`)
			return utf8.RuneError
		}
		r = r<<4 | rune(digit)
		s.pos++
	}
	return r
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// show is the first character of b, for people.
func show(b []byte) string {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		return "byte 0x" + strconv.FormatUint(uint64(b[0]), 16)
	}
	return strconv.QuoteRune(r)
}

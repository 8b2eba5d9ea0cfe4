package marks

import "math/bits"

// Escapes maps the letter behind a backslash to the character it means, and
// others to 0; u has digits behind it.
var Escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// Closing returns the offset of the quote that closes the string whose content
// begins at p, -1 when there is none or the content is not valid. Whether it is
// UTF-8 is not looked at: that is asked when the string is wanted.
func (m *Text) Closing(p int) int {
	text, i := m.Bytes, p/64
	found := m.marks[i] >> (p % 64) << (p % 64) // what is marked from p on
	for {
		for found == 0 {
			i++
			found = m.marks[i]
		}
		at := 64*i + bits.TrailingZeros64(found)
		switch c := text[at]; {
		case c == '"':
			return at
		case c == '\\':
			next := escaped(text, at+1)
			if next < 0 {
				return -1
			}
			if next/64 > i {
				i = next / 64
				found = m.marks[i]
			}
			found = found >> (next % 64) << (next % 64)
		case c < ' ':
			return -1
		default:
			found &= found - 1
		}
	}
}

// escaped passes over what stands behind a backslash.
func escaped(text []byte, p int) int {
	if Escapes[text[p]] != 0 {
		return p + 1
	}
	if text[p] != 'u' || p+5 > len(text) {
		return -1
	}
	if isHex[text[p+1]]&isHex[text[p+2]]&isHex[text[p+3]]&isHex[text[p+4]] == 0 {
		return -1
	}
	return p + 5
}

// isHex is 1 for hexadecimal digits.
var isHex = func() (is [256]uint8) {
	for _, c := range "0123456789abcdefABCDEF" {
		is[c] = 1
	}
	return is
}()

package jsonstrings

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Escapes maps the letter behind a backslash to the character it means, and
// others to 0; u has digits behind it.
var Escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// piece is how many bytes are copied at once where fewer may be meant: most
// stretches between two escapes are shorter.
const piece = 16

// Append appends what the string from begin to end says, whose closing quote
// Closing has found. Bytes that are no UTF-8 stay as they are; half a surrogate
// pair is U+FFFD.
func (t *Text) Append(to []byte, begin, end int) []byte {
	to = slices.Grow(to, end-begin+piece) // no escape is shorter than what it means
	out := to[:cap(to)]
	n := len(to)
	for p := begin; ; {
		escape := t.Escape(p, end)
		if size := escape - p; size <= piece && p+piece <= len(t.Bytes) {
			*(*[piece]byte)(out[n:]) = *(*[piece]byte)(t.Bytes[p:])
			n += size
		} else {
			n += copy(out[n:], t.Bytes[p:escape])
		}
		if escape == end {
			return out[:n]
		}
		if c := Escapes[t.Bytes[escape+1]]; c != 0 {
			out[n] = c
			n++
			p = escape + 2
			continue
		}
		var r rune
		r, p = t.codePoint(escape, end)
		n += utf8.EncodeRune(out[n:], r)
	}
}

// codePoint reads the escape with four digits at the offset, and the second half
// of a surrogate pair with it. A half alone is U+FFFD.
func (t *Text) codePoint(at, end int) (r rune, behind int) {
	r, behind = hex(t.Bytes[at+2:at+6]), at+6
	if !utf16.IsSurrogate(r) {
		return r, behind
	}
	if behind+6 <= end && t.Bytes[behind] == '\\' && t.Bytes[behind+1] == 'u' {
		if both := utf16.DecodeRune(r, hex(t.Bytes[behind+2:behind+6])); both != utf8.RuneError {
			return both, behind + 6
		}
	}
	return utf8.RuneError, behind
}

// digits are the values of hexadecimal digits.
var digits = func() (value [256]uint8) {
	for i, c := range "0123456789abcdef" {
		value[c] = uint8(i)
	}
	for i, c := range "ABCDEF" {
		value[c] = uint8(10 + i)
	}
	return value
}()

func hex(four []byte) rune {
	return rune(digits[four[0]])<<12 | rune(digits[four[1]])<<8 | rune(digits[four[2]])<<4 | rune(digits[four[3]])
}

// Repair puts U+FFFD where a byte from begin on is no UTF-8: one for each, as
// encoding/json does.
func Repair(text []byte, begin int) []byte {
	if utf8.Valid(text[begin:]) {
		return text
	}
	to := text[:begin]
	for rest := bytes.Clone(text[begin:]); len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		to, rest = utf8.AppendRune(to, r), rest[size:]
	}
	return to
}

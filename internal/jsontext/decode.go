package jsontext

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// Escapes maps the letter behind a backslash to the character it means, and
// others to 0; u has digits behind it.
var Escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// Append appends what a valid string says, given what is between its quotes. Half a
// surrogate pair is U+FFFD; bytes that are no UTF-8 stay as they are, see Repair.
func Append(to, inside []byte) []byte {
	to = slices.Grow(to, len(inside)) // no escape is shorter than what it means
	for {
		at := Plain(inside, 0)
		to = append(to, inside[:at]...)
		if at == len(inside) {
			return to
		}
		if c := Escapes[inside[at+1]]; c != 0 {
			to, inside = append(to, c), inside[at+2:]
			continue
		}
		r, size := codePoint(inside[at:])
		to, inside = utf8.AppendRune(to, r), inside[at+size:]
	}
}

// codePoint reads the escape with four digits that a text begins with, and the second
// half of a surrogate pair with it.
func codePoint(text []byte) (r rune, size int) {
	r, size = hex(text[2:6]), 6
	if !utf16.IsSurrogate(r) {
		return r, size
	}
	if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if both := utf16.DecodeRune(r, hex(text[8:12])); both != utf8.RuneError {
			return both, 12
		}
	}
	return utf8.RuneError, size
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

// IsHex reports a hexadecimal digit.
func IsHex(c byte) bool { return digits[c] != 0 || c == '0' }

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

// Unquote is what a valid string says, in memory of its own.
func Unquote(quoted []byte) string {
	inside := quoted[1 : len(quoted)-1]
	if IsPlain(inside) {
		return string(inside)
	}
	return InPlace(Repair(Append(nil, inside), 0))
}

// IsPlain reports whether what is between the quotes of a valid string is what it says.
func IsPlain(inside []byte) bool { return bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) }

// InPlace is text without copying: it changes when the bytes do.
func InPlace(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

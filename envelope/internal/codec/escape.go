package codec

import (
	"unicode/utf16"
	"unicode/utf8"
)

// plainByte marks the bytes that stand for themselves in a JSON string.
var plainByte = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// written marks the bytes that are written without a further look: those that
// stand for themselves, but for the # of commands and DEL.
var written = func() [256]bool {
	t := plainByte
	t['#'], t[del] = false, false
	return t
}()

// AppendString appends s as a JSON string. <, > and & stay as they are:
// escaping for a page is the business of the renderer that makes the page.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		if written[s[i]] || s[i] == '#' && !BeginsCommand(s[i:]) {
			i++
			continue
		}
		size := 1
		if s[i] >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if size = n; (r != utf8.RuneError || n > 1) && !obeyed(r) {
				i += n
				continue
			}
		}
		b = appendEscaped(append(b, s[start:i]...), s[i:i+size])
		i += size
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// appendEscaped appends the escape of one character: a control character, a #, a
// quote, one that is obeyed, or a byte that is no UTF-8.
func appendEscaped(b []byte, c string) []byte {
	switch c {
	case `"`, `\`:
		return append(b, '\\', c[0])
	case "\b":
		return append(b, `\b`...)
	case "\f":
		return append(b, `\f`...)
	case "\n":
		return append(b, `\n`...)
	case "\r":
		return append(b, `\r`...)
	case "\t":
		return append(b, `\t`...)
	}
	r, _ := utf8.DecodeRuneInString(c)
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return appendUnit(appendUnit(b, high), low)
	}
	return appendUnit(b, r)
}

// appendUnit appends the escape of 16 bits.
func appendUnit(b []byte, unit rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[unit>>12&15], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
}

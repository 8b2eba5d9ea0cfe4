package standing

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Unescaped is a text with letters where JSON escapes them, if it is JSON: Python writes
// all that is not ASCII as \u and four digits, which nobody reads. What cannot be seen
// stays escaped.
func Unescaped(text string) string {
	if !strings.Contains(text, `\u`) || !json.Valid([]byte(text)) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			return b.String() + text
		}
		b.WriteString(text[:i])
		r, n := escape(text[i:])
		if r >= utf8.RuneSelf && unicode.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(text[i : i+n])
		}
		text = text[i+n:]
	}
}

// escape is the letter that an escape of valid JSON stands for, 0 for that of a single
// letter such as \n, and its length.
func escape(s string) (r rune, n int) {
	const one, pair = len(`\uffff`), len(`\ud800\udc00`)
	if s[1] != 'u' {
		return 0, 2
	}
	r = digits(s)
	if utf16.IsSurrogate(r) && strings.HasPrefix(s[one:], `\u`) {
		if both := utf16.DecodeRune(r, digits(s[one:])); both != utf8.RuneError {
			return both, pair
		}
	}
	return r, one
}

// digits are the four of an escape.
func digits(s string) rune {
	n, _ := strconv.ParseUint(s[len(`\u`):len(`\uffff`)], 16, 16) // valid JSON has them
	return rune(n)
}

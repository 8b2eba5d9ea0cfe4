package redact

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// findEscaped looks at the text as it reads once the escapes of JSON and the
// character references of HTML in it are resolved.
func (r *Redactor) findEscaped(s string, cut bool, depth int) {
	if !strings.Contains(s, `\u`) && !holdsReference(s) {
		return
	}
	v := &r.scratch[depth]
	v.reset()
	var buf [utf8.UTFMax]byte
	for i := 0; i < len(s); {
		c, size := escapedRune(s[i:])
		if size == 0 {
			next := nextEscape(s, i+1)
			v.run(s, i, next)
			i = next
			continue
		}
		for _, b := range buf[:utf8.EncodeRune(buf[:], c)] {
			v.put(b, i)
		}
		i += size
	}
	v.from(len(s))
	if len(v.text) < len(s) {
		r.through(s, v, cut, depth)
	}
}

// nextEscape is the first byte from i on that an escape may start with, or the
// length of s.
func nextEscape(s string, i int) int {
	for i < len(s) && s[i] != '\\' && s[i] != '&' {
		i++
	}
	return i
}

// references are the named ones that every escaper of HTML and XML writes.
var references = []struct {
	name string
	c    rune
}{{"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}}

func namedReference(s string) (c rune, size int) {
	for _, r := range references {
		if strings.HasPrefix(s, r.name) {
			return r.c, len(r.name)
		}
	}
	return 0, 0
}

func holdsReference(s string) bool {
	for from := 0; ; from++ {
		i := strings.IndexByte(s[from:], '&')
		if i < 0 {
			return false
		}
		if from += i; strings.HasPrefix(s[from:], "&#") {
			return true
		}
		if _, size := namedReference(s[from:]); size > 0 {
			return true
		}
	}
}

// longestReference is the most bytes that a character reference may have; some
// readers allow any number of zeros.
const longestReference = 16

// escapedRune is the character of the escape at the start of s and the size of
// the escape, 0 when there is none.
func escapedRune(s string) (c rune, size int) {
	digits, base := "", 16
	switch {
	case strings.HasPrefix(s, `\u`) && len(s) >= 6:
		digits, size = s[2:6], 6
	case s[0] == '&' && !strings.HasPrefix(s, "&#"):
		return namedReference(s)
	case strings.HasPrefix(s, "&#"):
		end := strings.IndexByte(s[:min(len(s), longestReference)], ';')
		if end < 0 {
			return 0, 0
		}
		digits, size = s[2:end], end+1
		if digits != "" && digits[0]|0x20 == 'x' {
			digits = digits[1:]
		} else {
			base = 10
		}
	default:
		return 0, 0
	}
	n, err := strconv.ParseUint(digits, base, 21)
	if err != nil {
		return 0, 0
	}
	return rune(n), size
}

package envelope

import (
	"strconv"
	"unicode/utf8"
	"unsafe"

	"tribunal/envelope/internal/codec"
)

// text reads a string into memory of its own.
func (p *parser) text() string {
	raw, plain := p.quoted()
	switch {
	case p.odd:
		return ""
	case plain:
		return string(raw)
	}
	return p.unescape(raw)
}

// term reads a string that was probably read before.
func (p *parser) term() string {
	raw, plain := p.quoted()
	switch {
	case p.odd:
		return ""
	case !plain:
		return p.unescape(raw)
	}
	if s, ok := p.terms[string(raw)]; ok {
		return s
	}
	s := string(raw)
	if len(p.terms) == mostTerms {
		clear(p.terms)
	}
	if len(s) <= longestTerm {
		p.terms[s] = s
	}
	return s
}

// The terms that are remembered: few enough to stay in a cache.
const (
	mostTerms   = 1 << 10
	longestTerm = 64
)

// quoted takes a string and gives what is between its quotes, and whether that
// stands for itself.
func (p *parser) quoted() (raw []byte, plain bool) {
	p.expect('"')
	start, ascii := p.i, true
	plain = true
	for i := start; i < len(p.b); i++ {
		c := p.b[i]
		switch {
		case codec.PlainByte[c]:
		case c == '"':
			p.i = i + 1
			raw = p.b[start:i]
			p.odd = p.odd || !ascii && !utf8.Valid(raw)
			return raw, plain
		case c == '\\':
			plain = false
			i++ // what is escaped is no end
		case c < ' ':
			p.odd = true
			return nil, false
		default:
			ascii = false
		}
	}
	p.odd = true
	return nil, false
}

// unescape resolves the escapes that this package writes; others are odd.
func (p *parser) unescape(raw []byte) string {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		c, size := unescaped(raw[i:])
		if size == 0 {
			p.odd = true
			return ""
		}
		out = utf8.AppendRune(out, c)
		i += size
	}
	return unsafe.String(unsafe.SliceData(out), len(out)) // nobody else has these bytes
}

// unescaped is the character of the escape at the start of raw and the size of
// the escape, 0 for one that is wrong or half of a pair.
func unescaped(raw []byte) (c rune, size int) {
	if len(raw) < 2 {
		return 0, 0
	}
	switch raw[1] {
	case '"', '\\', '/':
		return rune(raw[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		if len(raw) < 6 {
			return 0, 0
		}
		n, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
		if err != nil || n >= 0xd800 && n < 0xe000 {
			return 0, 0
		}
		return rune(n), 6
	}
	return 0, 0
}

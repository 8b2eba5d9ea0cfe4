package codec

import (
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// text reads a string into memory of its own.
func (p *Parser) text() string {
	raw, plain := p.Quoted()
	switch {
	case p.Odd:
		return ""
	case plain:
		return string(raw)
	}
	return p.Unescape(raw)
}

// Term reads a string that was probably read before.
func (p *Parser) Term() string {
	raw, plain := p.Quoted()
	switch {
	case p.Odd:
		return ""
	case !plain:
		return p.Unescape(raw)
	}
	if s, ok := p.terms[string(raw)]; ok {
		return s
	}
	s := string(raw)
	if len(p.terms) == mostTerms {
		clear(p.terms)
	}
	if len(s) <= longestTerm {
		if p.terms == nil {
			p.terms = map[string]string{}
		}
		p.terms[s] = s
	}
	return s
}

// The terms that are remembered: few enough to stay in a cache.
const (
	mostTerms   = 1 << 10
	longestTerm = 64
)

// Quoted takes a string and gives what is between its quotes, and whether that
// stands for itself.
func (p *Parser) Quoted() (raw []byte, plain bool) {
	p.Expect('"')
	start, ascii := p.At, true
	plain = true
	for i := start; i < len(p.B); i++ {
		c := p.B[i]
		switch {
		case plainByte[c]:
		case c == '"':
			p.At = i + 1
			raw = p.B[start:i]
			p.Odd = p.Odd || !ascii && !utf8.Valid(raw)
			return raw, plain
		case c == '\\':
			plain = false
			i++ // what is escaped is no end
		case c < ' ':
			p.Odd = true
			return nil, false
		default:
			ascii = false
		}
	}
	p.Odd = true
	return nil, false
}

// Unescape resolves the escapes that this package writes; others are odd.
func (p *Parser) Unescape(raw []byte) string {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		c, size := unescaped(raw[i:])
		if size == 0 {
			p.Odd = true
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

// Repeats takes a text if that is what is next.
func (p *Parser) Repeats(text string) bool {
	end := p.At + len(text)
	if end > len(p.B) || string(p.B[p.At:end]) != text {
		return false
	}
	p.At = end
	return true
}

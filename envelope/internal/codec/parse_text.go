package codec

import (
	"bytes"
	"unicode/utf8"

	"tribunal/internal/jsontext"
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
// stands for itself. One that is no UTF-8 is odd.
func (p *Parser) Quoted() (raw []byte, plain bool) {
	if p.Odd = p.Odd || p.Peek() != '"'; p.Odd {
		return nil, false
	}
	start := p.At + 1
	if p.behind((&jsontext.Part{B: p.B}).String(p.At)); p.Odd {
		return nil, false
	}
	raw = p.B[start : p.At-1]
	p.Odd = !utf8.Valid(raw)
	return raw, bytes.IndexByte(raw, '\\') < 0
}

// Unescape is what a string says, given what is between its quotes.
func (p *Parser) Unescape(raw []byte) string {
	return jsontext.InPlace(jsontext.Append(nil, raw)) // nobody else has these bytes
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

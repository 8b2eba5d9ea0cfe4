package codec

import (
	"bytes"
	"unicode/utf8"

	"tribunal/internal/decimal"
	"tribunal/internal/jsontext"
)

// Parser reads the JSON that this package writes, at the speed that a million tests need. It is no
// second opinion on JSON: whatever is unusual (a key in other letters, a key given twice, a value
// of another type, a text that is no UTF-8, a number out of range, an error) makes it say odd, and
// encoding/json decides. What it does read, it reads as encoding/json does; a fuzz test holds the
// one against the other.
//
// Its methods may be called when it is odd already; what they give is then without meaning.
type Parser struct {
	B     []byte
	At    int  // what is read next
	Odd   bool // encoding/json must look at this
	terms map[string]string
	// Shared is what the readers of kinds keep for one another.
	Shared any
}

func NewParser(b []byte) *Parser { return &Parser{B: b} }

// next skips blanks and takes the byte behind them, 0 at the end.
func (p *Parser) next() byte {
	if c := p.Peek(); c != 0 {
		p.At++
		return c
	}
	p.Odd = true
	return 0
}

// Peek is next without taking it.
func (p *Parser) Peek() byte {
	for p.At < len(p.B) {
		c := p.B[p.At]
		if c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
		p.At++
	}
	return 0
}

// Sees is peek for one character, where blanks are rare.
func (p *Parser) Sees(c byte) bool { return p.At < len(p.B) && p.B[p.At] == c || p.Peek() == c }

// Ended skips blanks and reports whether nothing is left.
func (p *Parser) Ended() bool { return p.Peek() == 0 && p.At == len(p.B) }

func (p *Parser) Expect(c byte) { p.Odd = p.next() != c || p.Odd }

// More is asked behind an element: it takes a comma, or the end.
func (p *Parser) More(end byte) bool {
	if p.At < len(p.B) && p.B[p.At] == ',' {
		p.At++
		return !p.Odd
	}
	switch c := p.next(); c {
	case ',':
		return !p.Odd
	case end:
	default:
		p.Odd = true
	}
	return false
}

// empty takes the end of an object or list that has just begun.
func (p *Parser) empty(end byte) bool {
	if p.Peek() != end {
		return false
	}
	p.At++
	return true
}

// ReadObject reads an object whose keys come in any order, each once. Keys that
// nobody knows are skipped, as encoding/json skips them.
func ReadObject[T any](p *Parser, v T, members []Member[T]) {
	p.Expect('{')
	if p.Odd || p.empty('}') {
		return
	}
	seen, at := uint64(0), 0
	for more := true; more && !p.Odd; more = p.More('}') {
		key := p.key()
		p.Expect(':')
		found := indexMember(members, key, at)
		switch {
		case p.Odd:
		case found < 0:
			p.Skip()
		case seen&(1<<found) != 0:
			p.Odd = true
		default:
			seen |= 1 << found
			at = found + 1
			members[found].Read(p, v)
		}
	}
}

// indexMember looks for a key from where it is expected, which is right behind the last one.
func indexMember[T any](members []Member[T], key []byte, at int) int {
	for i := at; i < len(members); i++ {
		if members[i].name() == string(key) {
			return i
		}
	}
	for i := range members[:at] {
		if members[i].name() == string(key) {
			return i
		}
	}
	return -1
}

// key reads a key of small letters, digits and _. In any other it might be that
// encoding/json, which does not mind the case of letters, sees one it knows.
func (p *Parser) key() []byte {
	p.Expect('"')
	start := p.At
	for i := start; i < len(p.B); i++ {
		switch c := p.B[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_':
		case c == '"':
			p.At = i + 1
			return p.B[start:i]
		default:
			p.Odd = true
			return nil
		}
	}
	p.Odd = true
	return nil
}

func readList[V any](p *Parser, read func(*Parser, *V)) []V {
	p.Expect('[')
	list := []V{}
	if p.Odd || p.empty(']') {
		return list
	}
	for more := true; more && !p.Odd; more = p.More(']') {
		var none V
		list = append(list, none)
		read(p, &list[len(list)-1])
	}
	return list
}

func readMap[V any](p *Parser, read func(*Parser, *V)) map[string]V {
	p.Expect('{')
	m := map[string]V{}
	if p.Odd || p.empty('}') {
		return m
	}
	for more := true; more && !p.Odd; more = p.More('}') {
		var v V
		key := p.Term()
		p.Expect(':')
		read(p, &v)
		m[key] = v
	}
	return m
}

func (p *Parser) Flag() bool {
	switch p.Peek() {
	case 't':
		p.Literal("true")
		return true
	case 'f':
		p.Literal("false")
		return false
	}
	p.Odd = true
	return false
}

func (p *Parser) Literal(word string) {
	if len(p.B)-p.At < len(word) || string(p.B[p.At:p.At+len(word)]) != word {
		p.Odd = true
		return
	}
	p.At += len(word)
}

// Skip takes a value that nobody wants, if it is JSON.
func (p *Parser) Skip() { p.behind((&jsontext.Part{B: p.B}).Valid(p.At)) }

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
	if len(raw) > longestTerm {
		return string(raw)
	}
	if s, ok := p.terms[string(raw)]; ok {
		return s
	}
	s := string(raw)
	if p.terms == nil || len(p.terms) == mostTerms {
		p.terms = map[string]string{}
	}
	p.terms[s] = s
	return s
}

// The terms that are remembered: few enough to stay in a cache.
const mostTerms, longestTerm = 1 << 10, 64

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

// behind goes to where a number ended, -1 for one that needs another look.
func (p *Parser) behind(end int) {
	if end < 0 {
		p.Odd = true
		return
	}
	p.At = end
}

// NumberAt reads the number of one kind at an offset and returns the offset behind
// it, -1 when there is none.
func NumberAt[T Number](text []byte, i int) (v T, end int) {
	if T(1)/2 != 0 {
		f, end := decimal.Real(text, i)
		return T(f), end
	}
	n, end := decimal.Whole(text, i)
	if v = T(n); int64(v) != n {
		return 0, -1
	}
	return v, end
}

// CellAt reads a number that a comma follows and returns the offset of that, -1 when there is none.
func CellAt[T Number](text []byte, i int) (v T, end int) {
	if v, end = NumberAt[T](text, i); end < 0 || end == len(text) || text[end] != ',' {
		return 0, -1
	}
	return v, end
}

// NumberOf reads a number of one kind.
func NumberOf[T Number](p *Parser) T {
	if p.At < len(p.B) && p.B[p.At] <= ' ' {
		p.Peek()
	}
	v, end := NumberAt[T](p.B, p.At)
	p.behind(end)
	return v
}

// Cells takes the beginning of an array that has cells, and guesses how many.
func (p *Parser) Cells() int {
	p.Expect('[')
	p.Odd = p.Odd || p.Peek() == ']'
	end := bytes.IndexByte(p.B[p.At:], ']')
	if p.Odd = p.Odd || end < 0; p.Odd {
		return 0
	}
	return bytes.Count(p.B[p.At:p.At+end], []byte{','}) + 1
}

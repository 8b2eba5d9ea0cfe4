package envelope

// parser reads the JSON that this package writes, at the speed that a million
// tests need. It is no second opinion on JSON: whatever is unusual (a key in
// other letters, a key given twice, a value of another type, a text that is no
// UTF-8, a number out of range, an error) makes it say odd, and encoding/json
// decides. What it does read, it reads as encoding/json does; a fuzz test holds
// the one against the other.
//
// Its methods may be called when it is odd already; what they give is then
// without meaning.
type parser struct {
	b     []byte
	i     int  // what is read next
	odd   bool // encoding/json must look at this
	terms map[string]string
	dict  *Dictionary // of all columns of strings
}

func newParser(b []byte) *parser { return &parser{b: b, terms: map[string]string{}} }

// dictionary is made when there is a word for it.
func (p *parser) dictionary() *Dictionary {
	if p.dict == nil {
		p.dict = NewDictionary()
	}
	return p.dict
}

// next skips blanks and takes the byte behind them, 0 at the end.
func (p *parser) next() byte {
	if c := p.peek(); c != 0 {
		p.i++
		return c
	}
	p.odd = true
	return 0
}

// peek is next without taking it.
func (p *parser) peek() byte {
	for p.i < len(p.b) {
		c := p.b[p.i]
		if c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
		p.i++
	}
	return 0
}

// skipBlanks is peek where blanks are rare.
func (p *parser) skipBlanks() {
	if p.i < len(p.b) && p.b[p.i] <= ' ' {
		p.peek()
	}
}

// sees is peek for one character, where blanks are rare.
func (p *parser) sees(c byte) bool {
	return p.i < len(p.b) && p.b[p.i] == c || p.peek() == c
}

// ended skips blanks and reports whether nothing is left.
func (p *parser) ended() bool { return p.peek() == 0 && p.i == len(p.b) }

func (p *parser) expect(c byte) { p.odd = p.next() != c || p.odd }

// more is asked behind an element: it takes a comma, or the end.
func (p *parser) more(end byte) bool {
	if p.i < len(p.b) && p.b[p.i] == ',' {
		p.i++
		return !p.odd
	}
	switch c := p.next(); c {
	case ',':
		return !p.odd
	case end:
	default:
		p.odd = true
	}
	return false
}

// empty takes the end of an object or list that has just begun.
func (p *parser) empty(end byte) bool {
	if p.peek() != end {
		return false
	}
	p.i++
	return true
}

// readObject reads an object whose keys come in any order, each once. Keys that
// nobody knows are skipped, as encoding/json skips them.
func readObject[T any](p *parser, v *T, members []member[T]) {
	p.expect('{')
	if p.odd || p.empty('}') {
		return
	}
	seen, at := uint64(0), 0
	for more := true; more && !p.odd; more = p.more('}') {
		key := p.key()
		p.expect(':')
		found := indexMember(members, key, at)
		switch {
		case p.odd:
		case found < 0:
			p.skip(0)
		case seen&(1<<found) != 0:
			p.odd = true
		default:
			seen |= 1 << found
			at = found + 1
			members[found].read(p, v)
		}
	}
}

// indexMember looks for a key from where it is expected, which is right behind
// the last one.
func indexMember[T any](members []member[T], key []byte, at int) int {
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
func (p *parser) key() []byte {
	p.expect('"')
	start := p.i
	for i := start; i < len(p.b); i++ {
		switch c := p.b[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_':
		case c == '"':
			p.i = i + 1
			return p.b[start:i]
		default:
			p.odd = true
			return nil
		}
	}
	p.odd = true
	return nil
}

func readList[V any](p *parser, read func(*parser, *V)) []V {
	p.expect('[')
	list := []V{}
	if p.odd || p.empty(']') {
		return list
	}
	for more := true; more && !p.odd; more = p.more(']') {
		var none V
		list = append(list, none)
		read(p, &list[len(list)-1])
	}
	return list
}

func readMap[V any](p *parser, read func(*parser, *V)) map[string]V {
	p.expect('{')
	m := map[string]V{}
	if p.odd || p.empty('}') {
		return m
	}
	for more := true; more && !p.odd; more = p.more('}') {
		var v V
		key := p.term()
		p.expect(':')
		read(p, &v)
		m[key] = v
	}
	return m
}

func (p *parser) flag() bool {
	switch p.peek() {
	case 't':
		p.literal("true")
		return true
	case 'f':
		p.literal("false")
		return false
	}
	p.odd = true
	return false
}

func (p *parser) literal(word string) {
	if len(p.b)-p.i < len(word) || string(p.b[p.i:p.i+len(word)]) != word {
		p.odd = true
		return
	}
	p.i += len(word)
}

// deepest is how deep a value that is skipped may be nested.
const deepest = 100

// skip takes a value that nobody wants, if it is JSON.
func (p *parser) skip(depth int) {
	switch c := p.peek(); c {
	case '{':
		p.i++
		p.skipObject(depth)
	case '[':
		p.i++
		p.skipList(depth)
	case '"':
		p.text()
	case 't', 'f':
		p.flag()
	case 'n':
		p.literal("null")
	default:
		p.real()
	}
}

func (p *parser) skipObject(depth int) {
	if p.odd = p.odd || depth == deepest; p.odd || p.empty('}') {
		return
	}
	for more := true; more && !p.odd; more = p.more('}') {
		p.text()
		p.expect(':')
		p.skip(depth + 1)
	}
}

func (p *parser) skipList(depth int) {
	if p.odd = p.odd || depth == deepest; p.odd || p.empty(']') {
		return
	}
	for more := true; more && !p.odd; more = p.more(']') {
		p.skip(depth + 1)
	}
}

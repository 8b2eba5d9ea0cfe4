package native

import (
	"strconv"
	"unicode/utf8"

	"tribunal/internal/jsontext"
)

type kind byte

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindObject
	kindArray
)

// String returns the kind for messages.
func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an object", "an array"}[k]
}

// value is a value of a record. text is the content of a string, or the JSON of another
// value, in memory that the next line reuses.
type value struct {
	kind kind
	at   int // offset of its first byte in the line
	text string
}

// fault is an error in a line, at an offset, which is the length of a line that ends too
// early.
type fault struct {
	at     int
	reason string
}

// maxDepth is the deepest nesting of values, as in encoding/json.
const maxDepth = 10000

// memoryKept is the most memory that is kept from line to line.
const memoryKept = 4 << 20

// scanner reads the JSON of one line. Its first fault stops it.
type scanner struct {
	line   []byte
	pos    int
	fault  fault
	failed bool
	buf    []byte // the strings of this line that had escapes
	depth  int    // open brackets
}

func (s *scanner) reset(line []byte) {
	if cap(s.buf) > memoryKept {
		s.buf = nil
	}
	s.line, s.pos, s.failed, s.buf, s.depth = line, 0, false, s.buf[:0], 0
}

func (s *scanner) fail(at int, reason string) {
	if !s.failed {
		s.fault, s.failed = fault{at: at, reason: reason}, true
	}
}

// expected fails at the current byte.
func (s *scanner) expected(what string) {
	if s.pos >= len(s.line) {
		s.fail(len(s.line), "the line ends where "+what+" is expected")
		return
	}
	s.fail(s.pos, "found "+show(s.line[s.pos:])+" where "+what+" is expected")
}

// space skips blanks and returns the next byte, or 0 at the end of the line.
func (s *scanner) space() byte {
	for s.pos < len(s.line) {
		switch c := s.line[s.pos]; c {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) value() value {
	v := value{at: s.pos}
	c := s.space()
	v.at = s.pos
	switch {
	case c == '"':
		v.kind, v.text = kindString, s.str()
		return v
	case c == '-' || '0' <= c && c <= '9':
		v.kind = kindNumber
		s.skipNumber()
	case c == 't':
		v.kind = kindBool
		s.literal("true")
	case c == 'f':
		v.kind = kindBool
		s.literal("false")
	case c == 'n':
		s.literal("null")
	case c == '{':
		v.kind = kindObject
		s.nested()
	case c == '[':
		v.kind = kindArray
		s.nested()
	default:
		s.expected("a value")
	}
	v.text = jsontext.InPlace(s.line[v.at:s.pos])
	return v
}

func (s *scanner) literal(word string) {
	for i := range len(word) {
		if s.pos >= len(s.line) || s.line[s.pos] != word[i] {
			s.expected("the rest of " + word)
			return
		}
		s.pos++
	}
}

// skipNumber skips a number. If something else follows it, the next comma or bracket fails.
func (s *scanner) skipNumber() {
	if s.line[s.pos] == '-' {
		s.pos++
	}
	if s.pos < len(s.line) && s.line[s.pos] == '0' {
		s.pos++
	} else {
		s.digits()
	}
	if s.pos < len(s.line) && s.line[s.pos] == '.' {
		s.pos++
		s.digits()
	}
	if s.pos < len(s.line) && s.line[s.pos]|0x20 == 'e' {
		s.pos++
		if s.pos < len(s.line) && (s.line[s.pos] == '+' || s.line[s.pos] == '-') {
			s.pos++
		}
		s.digits()
	}
}

func (s *scanner) digits() {
	start := s.pos
	for s.pos < len(s.line) && '0' <= s.line[s.pos] && s.line[s.pos] <= '9' {
		s.pos++
	}
	if s.pos == start {
		s.expected("a digit")
	}
}

// str reads the string at the current byte, an opening quote. A string without escapes is
// not copied.
func (s *scanner) str() string {
	start := s.pos + 1
	if s.pass(); s.failed {
		return ""
	}
	inside := s.line[start : s.pos-1]
	if jsontext.IsPlain(inside) {
		return jsontext.InPlace(inside)
	}
	mark := len(s.buf)
	s.buf = jsontext.Repair(jsontext.Append(s.buf, inside), mark)
	return jsontext.InPlace(s.buf[mark:])
}

func (s *scanner) pass() {
	for s.pos++; !s.failed; {
		s.pos = jsontext.Plain(s.line, s.pos)
		switch {
		case s.pos >= len(s.line):
			s.fail(len(s.line), "the line ends in the middle of a string")
		case s.line[s.pos] == '"':
			s.pos++
			return
		case s.line[s.pos] == '\\':
			s.escape()
		default:
			s.fail(s.pos, "the control character "+show(s.line[s.pos:])+" stands unescaped in a string")
		}
	}
}

func (s *scanner) escape() {
	s.pos++
	switch {
	case s.pos >= len(s.line):
		s.fail(len(s.line), "the line ends in the middle of a string")
	case s.line[s.pos] == 'u':
		s.pos++
		for end := s.pos + 4; s.pos < end; s.pos++ {
			if s.pos >= len(s.line) || !jsontext.IsHex(s.line[s.pos]) {
				s.expected(`one of four hexadecimal digits behind \u`)
				return
			}
		}
	case jsontext.Escapes[s.line[s.pos]] == 0:
		s.fail(s.pos, `a backslash is followed by `+show(s.line[s.pos:])+`, which is not one of " \ / b f n r t u`)
	default:
		s.pos++
	}
}

// show returns the first character of b for messages.
func show(b []byte) string {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		return "byte 0x" + strconv.FormatUint(uint64(b[0]), 16)
	}
	return strconv.QuoteRune(r)
}

// nested skips the object or array at the current byte. If it is not JSON, or deep, it finds
// the error.
func (s *scanner) nested() {
	if s.depth == 1 {
		if end := (&jsontext.Part{B: s.line}).Valid(s.pos); end >= 0 {
			s.pos = end
			return
		}
	}
	if s.line[s.pos] == '{' {
		s.members(func(string, int) { s.value() })
		return
	}
	s.list(func() { s.value() })
}

// list calls each to read every member or element of the object or array at the current
// byte.
func (s *scanner) list(each func()) {
	closing := s.line[s.pos] + 2 // { and }, [ and ] are two apart
	if s.depth++; s.depth > maxDepth {
		s.fail(s.pos, "values are nested more than 10000 deep")
		return
	}
	s.pos++
	for first := true; !s.failed; first = false {
		if s.space() == closing {
			s.pos++
			s.depth--
			return
		}
		if !first {
			s.comma(closing)
		}
		if !s.failed {
			each()
		}
	}
}

func (s *scanner) comma(closing byte) {
	if s.space() != ',' {
		s.expected("a comma or " + string(rune(closing)))
		return
	}
	s.pos++
	if s.space() == closing {
		s.fail(s.pos, "remove the comma before "+string(rune(closing)))
	}
}

// members calls each, after the colon, to read the value of every member of the object at
// the current byte.
func (s *scanner) members(each func(key string, at int)) {
	s.list(func() {
		s.space()
		at := s.pos
		if key := s.key(); !s.failed {
			each(key, at)
		}
	})
}

func (s *scanner) key() string {
	if s.space() != '"' {
		s.expected("a key in double quotes")
		return ""
	}
	name := s.str()
	if s.failed {
		return ""
	}
	if s.space() != ':' {
		s.expected("a colon behind the key")
		return ""
	}
	s.pos++
	return name
}

// Syntax says what is wrong with a text that is not JSON, and at which byte.
func Syntax(text []byte) (reason string, at int) {
	s := &scanner{line: text}
	for s.space() != 0 && !s.failed {
		s.value()
	}
	return s.fault.reason, s.fault.at
}

package native

import "tribunal/internal/jsontext"

// kind is what a JSON value is.
type kind byte

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindObject
	kindArray
)

// String is the kind as people call it.
func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an object", "an array"}[k]
}

// value is one value of a record. text is the content of a string, and the
// JSON text of anything else. It lies in memory that the next line reuses.
type value struct {
	kind kind
	at   int // offset of its first byte in the line
	text string
}

// fault is what is wrong with a line, and where: an offset in the line, which
// is its length when the line ends too early.
type fault struct {
	at     int
	reason string
}

// maxDepth is how deep values may be nested, the same as in encoding/json.
const maxDepth = 10000

// memoryKept is how much memory is kept from line to line: one huge line is no
// reason to stay huge.
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

// space passes over blanks and returns the byte behind them, 0 at the end of
// the line.
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

// value reads one value of any kind.
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
		s.number()
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

// number passes over a number. What may not follow it fails later, where a
// comma or a bracket is due.
func (s *scanner) number() {
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

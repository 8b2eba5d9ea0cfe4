package jsontext

import (
	"bytes"
	"iter"
)

// Member is one member of an object: its key in quotes and its value.
type Member struct{ Key, Raw []byte }

// Name is the key.
func (m Member) Name() string { return Unquote(m.Key) }

// Is reports whether the key is a name, which has no backslash. Escapes are longer than
// what they stand for.
func (m Member) Is(name string) bool {
	inside := m.Key[1 : len(m.Key)-1]
	if len(inside) <= len(name) {
		return string(inside) == name
	}
	if name == "" || inside[0] != name[0] && inside[0] != '\\' { // as good as always
		return false
	}
	return bytes.IndexByte(inside, '\\') >= 0 && m.Name() == name
}

// Part is JSON to go through. Where its strings end is looked for, or known where
// the text it is a part of is marked.
type Part struct {
	B     []byte
	Marks *Text // nil where there are none
	At    int   // where B begins in what is marked
	Noted bool  // whether Valid notes where objects and arrays end, for Members and Elements
}

// PartOf is a part of a text that is marked, or of one that is not: m is nil.
func PartOf(b []byte, m *Text) Part {
	if m == nil {
		return Part{B: b}
	}
	return Part{B: b, Marks: m, At: m.Offset(b)}
}

// Members are the members of a valid object, none for anything else.
func Members(b []byte, m *Text) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		if len(b) == 0 || b[0] != '{' {
			return
		}
		s := PartOf(b, m)
		for i := Blanks(b, 1); b[i] != '}'; {
			end := s.pass(i)
			m := Member{Key: b[i:end]}
			i = Blanks(b, Blanks(b, end)+1)
			end = s.pass(i)
			m.Raw = b[i:end]
			if !yield(m) {
				return
			}
			i = next(b, end)
		}
	}
}

// Elements are the elements of a valid array, none for anything else.
func Elements(b []byte, m *Text) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(b) == 0 || b[0] != '[' {
			return
		}
		s := PartOf(b, m)
		for i := Blanks(b, 1); b[i] != ']'; {
			end := s.pass(i)
			if !yield(b[i:end]) {
				return
			}
			i = next(b, end)
		}
	}
}

// next is where the next member begins, or the closing bracket.
func next(b []byte, i int) int {
	if i = Blanks(b, i); b[i] == ',' {
		i = Blanks(b, i+1)
	}
	return i
}

// Blanks is behind the blanks that begin at i.
func Blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// pass is the end of the valid value that begins at i.
func (s *Part) pass(i int) int {
	b := s.B
	if s.Marks != nil && (b[i] == '{' || b[i] == '[') {
		if end := s.Marks.behind(s.At + i); end > 0 {
			return end - s.At
		}
	}
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = s.passText(i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
			continue // inside an object or array
		default:
			for i < len(b) && IsWord(b[i]) {
				i++
			}
		}
		if depth == 0 {
			break
		}
		if i >= len(b) {
			break
		}
	}
	return i
}

// passText is the end of the valid string that begins at i.
func (s *Part) passText(i int) int {
	if s.Marks != nil {
		return s.Marks.Next(s.At+i+1) - s.At + 1
	}
	for i++; ; {
		if i = Plain(s.B, i); s.B[i] == '"' {
			return i + 1
		}
		i += 2 // a backslash and what it escapes
	}
}

// IsWord reports a byte of numbers and words.
func IsWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'
}

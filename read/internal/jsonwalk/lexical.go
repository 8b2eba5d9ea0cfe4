package jsonwalk

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"tribunal/read/internal/jsonstrings"
)

// member is one member of an object: its key in quotes and its value.
type member struct{ key, raw []byte }

func (m member) name() string { return unquote(m.key) }

// is reports whether the key is a name, which has no backslash. Escapes are longer than
// what they stand for.
func (m member) is(name string) bool {
	inside := m.key[1 : len(m.key)-1]
	if len(inside) <= len(name) {
		return string(inside) == name
	}
	if name == "" || inside[0] != name[0] && inside[0] != '\\' { // as good as always
		return false
	}
	return bytes.IndexByte(inside, '\\') >= 0 && m.name() == name
}

// unquote is the text of a valid JSON string. Most have no escapes but those of
// line ends and quotes; what is rarer is left to encoding/json.
func unquote(quoted []byte) string {
	inside := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside)
	}
	if s, ok := unescaped(inside); ok {
		return s
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // it is valid
	return s
}

// unescaped resolves the escapes of one letter and those of characters that are no
// half of a pair.
func unescaped(inside []byte) (s string, ok bool) {
	out := make([]byte, 0, len(inside))
	for {
		at := jsonstrings.Plain(inside, 0)
		out = append(out, inside[:at]...)
		if at == len(inside) {
			break
		}
		c := jsonstrings.Escapes[inside[at+1]]
		if inside = inside[at+2:]; c != 0 {
			out = append(out, c)
			continue
		}
		n, err := strconv.ParseUint(string(inside[:4]), 16, 16)
		if err != nil || utf16.IsSurrogate(rune(n)) {
			return "", false
		}
		out, inside = utf8.AppendRune(out, rune(n)), inside[4:]
	}
	return unsafe.String(unsafe.SliceData(out), len(out)), utf8.Valid(out) // nobody else has these bytes
}

// stretch is JSON to go through. Where its strings end is looked for, or known where
// the text it is a part of is marked.
type stretch struct {
	b     []byte
	marks *Marked // nil where there are none
	at    int     // where b begins in what is marked
	noted bool    // whether valid notes where objects and arrays end, for pass
}

// stretchOf is a part of a text that is marked, or of one that is not: m is nil.
func stretchOf(b []byte, m *Marked) stretch {
	if m == nil {
		return stretch{b: b}
	}
	return stretch{b: b, marks: m, at: m.offset(b)}
}

// members are the members of a valid object, none for anything else.
func members(b []byte, m *Marked) iter.Seq[member] {
	return func(yield func(member) bool) {
		if len(b) == 0 || b[0] != '{' {
			return
		}
		s := stretchOf(b, m)
		for i := blanks(b, 1); b[i] != '}'; {
			end := s.pass(i)
			m := member{key: b[i:end]}
			i = blanks(b, blanks(b, end)+1)
			end = s.pass(i)
			m.raw = b[i:end]
			if !yield(m) {
				return
			}
			i = next(b, end)
		}
	}
}

// elements are the elements of a valid array, none for anything else.
func elements(b []byte, m *Marked) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(b) == 0 || b[0] != '[' {
			return
		}
		s := stretchOf(b, m)
		for i := blanks(b, 1); b[i] != ']'; {
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
	if i = blanks(b, i); b[i] == ',' {
		i = blanks(b, i+1)
	}
	return i
}

func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// pass is the end of the valid value that begins at i.
func (s *stretch) pass(i int) int {
	b := s.b
	if s.marks != nil && (b[i] == '{' || b[i] == '[') {
		if end := s.marks.behind(s.at + i); end > 0 {
			return end - s.at
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
			for i < len(b) && isWord(b[i]) {
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
func (s *stretch) passText(i int) int {
	if s.marks != nil {
		return s.marks.Next(s.at+i+1) - s.at + 1
	}
	for i++; ; {
		if i = jsonstrings.Plain(s.b, i); s.b[i] == '"' {
			return i + 1
		}
		i += 2 // a backslash and what it escapes
	}
}

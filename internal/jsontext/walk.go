package jsontext

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
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

// Part is JSON to go through.
type Part struct {
	B     []byte
	Marks *Text // nil where there are none
	At    int   // where B begins in what is marked
	Noted bool  // whether Valid notes where objects and arrays end, for Members and Elements
	Keys  *Keys // makes a key wrong that an object has twice, where it is not nil
	// Longest is how many digits in a row are taken, 0 for any number of them.
	Longest int
	// Wrong is where the text was found to be no JSON, which is its length where it ends too
	// early, and Reason says why.
	Wrong  int
	Reason string
	key    []byte // the one that Key took last
	around int    // brackets around what is looked at
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

// Kind is the first byte of a value, '0' for a number, 't' for true and false; 0 for null and
// what is no value.
func Kind(raw []byte) byte {
	if len(raw) == 0 {
		return 0
	}
	switch c := raw[0]; {
	case c == '-' || '0' <= c && c <= '9':
		return '0'
	case c == 'f':
		return 't'
	case c == '"' || c == '{' || c == '[' || c == 't':
		return c
	}
	return 0
}

// KindName is a kind in words.
func KindName(kind byte) string {
	return cmp.Or(map[byte]string{'{': "an object", '[': "an array", '"': "a string", '0': "a number", 't': "a boolean"}[kind], "null")
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
	}
	return i
}

// passText is the end of the valid string that begins at i.
func (s *Part) passText(i int) int {
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

// Escapes maps the letter behind a backslash to the character it means, and
// others to 0; u has digits behind it.
var Escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// Append appends what a valid string says, given what is between its quotes. Half a
// surrogate pair is U+FFFD; bytes that are no UTF-8 stay as they are, see Repair.
func Append(to, inside []byte) []byte {
	to = slices.Grow(to, len(inside)) // no escape is shorter than what it means
	for {
		at := Plain(inside, 0)
		to = append(to, inside[:at]...)
		if at == len(inside) {
			return to
		}
		if c := Escapes[inside[at+1]]; c != 0 {
			to, inside = append(to, c), inside[at+2:]
			continue
		}
		r, size := codePoint(inside[at:])
		to, inside = utf8.AppendRune(to, r), inside[at+size:]
	}
}

// codePoint reads the escape with four digits that a text begins with, and the second
// half of a surrogate pair with it.
func codePoint(text []byte) (r rune, size int) {
	r, size = hex(text[2:6]), 6
	if !utf16.IsSurrogate(r) {
		return r, size
	}
	if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if both := utf16.DecodeRune(r, hex(text[8:12])); both != utf8.RuneError {
			return both, 12
		}
	}
	return utf8.RuneError, size
}

var digits = func() (value [256]uint8) {
	for i, c := range "0123456789abcdef" {
		value[c] = uint8(i)
	}
	for i, c := range "ABCDEF" {
		value[c] = uint8(10 + i)
	}
	return value
}()

// IsHex reports a hexadecimal digit.
func IsHex(c byte) bool { return digits[c] != 0 || c == '0' }

func hex(four []byte) rune {
	return rune(digits[four[0]])<<12 | rune(digits[four[1]])<<8 | rune(digits[four[2]])<<4 | rune(digits[four[3]])
}

// Repair puts U+FFFD where a byte from begin on is no UTF-8: one for each, as
// encoding/json does.
func Repair(text []byte, begin int) []byte {
	if utf8.Valid(text[begin:]) {
		return text
	}
	to := text[:begin]
	for rest := bytes.Clone(text[begin:]); len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		to, rest = utf8.AppendRune(to, r), rest[size:]
	}
	return to
}

// Unquote is what a valid string says, in memory of its own.
func Unquote(quoted []byte) string {
	inside := quoted[1 : len(quoted)-1]
	if IsPlain(inside) {
		return string(inside)
	}
	return InPlace(Repair(Append(nil, inside), 0))
}

// Said is memory for what strings say, which is used again after Reset.
type Said struct{ text []byte }

// Copy is what a valid string says, given what is between its quotes.
func (s *Said) Copy(inside []byte) string {
	mark := len(s.text)
	s.text = Repair(Append(s.text, inside), mark)
	return InPlace(s.text[mark:])
}

// Text is Copy, or what is between the quotes itself where that is what the string says.
func (s *Said) Text(inside []byte) string {
	if IsPlain(inside) {
		return InPlace(inside)
	}
	return s.Copy(inside)
}

// FirstLine is Text up to some blank behind its first line.
func (s *Said) FirstLine(inside []byte) string {
	for n := 256; n < len(inside); n *= 4 {
		blank := bytes.IndexByte(inside[n:], ' ') // neither in an escape nor in a character
		if blank < 0 {
			break
		}
		if text := s.Text(inside[:n+blank]); strings.IndexByte(text, '\n') >= 0 {
			return text
		}
	}
	return s.Text(inside)
}

// Reset forgets what strings said.
func (s *Said) Reset() {
	const most = 4 << 20 // one long text is no reason to keep so much
	if cap(s.text) > most {
		s.text = nil
	}
	s.text = s.text[:0]
}

// IsPlain reports whether what is between the quotes of a valid string is what it says.
func IsPlain(inside []byte) bool { return bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) }

// InPlace is text without copying: it changes when the bytes do.
func InPlace(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// Bytes are those of a text without copying: they must stay as they are.
func Bytes(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

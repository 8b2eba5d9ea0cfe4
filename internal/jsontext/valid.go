package jsontext

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Valid reports whether a text is JSON, as json.Valid does. Of conversations it takes a
// third of the time of json.Valid (BenchmarkValid).
func Valid(b []byte) bool {
	s := Part{B: b}
	end := s.Valid(0)
	return end >= 0 && Blanks(b, end) == len(b)
}

// Valid is behind the value that begins at i, or at blanks before it; -1 where what
// begins there is no JSON, or not all of it, and Wrong says why.
func (s *Part) Valid(i int) (end int) {
	open := brackets{depth: s.around, first: s.around}
	if s.Noted {
		s.Marks.spans = s.Marks.spans[:0]
	}
	for more := true; more; {
		if i = Blanks(s.B, i); i >= len(s.B) {
			return s.expected(i, "a value")
		}
		filled := false
		if c := s.B[i]; c == '{' || c == '[' {
			i, filled = s.opens(i, &open)
		} else {
			i = s.scalar(i)
		}
		if i < 0 {
			return -1
		}
		if !filled {
			i, more = s.closes(i, &open)
		}
	}
	return i
}

// Members calls member with each member of the object at i: its key in quotes, and where
// its value begins and ends. The end is -1 of the last one where it goes wrong. Members is
// behind the object, or -1.
func (s *Part) Members(i int, member func(key []byte, begin, end int)) (end int) {
	open := brackets{depth: s.around, first: s.around}
	i, filled := s.opens(i, &open)
	s.around++
	for i >= 0 && filled {
		key, begin := s.key, Blanks(s.B, i)
		end := s.Valid(begin)
		if member(key, begin, end); end < 0 {
			return -1
		}
		i, filled = s.closes(end, &open)
	}
	if s.around--; i >= 0 && open.depth > s.around { // an object without members
		i, _ = s.closes(i, &open)
	}
	return i
}

type brackets struct {
	objects      [16]uint64 // a bit for each: whether it is one of an object
	deep         []uint64   // those of more brackets
	depth, first int        // how many there are, and how many of them are around what is looked at
	noted        int32      // the number of the innermost among the marks
}

func (o *brackets) word(depth int) (word *uint64, bit uint64) {
	i := depth / 64
	if bit = 1 << (depth % 64); i < len(o.objects) {
		return &o.objects[i], bit
	}
	if i -= len(o.objects); i == len(o.deep) {
		o.deep = append(o.deep, 0)
	}
	return &o.deep[i], bit
}

func (o *brackets) inObject() bool {
	word, bit := o.word(o.depth - 1)
	return *word&bit != 0
}

// opens takes the bracket at i, and the first key of an object. It is filled where a value
// comes next, and not its end.
func (s *Part) opens(i int, open *brackets) (next int, filled bool) {
	if open.depth == Deepest {
		return s.fail(i, "values are nested more than 10000 deep"), false
	}
	if s.Noted {
		open.noted = s.Marks.open(s.At+i, open.noted)
	}
	object := s.B[i] == '{'
	word, bit := open.word(open.depth)
	open.depth++
	i = Blanks(s.B, i+1)
	if !object {
		*word &^= bit
		return i, i >= len(s.B) || s.B[i] != ']'
	}
	*word |= bit
	if s.Keys != nil {
		s.Keys.met = append(s.Keys.met, nil)
	}
	if i < len(s.B) && s.B[i] == '}' {
		return i, false
	}
	return s.Key(i), true
}

// scalar is behind the text, word or number at i, or -1.
func (s *Part) scalar(i int) int {
	switch s.B[i] {
	case '"':
		return s.String(i)
	case 't':
		return s.word(i, "true")
	case 'f':
		return s.word(i, "false")
	case 'n':
		return s.word(i, "null")
	}
	return s.number(i)
}

// closes takes the brackets that close behind a value, and the comma with the key that
// more follows. Where there is none, next is the end of all, or -1.
func (s *Part) closes(i int, open *brackets) (next int, more bool) {
	b := s.B
	for open.depth > open.first {
		inObject, closing := open.inObject(), byte(']')
		if inObject {
			closing = '}'
		}
		if i = Blanks(b, i); i >= len(b) {
			return s.expected(i, "a comma or "+string(closing)), false
		}
		switch c := b[i]; {
		case c == closing:
			if inObject && s.Keys != nil {
				if again := s.Keys.end(); again != nil {
					return s.fail(cap(b)-cap(again), Again(Unquote(again))), false
				}
			}
			i, open.depth = i+1, open.depth-1
			if s.Noted {
				open.noted = s.Marks.close(s.At+i, open.noted)
			}
			continue
		case c != ',':
			return s.expected(i, "a comma or "+string(closing)), false
		}
		if i = Blanks(b, i+1); i < len(b) && b[i] == closing {
			return s.fail(i, "remove the comma before "+string(closing)), false
		}
		if inObject {
			i = s.Key(i)
		}
		return i, i >= 0
	}
	return i, false
}

// Keys are those of the objects that are open, with nil where one begins.
type Keys struct{ met [][]byte }

// Again says that an object has a key twice: one value may be red, the other one green.
func Again(key string) string {
	return fmt.Sprintf("%.60q is given more than once: keep the right one", key)
}

// end takes the keys of the innermost object, and returns one that it has twice, nil where it has none.
func (k *Keys) end() (again []byte) {
	begin := len(k.met)
	for k.met[begin-1] != nil {
		begin--
	}
	all := k.met[begin:]
	k.met = k.met[:begin-1]
	few, seen := len(all) <= 64, uint64(0)
	for i, key := range all {
		few = few && bytes.IndexByte(key, '\\') < 0
		bit := uint64(1) << ((len(key) ^ int(key[1])<<2 ^ int(key[len(key)-2])) % 64)
		if few && seen&bit != 0 && slices.ContainsFunc(all[:i], func(other []byte) bool { return bytes.Equal(other, key) }) {
			return key
		}
		seen |= bit
	}
	if few {
		return nil
	}
	names := make(map[string]bool, len(all))
	for i, key := range all {
		if names[Unquote(key)] = true; len(names) == i { // it was there
			return key
		}
	}
	return nil
}

// Deepest is how many brackets may be open, as in encoding/json.
const Deepest = 10000

// Key is behind the colon of the member that begins at i, or -1.
func (s *Part) Key(i int) int {
	b := s.B
	if i >= len(b) || b[i] != '"' {
		return s.expected(i, "a key in double quotes")
	}
	end := s.String(i)
	if end < 0 {
		return -1
	}
	if s.key = b[i:end]; s.Keys != nil {
		s.Keys.met = append(s.Keys.met, s.key)
	}
	if i = Blanks(b, end); i >= len(b) || b[i] != ':' {
		return s.expected(i, "a colon behind the key")
	}
	return i + 1
}

// String is behind the string that begins at i, or -1.
func (s *Part) String(i int) int {
	b := s.B
	for i++; ; {
		i = Plain(b, i)
		switch {
		case i >= len(b):
			return s.fail(len(b), "the line ends in the middle of a string")
		case b[i] == '"':
			return i + 1
		case b[i] < ' ':
			return s.fail(i, "the control character "+show(b[i:])+" is not escaped in a string")
		}
		if i++; i < len(b) && Escapes[b[i]] != 0 {
			i++
		} else if i = s.unicodeEscape(i); i < 0 {
			return -1
		}
	}
}

// unicodeEscape is behind the u at i and its four digits, or -1.
func (s *Part) unicodeEscape(i int) int {
	b := s.B
	switch {
	case i >= len(b):
		return s.fail(i, "the line ends in the middle of a string")
	case b[i] != 'u':
		return s.fail(i, `a backslash is followed by `+show(b[i:])+`, which is not one of " \ / b f n r t u`)
	}
	i++
	for end := i + 4; i < end; i++ {
		if i >= len(b) || !IsHex(b[i]) {
			return s.expected(i, `one of four hexadecimal digits behind \u`)
		}
	}
	return i
}

// Word is behind the word that begins at i, or -1.
func Word(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func (s *Part) word(i int, word string) int {
	for k := range len(word) {
		if i+k >= len(s.B) || s.B[i+k] != word[k] {
			return s.expected(i+k, "the rest of "+word)
		}
	}
	return i + len(word)
}

// number is behind the number that begins at i, or -1. What else follows it is for the
// next comma or bracket.
func (s *Part) number(i int) int {
	b := s.B
	switch {
	case b[i] == '-':
		i++
	case b[i] < '0' || b[i] > '9':
		return s.expected(i, "a value")
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = s.digits(i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = s.digits(i + 1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i = s.digits(i)
	}
	return i
}

// digits is behind the digits that begin at i, or -1 when there is none.
func (s *Part) digits(i int) int {
	begin := i
	for i < len(s.B) && '0' <= s.B[i] && s.B[i] <= '9' {
		i++
	}
	if i == begin {
		return s.expected(i, "a digit")
	}
	if s.Longest > 0 && i-begin > s.Longest {
		return s.fail(begin, "") // the caller that set the limit reports it
	}
	return i
}

func (s *Part) fail(at int, reason string) int {
	if s.Wrong, s.Reason = at, reason; s.Keys != nil {
		s.Keys.met = s.Keys.met[:0]
	}
	return -1
}

func (s *Part) expected(at int, what string) int {
	if at >= len(s.B) {
		return s.fail(len(s.B), "the line ends where "+what+" is expected")
	}
	return s.fail(at, "found "+show(s.B[at:])+" where "+what+" is expected")
}

// Ends reports whether nothing follows i but blanks.
func (s *Part) Ends(i int) bool {
	if i = Blanks(s.B, i); i < len(s.B) {
		s.expected(i, "the end of the line (one record a line)")
	}
	return i == len(s.B)
}

func show(b []byte) string {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		return "byte 0x" + strconv.FormatUint(uint64(b[0]), 16)
	}
	return strconv.QuoteRune(r)
}

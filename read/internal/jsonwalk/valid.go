package jsonwalk

import "tribunal/read/internal/jsonstrings"

// valid reports that a text is JSON, which json.Valid says of it as well. It may say
// no of what is: of values that are nested deeper than it looks, and of numbers with more
// digits. Of conversations it takes a third of the time of json.Valid (BenchmarkValid).
func valid(b []byte) bool {
	s := stretch{b: b}
	end := s.valid(0)
	return end >= 0 && blanks(b, end) == len(b)
}

// valid is behind the value that begins at i, or at blanks before it; -1 where what
// begins there is no JSON, or not all of it.
func (s *stretch) valid(i int) (end int) {
	var open brackets
	for more := true; more; {
		if i = blanks(s.b, i); i >= len(s.b) {
			return -1
		}
		filled := false
		if c := s.b[i]; c == '{' || c == '[' {
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

// brackets are those that are open.
type brackets struct {
	objects [deepestSeen/64 + 1]uint64 // a bit for each: whether it is one of an object
	depth   int
	noted   int32 // the number of the innermost among the marks
}

// inObject says whether the innermost is one of an object.
func (o *brackets) inObject() bool { return o.objects[(o.depth-1)/64]>>((o.depth-1)%64)&1 == 1 }

// opens takes the bracket at i, and the first key of an object. It is filled where a value
// comes next, and not its end.
func (s *stretch) opens(i int, open *brackets) (next int, filled bool) {
	if open.depth == deepestSeen {
		return -1, false
	}
	if s.noted {
		open.noted = s.marks.open(s.at+i, open.noted)
	}
	object := s.b[i] == '{'
	word, bit := open.depth/64, uint64(1)<<(open.depth%64)
	open.depth++
	if i = blanks(s.b, i+1); i >= len(s.b) {
		return -1, false
	}
	if !object {
		open.objects[word] &^= bit
		return i, s.b[i] != ']'
	}
	open.objects[word] |= bit
	if s.b[i] == '}' {
		return i, false
	}
	return s.validKey(i), true
}

// scalar is behind the text, word or number at i, or -1.
func (s *stretch) scalar(i int) int {
	switch s.b[i] {
	case '"':
		return s.validText(i)
	case 't':
		return validWord(s.b, i, "true")
	case 'f':
		return validWord(s.b, i, "false")
	case 'n':
		return validWord(s.b, i, "null")
	}
	return validNumber(s.b, i)
}

// closes takes the brackets that close behind a value, and the comma with the key that
// more follows. Where there is none, next is the end of all, or -1.
func (s *stretch) closes(i int, open *brackets) (next int, more bool) {
	b := s.b
	for open.depth > 0 {
		if i = blanks(b, i); i >= len(b) {
			return -1, false
		}
		inObject := open.inObject()
		switch c := b[i]; {
		case c == '}' && inObject, c == ']' && !inObject:
			i, open.depth = i+1, open.depth-1
			if s.noted {
				open.noted = s.marks.close(s.at+i, open.noted)
			}
		case c != ',':
			return -1, false
		case inObject:
			i = s.validKey(blanks(b, i+1))
			return i, i >= 0
		default:
			return i + 1, true
		}
	}
	return i, false
}

// deepestSeen is how deep valid looks; encoding/json reads ten times as deep.
const deepestSeen = 1000

// validKey is behind the colon of the member that begins at i, or -1.
func (s *stretch) validKey(i int) int {
	b := s.b
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = s.validText(i); i < 0 {
		return -1
	}
	if i = blanks(b, i); i >= len(b) || b[i] != ':' {
		return -1
	}
	return i + 1
}

// validText is behind the string that begins at i, or -1.
func (s *stretch) validText(i int) int {
	b := s.b
	if s.marks != nil {
		if i = s.marks.Next(s.at+i+1) - s.at; i >= len(b) || b[i] != '"' {
			return -1
		}
		return i + 1
	}
	for i++; ; {
		i = jsonstrings.Plain(b, i)
		switch {
		case i >= len(b) || b[i] < ' ':
			return -1
		case b[i] == '"':
			return i + 1
		}
		if i++; i >= len(b) {
			return -1
		}
		switch b[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i++
		case 'u':
			if len(b)-i < 5 || !isHex(b[i+1]) || !isHex(b[i+2]) || !isHex(b[i+3]) || !isHex(b[i+4]) {
				return -1
			}
			i += 5
		default:
			return -1
		}
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// validWord is behind the word that begins at i, or -1.
func validWord(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// validNumber is behind the number that begins at i, or -1.
func validNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		if i = digits(b, i); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i = digits(b, i)
	}
	return i
}

// digits is behind the digits that begin at i, or -1 when there is none, or no end of them.
func digits(b []byte, i int) int {
	begin := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i == begin || i-begin > longestNumber {
		return -1
	}
	return i
}

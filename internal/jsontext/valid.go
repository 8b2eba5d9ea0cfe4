package jsontext

// Valid reports that a text is JSON, which json.Valid says of it as well. It may say
// no of what is: of values that are nested deeper than it looks, and of numbers with more
// digits. Of conversations it takes a third of the time of json.Valid (BenchmarkValid).
func Valid(b []byte) bool {
	s := Part{B: b}
	end := s.Valid(0)
	return end >= 0 && Blanks(b, end) == len(b)
}

// Valid is behind the value that begins at i, or at blanks before it; -1 where what
// begins there is no JSON, or not all of it.
func (s *Part) Valid(i int) (end int) {
	var open brackets
	if s.Noted {
		s.Marks.spans = s.Marks.spans[:0]
	}
	for more := true; more; {
		if i = Blanks(s.B, i); i >= len(s.B) {
			return -1
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

// brackets are those that are open.
type brackets struct {
	objects [Deepest/64 + 1]uint64 // a bit for each: whether it is one of an object
	depth   int
	noted   int32 // the number of the innermost among the marks
}

// inObject says whether the innermost is one of an object.
func (o *brackets) inObject() bool { return o.objects[(o.depth-1)/64]>>((o.depth-1)%64)&1 == 1 }

// opens takes the bracket at i, and the first key of an object. It is filled where a value
// comes next, and not its end.
func (s *Part) opens(i int, open *brackets) (next int, filled bool) {
	if open.depth == Deepest {
		return -1, false
	}
	if s.Noted {
		open.noted = s.Marks.open(s.At+i, open.noted)
	}
	object := s.B[i] == '{'
	word, bit := open.depth/64, uint64(1)<<(open.depth%64)
	open.depth++
	if i = Blanks(s.B, i+1); i >= len(s.B) {
		return -1, false
	}
	if !object {
		open.objects[word] &^= bit
		return i, s.B[i] != ']'
	}
	open.objects[word] |= bit
	if s.B[i] == '}' {
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
		return Word(s.B, i, "true")
	case 'f':
		return Word(s.B, i, "false")
	case 'n':
		return Word(s.B, i, "null")
	}
	return Number(s.B, i)
}

// closes takes the brackets that close behind a value, and the comma with the key that
// more follows. Where there is none, next is the end of all, or -1.
func (s *Part) closes(i int, open *brackets) (next int, more bool) {
	b := s.B
	for open.depth > 0 {
		if i = Blanks(b, i); i >= len(b) {
			return -1, false
		}
		inObject := open.inObject()
		switch c := b[i]; {
		case c == '}' && inObject, c == ']' && !inObject:
			i, open.depth = i+1, open.depth-1
			if s.Noted {
				open.noted = s.Marks.close(s.At+i, open.noted)
			}
		case c != ',':
			return -1, false
		case inObject:
			i = s.Key(Blanks(b, i+1))
			return i, i >= 0
		default:
			return i + 1, true
		}
	}
	return i, false
}

// Bounds of what Valid takes.
const (
	Deepest       = 1000    // open brackets; encoding/json reads ten times as deep
	LongestNumber = 1 << 10 // digits in a row
)

// Key is behind the colon of the member that begins at i, or -1.
func (s *Part) Key(i int) int {
	b := s.B
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = s.String(i); i < 0 {
		return -1
	}
	if i = Blanks(b, i); i >= len(b) || b[i] != ':' {
		return -1
	}
	return i + 1
}

// String is behind the string that begins at i, or -1.
func (s *Part) String(i int) int {
	b := s.B
	if s.Marks != nil {
		if i = s.Marks.Next(s.At+i+1) - s.At; i >= len(b) || b[i] != '"' {
			return -1
		}
		return i + 1
	}
	for i++; ; {
		i = Plain(b, i)
		switch {
		case i >= len(b) || b[i] < ' ':
			return -1
		case b[i] == '"':
			return i + 1
		}
		if i++; i >= len(b) {
			return -1
		}
		switch c := b[i]; {
		case Escapes[c] != 0:
			i++
		case c == 'u' && len(b)-i >= 5 && IsHex(b[i+1]) && IsHex(b[i+2]) && IsHex(b[i+3]) && IsHex(b[i+4]):
			i += 5
		default:
			return -1
		}
	}
}

// Word is behind the word that begins at i, or -1.
func Word(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// Number is behind the number that begins at i, or -1.
func Number(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		if i = digitsFrom(b, i); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = digitsFrom(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i = digitsFrom(b, i)
	}
	return i
}

// digitsFrom is behind the digits that begin at i, or -1 when there is none, or no end of them.
func digitsFrom(b []byte, i int) int {
	begin := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i == begin || i-begin > LongestNumber {
		return -1
	}
	return i
}

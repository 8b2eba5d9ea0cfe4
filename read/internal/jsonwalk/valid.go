package jsonwalk

import "tribunal/read/internal/jsonstrings"

// valid reports that a text is JSON, which json.Valid says of it as well. It may say
// no of what is: of values that are nested deeper than it looks, and of numbers with more
// digits. Of conversations it takes a sixth of the time of json.Valid (BenchmarkValid).
func valid(b []byte) bool {
	s := stretch{b: b}
	end := s.valid(0)
	return end >= 0 && blanks(b, end) == len(b)
}

// valid is behind the value that begins at i, or at blanks before it; -1 where what
// begins there is no JSON, or not all of it.
func (s *stretch) valid(i int) (end int) {
	var objects [deepestSeen/64 + 1]uint64 // a bit for each open bracket: whether it is one of an object
	b, depth, open := s.b, 0, int32(0)
	for {
		// A value, and before it what opens around it.
		i = blanks(b, i)
		if i >= len(b) {
			return -1
		}
		switch c := b[i]; c {
		case '{', '[':
			if depth == deepestSeen {
				return -1
			}
			if s.noted {
				open = s.marks.open(s.at+i, open)
			}
			word, bit := depth/64, uint64(1)<<(depth%64)
			if i, depth = blanks(b, i+1), depth+1; i >= len(b) {
				return -1
			}
			if c == '{' {
				objects[word] |= bit
				if b[i] != '}' {
					if i = s.validKey(i); i < 0 {
						return -1
					}
					continue
				}
			} else {
				objects[word] &^= bit
				if b[i] != ']' {
					continue
				}
			}
		case '"':
			if i = s.validText(i); i < 0 {
				return -1
			}
		case 't':
			i = validWord(b, i, "true")
		case 'f':
			i = validWord(b, i, "false")
		case 'n':
			i = validWord(b, i, "null")
		default:
			i = validNumber(b, i)
		}
		if i < 0 {
			return -1
		}
		// What closes behind it, and the comma that another value follows.
		for {
			if depth == 0 {
				return i
			}
			if i = blanks(b, i); i >= len(b) {
				return -1
			}
			inObject := objects[(depth-1)/64]>>((depth-1)%64)&1 == 1
			if c := b[i]; c == '}' && inObject || c == ']' && !inObject {
				if i, depth = i+1, depth-1; s.noted {
					open = s.marks.close(s.at+i, open)
				}
				continue
			} else if c != ',' {
				return -1
			}
			if i++; inObject {
				if i = s.validKey(blanks(b, i)); i < 0 {
					return -1
				}
			}
			break
		}
	}
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

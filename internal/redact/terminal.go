package redact

import "strings"

// findTerminal looks at the text without terminal sequences: colours, titles,
// links. A terminal, and every renderer, shows what stands on both sides of one
// as one word.
func (r *Redactor) findTerminal(s string, cut bool, depth int) {
	if strings.IndexByte(s, 0x1b) < 0 && !strings.Contains(s, "\u009b") && !strings.Contains(s, "\u009d") {
		return
	}
	v := &r.scratch[depth]
	v.reset()
	q := newSequences(s)
	for i := 0; i < len(s); {
		at, size := q.next(i)
		v.run(s, i, at)
		i = at + size
	}
	v.from(len(s))
	if len(v.text) < len(s) {
		r.through(s, v, cut, depth)
	}
}

// sequences goes through the terminal sequences of a text. Both bytes that may
// begin one are looked for only once, since either may be rare.
type sequences struct {
	text         string
	escape, wide int // where the next one may begin, with ESC and with U+0080 to U+00BF
}

func newSequences(s string) sequences {
	return sequences{s, nextByte(s, 0, 0x1b), nextByte(s, 0, 0xc2)}
}

// next is the first terminal sequence from i on, or the end of the text. The
// calls go forward.
func (q *sequences) next(i int) (at, size int) {
	for {
		if q.escape < i {
			q.escape = nextByte(q.text, i, 0x1b)
		}
		if q.wide < i {
			q.wide = nextByte(q.text, i, 0xc2)
		}
		at = min(q.escape, q.wide)
		if size = sequence(q.text[at:]); size > 0 || at == len(q.text) {
			return at, size
		}
		i = at + 1
	}
}

// nextByte is where c is from i on, or the length of s.
func nextByte(s string, i int, c byte) int {
	if at := strings.IndexByte(s[i:], c); at >= 0 {
		return i + at
	}
	return len(s)
}

// sequence is the length of the terminal sequence at the start of s, or 0. The
// characters U+0080 to U+009F stand for ESC and the one 0x40 below.
func sequence(s string) int {
	var kind byte
	switch {
	case len(s) < 2:
		return 0
	case s[0] == 0x1b:
		kind = s[1]
	case s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f:
		kind = s[1] - 0x40
	default:
		return 0
	}
	n := 2
	switch {
	case kind == '[':
		for n < len(s) && ' ' <= s[n] && s[n] <= '?' {
			n++
		}
		return min(n+1, len(s))
	case has("]PX^_", kind):
		return controlString(s)
	case s[0] == 0x1b && ' ' <= kind && kind <= '/':
		for n < len(s) && ' ' <= s[n] && s[n] <= '/' {
			n++
		}
		return min(n+1, len(s))
	}
	return n
}

// controlString is the length up to BEL or the string terminator. One that does
// not end on its line, or starts another, hides nothing but its introducer.
func controlString(s string) int {
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 0x07:
			return i + 1
		case c == 0x1b && i+1 < len(s) && s[i+1] == '\\', c == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		case c < ' ', c == 0xc2 && i+1 < len(s) && s[i+1] <= 0x9f:
			return 2
		}
	}
	return 2
}

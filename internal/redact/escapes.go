package redact

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// findEscaped looks at the text as it reads once the escapes of JSON and the
// character references of HTML in it are resolved.
func (r *Redactor) findEscaped(s string, cut bool, depth int) {
	if !strings.Contains(s, `\u`) && !holdsReference(s) {
		return
	}
	r.findResolved(s, cut, depth, func(i int) (at, size int, means []byte) {
		for ; i < len(s); i++ {
			if s[i] != '\\' && s[i] != '&' {
				continue
			}
			if c, size := escapedRune(s[i:]); size > 0 {
				return i, size, r.means[:utf8.EncodeRune(r.means[:], c)]
			}
		}
		return i, 0, nil
	})
}

// references are the named ones that every escaper of HTML and XML writes.
var references = []struct {
	name string
	c    rune
}{{"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}}

func namedReference(s string) (c rune, size int) {
	for _, r := range references {
		if strings.HasPrefix(s, r.name) {
			return r.c, len(r.name)
		}
	}
	return 0, 0
}

func holdsReference(s string) bool {
	for from := 0; ; from++ {
		i := strings.IndexByte(s[from:], '&')
		if i < 0 {
			return false
		}
		if from += i; strings.HasPrefix(s[from:], "&#") {
			return true
		}
		if _, size := namedReference(s[from:]); size > 0 {
			return true
		}
	}
}

// longestReference is the most bytes that a character reference may have; some
// readers allow any number of zeros.
const longestReference = 16

// escapedRune is the character of the escape at the start of s and the size of
// the escape, 0 when there is none.
func escapedRune(s string) (c rune, size int) {
	digits, base := "", 16
	switch {
	case strings.HasPrefix(s, `\u`) && len(s) >= 6:
		digits, size = s[2:6], 6
	case s[0] == '&' && !strings.HasPrefix(s, "&#"):
		return namedReference(s)
	case strings.HasPrefix(s, "&#"):
		end := strings.IndexByte(s[:min(len(s), longestReference)], ';')
		if end < 0 {
			return 0, 0
		}
		digits, size = s[2:end], end+1
		if digits != "" && digits[0]|0x20 == 'x' {
			digits = digits[1:]
		} else {
			base = 10
		}
	default:
		return 0, 0
	}
	n, err := strconv.ParseUint(digits, base, 21)
	if err != nil {
		return 0, 0
	}
	return rune(n), size
}

// unseen are the characters that readers see nothing of: those that Unicode calls
// default ignorable, controls of U+0080 to U+009F, and U+FFFD, which stands for
// bytes that were no text.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0080, Hi: 0x009f, Stride: 1},
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, // soft hyphen
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x061c, Hi: 0x061c, Stride: 1}, // Arabic letter mark
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, // Mongolian selectors
		{Lo: 0x200b, Hi: 0x200f, Stride: 1}, // zero-width blanks and joiners, marks of direction
		{Lo: 0x202a, Hi: 0x202e, Stride: 1}, // embeddings and overrides
		{Lo: 0x2060, Hi: 0x206f, Stride: 1}, // word joiner, invisible operators, isolates
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, // variation selectors
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1}, // byte order mark
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // halfwidth Hangul filler
		{Lo: 0xfff0, Hi: 0xfffd, Stride: 1},
	},
	R32:         []unicode.Range32{{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}}, // tags and more selectors
	LatinOffset: 2,
}

// startsUnseen marks the first bytes that characters nobody sees can have, and
// those of no character. ESC has a view of its own.
var startsUnseen = func() (t [256]bool) {
	for c := range 0x20 {
		t[c] = c != '\t' && c != '\n' && c != '\r' && c != 0x1b
	}
	t[0x7f] = true
	for _, r := range unseen.R16 {
		for c := rune(r.Lo); c <= rune(r.Hi); c++ {
			t[string(c)[0]] = true
		}
	}
	for c := 0xf3; c <= 0xff; c++ { // tags, and what starts nothing
		t[c] = c != 0xf4
	}
	t[0xc0], t[0xc1] = true, true
	return t
}()

// unseenSecond has a bit for each second byte that an unseen character with that first
// byte can have.
var unseenSecond = func() (t [256]uint64) {
	for _, r := range unseen.R16 {
		for c := rune(r.Lo); c <= rune(r.Hi); c++ {
			t[string(c)[0]] |= 1 << (string(c)[1] & 0x3f)
		}
	}
	return t
}()

// findHidden looks at the text without what nobody sees inside a word: whoever
// copies a secret with a zero-width blank in it still has the secret.
func (r *Redactor) findHidden(s string, cut bool, depth int) {
	r.findResolved(s, cut, depth, func(i int) (at, size int, _ []byte) {
		at, size = nextHidden(s, i)
		return at, size, nil
	})
}

// nextHidden is the first run from i on that nobody sees and that stands between
// two characters of ASCII, which secrets are made of: between others, as in
// emoji, it hides none. Its size is 0 when there is none.
func nextHidden(s string, i int) (at, size int) {
	for {
		i = nextUnseen(s, i)
		if i == len(s) {
			return -1, 0
		}
		n := unseenRun(s[i:])
		if n > 0 && i > 0 && s[i-1] < utf8.RuneSelf && i+n < len(s) && s[i+n] < utf8.RuneSelf {
			return i, n
		}
		i += max(n, 1)
	}
}

// nextUnseen is the first byte from i on that may start what nobody sees, or the
// length of s. It looks at eight bytes at a time, and at the last eight of a text
// of more again rather than at each.
func nextUnseen(s string, i int) int {
	for i < len(s) {
		if i+8 > len(s) && len(s) >= 8 && allSeen(s[len(s)-8:]) {
			return len(s)
		}
		if i+8 <= len(s) && allSeen(s[i:]) {
			i += 8
			continue
		}
		for end := min(i+8, len(s)); i < end; i++ {
			if !startsUnseen[s[i]] {
				continue
			}
			n := seenRune(s[i:])
			if n == 0 {
				return i
			}
			i += n - 1
		}
	}
	return len(s)
}

// seenRune is the length of the character at the start of s if its first two bytes tell
// that it is seen, or 0. Punctuation and Japanese begin as some do that are not.
func seenRune(s string) int {
	const one, continues = 0xc0, 0x80 // the mask of a byte that goes on, and what it is then
	switch {
	case len(s) < 3 || s[0] < 0xc2 || s[1]&one != continues || unseenSecond[s[0]]>>(s[1]&^one)&1 != 0:
		return 0
	case s[0] < 0xe0:
		return 2
	case s[0] < 0xf0 && s[2]&one == continues:
		return 3
	}
	return 0
}

// allSeen reports whether the first eight bytes are of ASCII and no controls: the
// sum sets the top bit for DEL, the difference for what is below a blank.
func allSeen(s string) bool {
	w := eightBytes(s)
	return (w|(w+ones)|(w-ones*' '))&tops == 0
}

// ones and tops are eight bytes of the lowest and of the highest bit.
const ones, tops = 0x0101010101010101, 0x8080808080808080

// eightBytes are the first eight as a number, which the compiler loads at once.
func eightBytes(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// unseenRun is the length of what nobody sees at the start of s.
func unseenRun(s string) (n int) {
	for n < len(s) && startsUnseen[s[n]] {
		c, size := utf8.DecodeRuneInString(s[n:])
		if c >= utf8.RuneSelf && !unicode.Is(unseen, c) {
			break
		}
		n += size
	}
	return n
}

// findTerminal looks at the text without terminal sequences: colours, titles,
// links. A terminal, and every renderer, shows what stands on both sides of one
// as one word.
func (r *Redactor) findTerminal(s string, cut bool, depth int) {
	if strings.IndexByte(s, 0x1b) < 0 && !strings.Contains(s, "\u009b") && !strings.Contains(s, "\u009d") {
		return
	}
	q := sequences{s, nextByte(s, 0, 0x1b), nextByte(s, 0, 0xc2)}
	r.findResolved(s, cut, depth, func(i int) (at, size int, _ []byte) {
		at, size = q.next(i)
		return at, size, nil
	})
}

// sequences goes through the terminal sequences of a text. Both bytes that may
// begin one are looked for only once, since either may be rare.
type sequences struct {
	text         string
	escape, wide int // where the next one may begin, with ESC and with U+0080 to U+00BF
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

package redact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A decoder finds the first encoded text from i on: its offset, its size, and what it
// decodes to, in the memory of room. The size is 0 if there is none.
type decoder func(s string, i int, room []byte) (at, size int, means []byte)

// decodings are those that go through a text as a whole. Percent-encoding goes from word
// to word, and what is in base64 has no places of its own.
var decodings = []struct {
	holds func(s string) bool // whether it is worth a look
	next  decoder
}{
	{func(s string) bool { // a terminal sequence
		return strings.IndexByte(s, 0x1b) >= 0 || strings.Contains(s, "\u009b") || strings.Contains(s, "\u009d")
	}, nextSequence},
	{func(string) bool { return true }, nextHidden},
	{func(s string) bool { return strings.Contains(s, `\u`) || strings.IndexByte(s, '&') >= 0 }, nextEscape},
}

// view is a text as it reads with one encoding taken off, and where its parts were.
type view struct {
	text   []byte
	pieces []piece
	means  [utf8.UTFMax]byte // what an escape stands for

	// run is one of base64 in the first alphabet, innocent those that hold no secret.
	run      []byte
	innocent map[string]bool
}

// piece is where a part of a view begins, and where it was.
type piece struct{ text, at int }

// decode makes the view of s. It is false where nothing of it is encoded.
func (v *view) decode(s string, next decoder) bool {
	at, size, means := next(s, 0, v.means[:0])
	if size == 0 {
		return false
	}
	v.text, v.pieces = v.text[:0], v.pieces[:0]
	from := 0
	for ; size > 0; at, size, means = next(s, from, v.means[:0]) {
		v.add(s[from:at], from)
		for i := range means {
			v.add(string(means[i:i+1]), at)
		}
		from = at + size
	}
	v.add(s[from:], from)
	return true
}

func (v *view) add(text string, at int) {
	v.pieces = append(v.pieces, piece{len(v.text), at})
	v.text = append(v.text, text...)
}

// place is where a byte of the view, or its end, was.
func (v *view) place(i int) int {
	n, _ := slices.BinarySearchFunc(v.pieces, i+1, func(p piece, i int) int { return cmp.Compare(p.text, i) })
	return v.pieces[n-1].at + i - v.pieces[n-1].text
}

func nextPercent(s string, i int, room []byte) (at, size int, means []byte) {
	for ; ; i++ {
		i = nextByte(s, i, '%')
		if i+3 > len(s) {
			return i, 0, nil
		}
		if hi, lo := nibble(s[i+1]), nibble(s[i+2]); hi < 16 && lo < 16 {
			return i, len("%00"), append(room, hi<<4|lo)
		}
	}
}

func nibble(c byte) byte {
	switch {
	case digit(c):
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 0xff
}

// nextEscape is the first escape of JSON or character reference of HTML from i on.
func nextEscape(s string, i int, room []byte) (at, size int, means []byte) {
	for ; i < len(s); i++ {
		if s[i] != '\\' && s[i] != '&' {
			continue
		}
		if c, size := escapedRune(s[i:]); size > 0 {
			return i, size, utf8.AppendRune(room, c)
		}
	}
	return i, 0, nil
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
		const longestReference = 16 // the most bytes that a character reference may have; some readers allow any number of zeros
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

// nextHidden is the first run of invisible characters from i on between two of ASCII. A
// secret with a zero-width blank in it is still a secret. Between other characters, as in
// emoji, they hide none.
func nextHidden(s string, i int, _ []byte) (at, size int, _ []byte) {
	for {
		i = nextUnseen(s, i)
		if i == len(s) {
			return i, 0, nil
		}
		n := unseenRun(s[i:])
		if n > 0 && i > 0 && s[i-1] < utf8.RuneSelf && i+n < len(s) && s[i+n] < utf8.RuneSelf {
			return i, n, nil
		}
		i += max(n, 1)
	}
}

// nextUnseen is the first byte from i on that may start what nobody sees, or the
// length of s. It looks at eight bytes at a time, which are nearly always seen.
func nextUnseen(s string, i int) int {
	for i < len(s) {
		if i+8 <= len(s) && allSeen(s[i:]) {
			i += 8
			continue
		}
		for end := min(i+8, len(s)); i < end; i++ {
			if startsUnseen[s[i]] {
				return i
			}
		}
	}
	return len(s)
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
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
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

// nextSequence is the first terminal sequence from i on: a colour, title or link. A
// terminal, and every renderer, shows the text before and after it as one word.
func nextSequence(s string, i int, _ []byte) (at, size int, _ []byte) {
	for ; i < len(s); i++ {
		if c := s[i]; c == 0x1b || c == 0xc2 {
			if size = sequence(s[i:]); size > 0 {
				return i, size, nil
			}
		}
	}
	return i, 0, nil
}

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

package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const replacement = utf8.RuneError // U+FFFD

// hidden are the characters that reorder or hide what stands beside them: bidi
// controls, zero-width blanks, fillers, annotation marks, tags. The joiners U+200C
// and U+200D are left: scripts and emoji need them.
var hidden = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, // soft hyphen
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x061c, Hi: 0x061c, Stride: 1}, // Arabic letter mark
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x180e, Hi: 0x180e, Stride: 1}, // Mongolian vowel separator
		{Lo: 0x200b, Hi: 0x200b, Stride: 1}, // zero-width space
		{Lo: 0x200e, Hi: 0x200f, Stride: 1}, // left-to-right and right-to-left marks
		{Lo: 0x202a, Hi: 0x202e, Stride: 1}, // embeddings and overrides
		{Lo: 0x2060, Hi: 0x2064, Stride: 1}, // word joiner, invisible operators
		{Lo: 0x2066, Hi: 0x206f, Stride: 1}, // isolates and deprecated controls
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1}, // byte order mark
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // halfwidth Hangul filler
		{Lo: 0xfff9, Hi: 0xfffb, Stride: 1}, // interlinear annotation
	},
	R32:         []unicode.Range32{{Lo: 0xe0000, Hi: 0xe007f, Stride: 1}}, // tags
	LatinOffset: 1,
}

// visible replaces what cannot be seen or is no character, but tabs and newlines.
// s is valid UTF-8.
func visible(s string) string {
	var b strings.Builder
	from := 0
	for i, r := range s {
		if ' ' <= r && r < 0x7f || r == '\t' || r == '\n' {
			continue
		}
		if shown := instead(r); shown != "" {
			b.WriteString(s[from:i])
			b.WriteString(shown)
			from = i + utf8.RuneLen(r)
		}
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// instead is what is shown in place of a character that cannot be seen or is
// none, "" for all others.
func instead(r rune) string {
	switch {
	case r < 0x20:
		return string(0x2400 + r) // the control pictures
	case r == 0x7f:
		return "\u2421"
	case r >= 0x80 && r <= 0x9f || noncharacter(r):
		return string(replacement)
	case unicode.Is(hidden, r):
		return fmt.Sprintf("[U+%04X]", r)
	}
	return ""
}

// plain reports text without anything to look at rune by rune. It looks at eight
// bytes at a time, and at each of them where there is something among them.
func plain(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		if remarkable(s[:8]) && !plainBytes(s[:8]) {
			return false
		}
	}
	return plainBytes(s)
}

// remarkable reports a control character, or one beyond ASCII, among eight bytes:
// the sum sets the top bit for DEL, the difference for what is below a blank.
func remarkable(s string) bool {
	const ones, top = 0x0101010101010101, 0x8080808080808080
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return (w|(w+ones)|(w-ones*' '))&top != 0
}

func plainBytes(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\t' && c != '\n' || c >= 0x7f {
			return false
		}
	}
	return true
}

// noncharacter reports the 66 code points that Unicode keeps from meaning
// anything; XML parsers refuse U+FFFE and U+FFFF.
func noncharacter(r rune) bool { return r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef }

const (
	esc       = 0x1b
	bell      = 0x07
	c1lead    = 0xc2 // first byte of U+0080 to U+00BF in UTF-8
	escShown  = "␛"
	c1Shown   = string(replacement)
	terminate = '\\' // ESC \ ends a control string
)

// Strip removes terminal sequences: colours, cursor movements, titles, links,
// in their 7-bit and 8-bit forms. A sequence that does not end where a terminal
// could still be waiting for its end must not swallow what follows: its
// introducer is made visible and its text stays. The result is valid UTF-8
// (first of all, so that removing a sequence cannot join the halves of another)
// and holds no ESC.
func Strip(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, string(replacement))
	}
	at := introducer(s)
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for ; at >= 0; at = introducer(s) {
		b.WriteString(s[:at])
		s = s[at:]
		lead, shown := 1, escShown
		if s[0] == c1lead {
			lead, shown = 2, c1Shown
		}
		n := sequence(s)
		if n == 0 {
			b.WriteString(shown)
			n = lead
		}
		s = s[n:]
	}
	b.WriteString(s)
	return b.String()
}

// introducer is where the next sequence may start, or -1.
func introducer(s string) int {
	for i := range len(s) {
		if s[i] == esc || s[i] == c1lead && i+1 < len(s) && 0x90 <= s[i+1] && s[i+1] <= 0x9f {
			return i
		}
	}
	return -1
}

// sequence is the length of the complete sequence at the start of s, or 0.
// U+0080 to U+009F stand for ESC and the character 0x40 below.
func sequence(s string) int {
	kind, body := byte(0), 2
	switch {
	case len(s) < 2:
		return 0
	case s[0] == c1lead:
		kind = s[1] - 0x40
	default:
		kind = s[1]
	}
	switch {
	case kind == '[':
		return ended(s, body, 0x40)
	case strings.IndexByte("]PX^_", kind) >= 0:
		return controlString(s, body)
	case kind >= 0x20 && kind <= 0x2f && s[0] == esc: // a character set, for instance ESC ( B
		return ended(s, body, 0x30)
	case kind >= 0x30 && kind <= 0x7e:
		return body
	}
	return 0
}

// ended is the length up to the first byte of at least final, all bytes before
// it being parameters, or 0.
func ended(s string, from int, final byte) int {
	for i := from; i < len(s); i++ {
		switch c := s[i]; {
		case c >= final && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x7e:
			return 0
		}
	}
	return 0
}

// controlString is the length up to BEL or the string terminator, on one line
// and without another sequence inside, or 0. Stopping at the next introducer
// keeps the whole of Strip linear.
func controlString(s string, from int) int {
	for i := from; i < len(s); i++ {
		switch c := s[i]; {
		case c == bell:
			return i + 1
		case c == esc && i+1 < len(s) && s[i+1] == terminate:
			return i + 2
		case c == c1lead && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		case c < 0x20, c == c1lead && i+1 < len(s) && s[i+1] <= 0x9f:
			return 0
		}
	}
	return 0
}

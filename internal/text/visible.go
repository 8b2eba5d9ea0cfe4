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
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
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

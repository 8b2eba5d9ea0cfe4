package text

import (
	"strings"
	"unicode/utf8"
)

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

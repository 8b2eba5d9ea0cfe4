package xmlwalk

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"unicode/utf8"
)

// plain are the bytes that are a character of their own, whatever stands around
// them.
var plain = func() (set [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		set[c] = c != '&'
	}
	set['\t'], set['\n'] = true, true
	return set
}()

// isPlain reports whether nothing is to be done about a text.
func isPlain(text []byte) bool {
	for _, c := range text {
		if !plain[c] {
			return false
		}
	}
	return true
}

// decode appends a text as it is meant: references resolved where there are any,
// line ends as one, forbidden characters replaced. The offset is that of a
// reference nobody knows, -1 when all is well.
func (d *Doc) decode(to, text []byte, references bool) (out []byte, unknown int) {
	if isPlain(text) {
		return append(to, text...), -1
	}
	for at := 0; at < len(text); {
		n := at
		for n < len(text) && plain[text[n]] {
			n++
		}
		to = append(to, text[at:n]...)
		if at = n; at == len(text) {
			break
		}
		switch c := text[at]; {
		case c == '&' && references:
			var size int
			if to, size = d.reference(to, text[at:]); size == 0 {
				return to, at
			}
			at += size
		case c == '&':
			to = append(to, c)
			at++
		case c == '\r':
			if to = append(to, '\n'); at+1 < len(text) && text[at+1] == '\n' {
				at++
			}
			at++
		default:
			r, size := utf8.DecodeRune(text[at:])
			if r == utf8.RuneError && size == 1 || !legal(r) {
				d.repaired++
				r = utf8.RuneError
			}
			to = utf8.AppendRune(to, r)
			at += size
		}
	}
	return to, -1
}

// reference appends the character that the text begins with a reference to. The
// size is 0 where nobody knows it.
func (d *Doc) reference(to, text []byte) (out []byte, size int) {
	const longest = 40
	end := bytes.IndexByte(text[:min(len(text), longest)], ';')
	if end < 2 {
		return to, 0
	}
	name := string(text[1:end])
	if name[0] != '#' {
		if c, ok := predefined[name]; ok {
			return append(to, c), end + 1
		}
		if c, ok := xml.HTMLEntity[name]; ok {
			return append(to, c...), end + 1
		}
		return to, 0
	}
	digits, base := name[1:], 10
	if digits != "" && (digits[0] == 'x' || digits[0] == 'X') {
		digits, base = digits[1:], 16
	}
	code, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return to, 0
	}
	r := rune(min(code, 1<<30))
	if !legal(r) {
		d.repaired++
		r = utf8.RuneError
	}
	return utf8.AppendRune(to, r), end + 1
}

var predefined = map[string]byte{"lt": '<', "gt": '>', "amp": '&', "quot": '"', "apos": '\''}

// legal reports whether XML 1.0 has the character.
func legal(c rune) bool {
	return c == '\t' || c == '\n' || c == '\r' ||
		c >= 0x20 && c <= 0xd7ff || c >= 0xe000 && c <= 0xfffd || c >= 0x10000 && c <= utf8.MaxRune
}

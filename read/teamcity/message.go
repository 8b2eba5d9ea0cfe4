package teamcity

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// begin is how a service message begins, wherever in a line it stands.
const begin = "##teamcity["

type message struct {
	name       string
	attributes map[string]string
	column     int // 1-based, in bytes
}

func (m *message) get(name string) string { return m.attributes[name] }

// messageIn is the service message in a line; is says that there is one, and whole that
// it can be read.
func messageIn(line string) (m message, is, whole bool) {
	at := strings.Index(line, begin)
	if at < 0 {
		return m, false, false
	}
	m = message{attributes: map[string]string{}, column: at + 1}
	rest := line[at+len(begin):]
	end := strings.IndexAny(rest, " ]\t")
	if end < 0 {
		return m, true, false
	}
	m.name, rest = rest[:end], rest[end:]
	for {
		rest = strings.TrimLeft(rest, " \t")
		if strings.HasPrefix(rest, "]") {
			return m, true, true
		}
		name, behind, found := strings.Cut(rest, "'")
		if !found {
			return m, true, false
		}
		value, behind, ended := unescape(behind)
		if !ended {
			return m, true, false
		}
		if name = strings.TrimRight(strings.TrimSpace(name), "= \t"); len(m.attributes) < mostAttributes {
			m.attributes[name] = value
		}
		rest = behind
	}
}

// mostAttributes is how many attributes of a message are looked at.
const mostAttributes = 50

// unescape is a value up to its quote, and what stands behind it.
func unescape(text string) (value, rest string, ended bool) {
	if plain := strings.IndexAny(text, "|'"); plain >= 0 && text[plain] == '\'' {
		return text[:plain], text[plain+1:], true
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			return b.String(), text[i+1:], true
		case c != '|' || i+1 == len(text):
			b.WriteByte(c)
		default:
			i++
			i += escaped(&b, text[i:])
		}
	}
	return "", "", false
}

// escaped writes what a sign behind a bar stands for, and says how many more bytes it
// takes.
func escaped(b *strings.Builder, text string) int {
	const hex = len("0x00B0")
	switch text[0] {
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 'x':
		b.WriteRune('\u0085')
	case 'l':
		b.WriteRune('\u2028')
	case 'p':
		b.WriteRune('\u2029')
	case '0':
		if len(text) >= hex && text[1] == 'x' {
			if r, err := strconv.ParseUint(text[2:hex], 16, 32); err == nil && utf8.ValidRune(rune(r)) {
				b.WriteRune(rune(r))
				return hex - 1
			}
		}
		b.WriteByte('0')
	default:
		b.WriteByte(text[0])
	}
	return 0
}

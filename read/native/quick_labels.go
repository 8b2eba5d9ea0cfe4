package native

import (
	"bytes"
	"unicode/utf8"

	"tribunal/internal/decimal"
	"tribunal/internal/jsontext"
)

// rawLabel is a label as it stands in the record.
type rawLabel struct {
	name  []byte // valid UTF-8 without escapes
	value []byte // what is between the quotes of a string, the JSON text of anything else
	kind  kind
}

// rawLabels reads a flat object of a few labels, no name twice. It returns the
// offset behind it, -1 for anything else.
func rawLabels(m *jsontext.Text, p int, labels []rawLabel) (_ []rawLabel, end int) {
	text := m.Bytes
	if text[p] != '{' {
		return labels, -1
	}
	if p = blanks(text, p+1); text[p] == '}' {
		return labels, p + 1
	}
	for {
		var l rawLabel
		if l, p = oneLabel(m, p); p < 0 || has(labels, l.name) {
			return labels, -1
		}
		labels = append(labels, l)
		switch p = blanks(text, p); text[p] {
		case '}':
			return labels, p + 1
		case ',':
			p = blanks(text, p+1)
		default:
			return labels, -1
		}
	}
}

// oneLabel reads a name, a colon and a value.
func oneLabel(m *jsontext.Text, p int) (l rawLabel, end int) {
	text := m.Bytes
	if text[p] != '"' {
		return l, -1
	}
	if end = m.Closing(p + 1); end < 0 {
		return l, -1
	}
	if l.name = text[p+1 : end]; bytes.IndexByte(l.name, '\\') >= 0 || !utf8.Valid(l.name) {
		return l, -1 // it may be the same as another that looks different
	}
	if p = blanks(text, end+1); text[p] != ':' {
		return l, -1
	}
	p = blanks(text, p+1)
	switch c := text[p]; {
	case c == '"':
		if end = m.Closing(p + 1); end >= 0 {
			l.kind, l.value = kindString, text[p+1:end]
			end++
		}
		return l, end
	case c == 't':
		l.kind, end = kindBool, word(text, p, "true")
	case c == 'f':
		l.kind, end = kindBool, word(text, p, "false")
	case c == 'n':
		l.kind, end = kindNull, word(text, p, "null")
	default:
		l.kind = kindNumber
		_, end = decimal.Real(text, p)
	}
	if end >= 0 {
		l.value = text[p:end]
	}
	return l, end
}

// has reports whether a label is there, or too many to tell quickly.
func has(labels []rawLabel, name []byte) bool {
	const most = 16
	for i := range labels {
		if bytes.Equal(labels[i].name, name) {
			return true
		}
	}
	return len(labels) == most
}

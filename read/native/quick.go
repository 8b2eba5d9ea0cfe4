package native

import (
	"bytes"

	"tribunal/envelope/count"
	"tribunal/internal/jsontext"
)

// quick is the fast reader of common records. It expects the same bytes between
// fields as in earlier records, looks at strings only to find their end, and stores
// numbers in their columns.
//
// It accepts only records that the careful reader accepts without a problem or a
// note. For anything else it gives up, and the careful reader reads the line again.
// FuzzWaysAgree tests that both agree.
type quick struct {
	ways [fieldCount + 1][2]path // the last two paths seen after a field, the latest first
	row
}

// edge stands for the start and the end of a record.
const edge = fieldCount

// trial reads the record whose brace is at the offset and adds its trial to the
// batch. It returns the offset of the next line; ok is false if it gives up. The
// text must end with a line end.
func (q *quick) trial(m *jsontext.Part, at, limit int, to *count.Batch) (next int, ok bool) {
	v, p, before := &q.values, at, edge
	v.met, v.present, q.named = 0, 0, nil
	for {
		way := &q.ways[before][0]
		if !way.leads(m.B, p) {
			if way = q.other(m.B, p, before); way == nil {
				return 0, false
			}
		}
		p += len(way.text)
		if before = way.to; before == edge {
			return p, p-at <= limit+1 && q.add(m, to)
		}
		if v.met&way.bit != 0 {
			return 0, false
		}
		v.met |= way.bit
		switch {
		case !way.quoted:
			p = v.read(m, p, before)
		case way.bit&nameFields != 0 && v.met&nameFields == way.bit && q.standsAt(m.B, p, before):
			p, before = p+len(q.named.text)+1, q.named.final
		default:
			begin := p
			if p = m.String(begin - 1); p > 0 {
				v.present |= way.bit
				v.texts[before] = stretch{uint32(begin), uint32(p - 1)}
			}
		}
		if p < 0 {
			return 0, false
		}
	}
}

// standsAt reports whether the names at the offset are those of the test that came
// next the last time.
func (q *quick) standsAt(text []byte, p int, first field) bool {
	next := q.tests.last.next
	if next == nil || next.first != first || !next.standsAt(text, p) {
		return false
	}
	q.named = next
	q.values.met, q.values.present = q.values.met|next.given, q.values.present|next.given
	return true
}

// path is the text between two values: comma, key, colon, blanks and, for a string,
// its opening quote.
type path struct {
	text   string
	bit    fields // of the field it leads to
	to     field
	quoted bool // the next value is a string
}

func (w *path) leads(text []byte, p int) bool {
	end := p + len(w.text)
	return end <= len(text) && string(text[p:end]) == w.text && end > p
}

// other finds a path at the offset other than the first known one. It returns nil
// if no field of a trial follows.
func (q *quick) other(text []byte, p int, before field) *path {
	known := &q.ways[before]
	if second := &known[1]; second.leads(text, p) {
		return second
	}
	to, value := follow(text, p, before == edge)
	if value < 0 {
		return nil
	}
	quoted := to != edge && kinds[to] == aText && text[value] == '"'
	if quoted {
		value++
	}
	known[1], known[0] = known[0], path{text: string(text[p:value]), bit: 1 << to, to: to, quoted: quoted}
	return &known[0]
}

// follow finds the next field and the offset of its value. At the end of the record
// it returns edge and the offset of the next line, and -1 for anything else.
func follow(text []byte, p int, first bool) (f field, value int) {
	p = blanks(text, p)
	switch c := text[p]; {
	case c == '}' && !first:
		if p = blanks(text, p+1); text[p] == '\n' {
			return edge, p + 1
		}
		return 0, -1
	case c == ',' && !first, c == '{' && first:
		return key(text, blanks(text, p+1))
	}
	return 0, -1
}

// key reads the name of a field, up to the start of its value.
func key(text []byte, p int) (f field, value int) {
	if text[p] != '"' {
		return 0, -1
	}
	end := p + 1
	for isWord(text[end]) {
		end++
	}
	f, known := byName[string(text[p+1:end])]
	if !known || kinds[f] == notOfTrial || text[end] != '"' {
		return 0, -1
	}
	if p = blanks(text, end+1); text[p] != ':' {
		return 0, -1
	}
	return f, blanks(text, p+1)
}

func isWord(c byte) bool { return 'a' <= c && c <= 'z' || c == '_' }

// blanks returns the offset of the first byte from p on that is not a blank, at the
// latest the line end.
func blanks(text []byte, p int) int {
	for text[p] == ' ' || text[p] == '\t' || text[p] == '\r' {
		p++
	}
	return p
}

type rawLabel struct {
	name  []byte // valid UTF-8 without escapes
	value []byte // a string without its quotes, or the JSON of another value
	kind  byte   // the first of the value
}

// rawLabels reads a flat object of a few labels with different names. It returns the
// offset after it, or -1 to give up.
func rawLabels(m *jsontext.Part, p int, labels []rawLabel) (_ []rawLabel, end int) {
	if m.B[p] != '{' {
		return labels, -1
	}
	if end = m.Valid(p); end < 0 || bytes.IndexByte(m.B[p:end], '\n') >= 0 {
		return labels, -1
	}
	for member := range jsontext.Members(m.B[p:end], nil) {
		l := rawLabel{name: member.Key[1 : len(member.Key)-1], value: member.Raw, kind: member.Raw[0]}
		switch l.kind {
		case '{', '[':
			return labels, -1
		case '"':
			l.value = member.Raw[1 : len(member.Raw)-1]
		}
		if len(labels) == 16 || !jsontext.IsPlain(l.name) {
			return labels, -1
		}
		labels = append(labels, l)
	}
	return labels, end
}

package native

import (
	"tribunal/envelope/count"
	"tribunal/internal/decimal"
	"tribunal/internal/jsontext"
)

// quick reads the records that runners really write: it knows what stood
// between the fields of the records before, looks at the bytes of a string only
// to find its end, and puts numbers where they stay.
//
// It exists for speed alone. It takes no record that the careful way would not
// take, or would take with a problem or a note: of anything unusual it says so,
// and the careful way reads the line from its start. That both agree is tested
// on any bytes (see FuzzWaysAgree).
type quick struct {
	ways [fieldCount + 1]ways // by the field before
	rare path                 // one that is too long to be remembered
	row
}

// edge stands for what is before the first field and behind the last.
const edge = fieldCount

func newQuick() *quick { return &quick{row: newRow()} }

// trial reads the record whose brace is at the offset and adds its trial to the
// batch. It returns the offset of the next line, or that it cannot. The text
// must end with a line end.
func (q *quick) trial(m *jsontext.Text, at, limit int, to *count.Batch) (next int, ok bool) {
	if m.Torn() {
		return 0, false
	}
	v, p, before := &q.values, at, edge
	v.met, v.present, q.named = 0, 0, nil
	for {
		way := &q.ways[before].paths[0]
		if p+longestPath > len(m.Bytes) || !way.leads(m.Bytes, p) {
			if way = q.other(m.Bytes, p, before); way == nil {
				return 0, false
			}
		}
		p += way.size
		if before = way.to; before == edge {
			return p, p-at <= limit+1 && q.add(m, to)
		}
		if v.met&way.bit != 0 {
			return 0, false
		}
		v.met |= way.bit
		switch {
		case !way.quoted:
			p = q.unquoted(m, p, way)
		case way.bit&nameFields != 0 && v.met&nameFields == way.bit && q.standsAt(m.Bytes, p, before):
			p, before = p+len(q.named.text)+1, q.named.final
		default:
			end := m.Next(p)
			v.present |= way.bit
			v.texts[before] = stretch{uint32(p), uint32(end)}
			if p = end + 1; m.Bytes[end] != '"' {
				return 0, false
			}
		}
		if p < 0 {
			return 0, false
		}
	}
}

// standsAt reports whether the names that begin at the offset are those of the
// test that followed last time.
func (q *quick) standsAt(text []byte, p int, first field) bool {
	next := q.tests.last.next
	if next == nil || next.first != first || !next.standsAt(text, p) {
		return false
	}
	q.named = next
	q.values.met, q.values.present = q.values.met|next.given, q.values.present|next.given
	return true
}

// unquoted reads a value that does not begin with a quote and returns the offset
// behind it, -1 for one that is to be looked at with care.
func (q *quick) unquoted(m *jsontext.Text, p int, way *path) (end int) {
	v, f := &q.values, way.to
	end = m.Next(p) - q.ways[f].lead
	switch n, places := decimal.Few(m.Bytes, p, end); {
	case places == 0 && way.kind.counts():
		v.counts[f] = int64(n)
	case places >= 0 && way.kind.measures():
		v.amounts[f] = decimal.Over(n, places)
	default:
		return v.read(m, p, f)
	}
	v.present |= way.bit
	return end
}

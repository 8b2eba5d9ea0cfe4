package native

import (
	"encoding/binary"
	"math"

	"tribunal/envelope"
	"tribunal/read/marks"
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
	paths [fieldCount + 1][2]path // by the field before
	row
}

// start stands for what is before the first field.
const start = fieldCount

// path is a way from the end of one value to the begin of the next: the key and
// everything else between them. It is compared eight bytes at a time, in places
// that overlap.
type path struct {
	to               field
	size             int // 0 for none
	middle, last     int // where the second and the last eight bytes begin
	head, body, tail uint64
	mask             uint64 // what of a way of fewer than eight bytes counts
}

// longestPath is how many bytes a path may have: more is no habit of a runner.
const longestPath = 24

func newPath(text []byte, to field) path {
	var room [longestPath]byte
	w := path{to: to, size: copy(room[:], text), mask: math.MaxUint64}
	if w.size < 8 {
		w.mask >>= 64 - 8*w.size
	}
	w.last = max(0, w.size-8)
	w.middle = min(8, w.last)
	w.head, w.body, w.tail = eight(room[:], 0)&w.mask, eight(room[:], w.middle)&w.mask, eight(room[:], w.last)&w.mask
	return w
}

// leads reports whether the path leads on from the offset, behind which there
// are at least as many bytes as a path may have.
func (w *path) leads(text []byte, p int) bool {
	return eight(text, p)&w.mask == w.head && eight(text, p+w.middle)&w.mask == w.body && eight(text, p+w.last)&w.mask == w.tail
}

func eight(text []byte, p int) uint64 { return binary.LittleEndian.Uint64(text[p:]) }

func newQuick() *quick { return &quick{row: newRow()} }

// trial reads the record whose brace is at the offset and adds its trial to the
// batch. It returns the offset of the next line, or that it cannot. The text
// must end with a line end.
func (q *quick) trial(m *marks.Text, at, limit int, to *envelope.Batch) (next int, ok bool) {
	v, text := &q.values, m.Bytes
	v.met, v.present = 0, 0
	p := at
	for before := start; p >= 0 && (text[p] != '}' || before == start); {
		before, p = q.step(text, p, before)
		if p < 0 || v.met.has(before) {
			return 0, false
		}
		v.met |= 1 << before
		p = v.read(m, p, before)
	}
	if p < 0 {
		return 0, false
	}
	p = blanks(text, p+1)
	if text[p] != '\n' || p-at > limit {
		return 0, false
	}
	return p + 1, q.add(m, to)
}

// step finds the next field and the offset of its value, -1 when there is none
// that is known.
func (q *quick) step(text []byte, p int, before field) (f field, value int) {
	if p+longestPath > len(text) {
		return find(text, p, before == start)
	}
	paths := &q.paths[before]
	for i := range paths {
		if way := &paths[i]; way.size > 0 && way.leads(text, p) {
			return way.to, p + way.size
		}
	}
	f, value = find(text, p, before == start)
	if value >= 0 && value-p <= longestPath {
		paths[1], paths[0] = paths[0], newPath(text[p:value], f)
	}
	return f, value
}

// find is step without a memory.
func find(text []byte, p int, first bool) (f field, value int) {
	separator := byte(',')
	if first {
		separator = '{'
	}
	if p = blanks(text, p); text[p] != separator {
		return 0, -1
	}
	if p = blanks(text, p+1); text[p] != '"' {
		return 0, -1
	}
	end := p + 1
	for isWord(text[end]) {
		end++
	}
	f, known := byName[string(text[p+1:end])]
	if !known || kinds[f] == foreign || text[end] != '"' {
		return 0, -1
	}
	if p = blanks(text, end+1); text[p] != ':' {
		return 0, -1
	}
	return f, blanks(text, p+1)
}

func isWord(c byte) bool { return 'a' <= c && c <= 'z' || c == '_' }

// blanks returns the offset of the first byte from p on that is no blank. There
// is one: the line end.
func blanks(text []byte, p int) int {
	for text[p] == ' ' || text[p] == '\t' || text[p] == '\r' {
		p++
	}
	return p
}

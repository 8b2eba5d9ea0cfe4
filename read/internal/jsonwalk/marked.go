package jsonwalk

import (
	"slices"
	"unsafe"

	"tribunal/read/internal/jsonstrings"
)

// Marked is a text whose strings are marked, and memory for what they say.
type Marked struct {
	jsonstrings.Text
	said  []byte
	spans []span // of objects and arrays whose ends are known, in the order of their begins
}

// span is where an object or array begins, and the place behind it. Outer is the number of
// the one around it.
type span struct{ begin, end, outer int32 }

// open notes where one begins in another, and returns its number.
func (m *Marked) open(begin int, outer int32) int32 {
	m.spans = append(m.spans, span{begin: int32(begin), outer: outer})
	return int32(len(m.spans) - 1)
}

// close notes where one ends, and returns the number of the one around it.
func (m *Marked) close(end int, number int32) (outer int32) {
	s := &m.spans[number]
	s.end = int32(end)
	return s.outer
}

// behind is the place behind the object or array that begins at a place, 0 where that is
// not known.
func (m *Marked) behind(begin int) int {
	n, known := slices.BinarySearchFunc(m.spans, begin, func(s span, begin int) int { return int(s.begin) - begin })
	if !known {
		return 0
	}
	return int(m.spans[n].end)
}

// offset is where a part of the text begins: both end where their memory does.
func (m *Marked) offset(part []byte) int { return cap(m.Bytes) - cap(part) }

// unquote is what a valid string of the text says, in memory that is used again.
func (m *Marked) unquote(quoted []byte) string {
	begin, mark := m.offset(quoted)+1, len(m.said)
	m.said = jsonstrings.Repair(m.Append(m.said, begin, begin+len(quoted)-2), mark)
	return unsafe.String(unsafe.SliceData(m.said[mark:]), len(m.said)-mark)
}

// Reset forgets what strings said: that memory is used again.
func (m *Marked) Reset() {
	const most = 4 << 20 // one long text is no reason to keep so much
	if cap(m.said) > most {
		m.said = nil
	}
	m.said = m.said[:0]
}

package jsonwalk

import (
	"unsafe"

	"tribunal/read/internal/jsonstrings"
)

// Marked is a text whose strings are marked, and memory for what they say.
type Marked struct {
	jsonstrings.Text
	said []byte
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

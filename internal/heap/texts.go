package heap

import (
	"strings"
	"unsafe"
)

// Texts keeps texts to the end. Names come by the hundred thousand and are short:
// side by side they are fewer allocations, and less for garbage collection to scan.
type Texts struct {
	room []byte
}

const (
	pieceSize = 8 << 10
	// longest is how long a text may be to be kept beside others: a piece stays as
	// long as any of its texts.
	longest = 256
)

// Keep is the text in memory of its own.
func (t *Texts) Keep(s string) string {
	if len(s) > longest {
		return strings.Clone(s)
	}
	if cap(t.room)-len(t.room) < len(s) {
		t.room = make([]byte, 0, pieceSize)
	}
	begin := len(t.room)
	t.room = append(t.room, s...)
	return unsafe.String(unsafe.SliceData(t.room[begin:]), len(s))
}

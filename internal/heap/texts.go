package heap

import (
	"strings"
	"unsafe"
)

// Texts keeps texts to the end. They come by the hundred thousand and most are short:
// side by side they are fewer allocations, less for garbage collection to scan, and
// they get their pages at once.
type Texts struct {
	room []byte
	kept int // bytes
}

// A piece is an eighth of what was kept before it, within bounds: few texts take little.
// It stays as long as any of its texts, so that one of more than its share is kept alone.
const (
	smallestPiece = 8 << 10
	largestPiece  = 1 << 20
	shareOfPiece  = 32
)

// Keep is the text in memory of its own.
func (t *Texts) Keep(s string) string {
	piece := min(max(smallestPiece, t.kept/8), largestPiece)
	t.kept += len(s)
	if len(s) > piece/shareOfPiece {
		return strings.Clone(s)
	}
	if cap(t.room)-len(t.room) < len(s) {
		t.room = make([]byte, 0, piece)
	}
	begin := len(t.room)
	t.room = append(t.room, s...)
	return unsafe.String(unsafe.SliceData(t.room[begin:]), len(s))
}

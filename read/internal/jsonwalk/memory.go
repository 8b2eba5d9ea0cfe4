package jsonwalk

import (
	"strings"
	"unsafe"

	"tribunal/read/internal/jsonstrings"
)

// memory holds what is decoded. Short texts share a piece of it.
type memory struct {
	reuse Reuse
	piece []byte
	slabs []slab // by their numbers
	names names
	now   decoding
	own   Marked // of what is not decoded where it lies
	index index
}

// Bounds of them. A piece is kept as long as one of its texts is.
const (
	pieceSize = 4 << 10
	shortText = 512
)

// room is memory for a text of that size at most.
func (k *memory) room(size int) (shared bool) {
	if size > shortText && k.reuse < ReuseAll {
		return false
	}
	if cap(k.piece)-len(k.piece) < size {
		most := pieceSize
		if k.reuse == ReuseAll {
			most = max(2*cap(k.piece), size, pieceSize)
		}
		k.piece = make([]byte, 0, most)
	}
	return true
}

// said is what the string from begin to end of a text says.
func (k *memory) said(text *jsonstrings.Text, begin, end int) string {
	const spare = 16 // what Append asks for beyond the text
	var to []byte
	shared := k.room(end - begin + spare)
	if shared {
		to = k.piece
	}
	mark := len(to)
	to = jsonstrings.Repair(text.Append(to, begin, end), mark)
	if shared {
		k.piece = to
	}
	return unsafe.String(unsafe.SliceData(to[mark:]), len(to)-mark)
}

// copied is a text that stays.
func (k *memory) copied(text string) string {
	if !k.room(len(text)) {
		return strings.Clone(text)
	}
	mark := len(k.piece)
	k.piece = append(k.piece, text...)
	return unsafe.String(unsafe.SliceData(k.piece[mark:]), len(text))
}

// known are the names of members met so far.
func (k *memory) known() names {
	if k.names == nil {
		k.names = names{}
	}
	return k.names
}

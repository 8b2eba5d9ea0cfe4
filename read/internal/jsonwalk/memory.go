package jsonwalk

import (
	"strings"
	"unsafe"

	"tribunal/read/internal/jsonstrings"
)

// memory holds what is decoded. Short texts share a piece of it.
type memory struct {
	piece []byte
	reuse Reuse
	used  []byte // texts that are gone with the next value
	slabs []slab // by their numbers, values that are
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

// room is memory for a text of that size at most beside others, nil where it gets its own.
func (k *memory) room(size int) *[]byte {
	to, piece := &k.piece, pieceSize
	if k.reuse == ReuseAll {
		to, piece = &k.used, max(2*cap(k.used), size, pieceSize)
	} else if size > shortText {
		return nil
	}
	if cap(*to)-len(*to) < size {
		*to = make([]byte, 0, piece)
	}
	return to
}

// said is what the string from begin to end of a text says.
func (k *memory) said(text *jsonstrings.Text, begin, end int) string {
	const spare = 16 // what Append asks for beyond the text
	var own []byte
	to := k.room(end - begin + spare)
	if to == nil {
		to = &own
	}
	mark := len(*to)
	*to = jsonstrings.Repair(text.Append(*to, begin, end), mark)
	return unsafe.String(unsafe.SliceData((*to)[mark:]), len(*to)-mark)
}

// copied is a text in memory of its own.
func (k *memory) copied(text string) string {
	to := k.room(len(text))
	if to == nil {
		return strings.Clone(text)
	}
	mark := len(*to)
	*to = append(*to, text...)
	return unsafe.String(unsafe.SliceData((*to)[mark:]), len(text))
}

// known are the names of members met so far.
func (k *memory) known() names {
	if k.names == nil {
		k.names = names{}
	}
	return k.names
}

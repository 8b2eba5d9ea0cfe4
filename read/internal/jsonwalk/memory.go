package jsonwalk

import (
	"strings"

	"tribunal/internal/jsontext"
)

// memory holds what is decoded. Short texts share a piece of it.
type memory struct {
	piece []byte
	reuse Reuse
	used  []byte // texts that are gone with the next value
	slabs []slab // by their numbers, values that are
	names names
	now   decoding
	own   jsontext.Text // of what is not decoded where it lies
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

// said is what a string says that has this between its quotes.
func (k *memory) said(inside []byte) string {
	var own []byte
	to := k.room(len(inside))
	if to == nil {
		to = &own
	}
	mark := len(*to)
	*to = jsontext.Repair(jsontext.Append(*to, inside), mark)
	return jsontext.InPlace((*to)[mark:])
}

// copied is a text in memory of its own.
func (k *memory) copied(text string) string {
	to := k.room(len(text))
	if to == nil {
		return strings.Clone(text)
	}
	mark := len(*to)
	*to = append(*to, text...)
	return jsontext.InPlace((*to)[mark:])
}

// known are the names of members met so far.
func (k *memory) known() names {
	if k.names == nil {
		k.names = names{}
	}
	return k.names
}

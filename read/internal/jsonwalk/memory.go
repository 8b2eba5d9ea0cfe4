package jsonwalk

import (
	"strings"

	"tribunal/internal/jsontext"
)

// memory holds what is decoded. Short texts share a piece of it.
type memory struct {
	piece   []byte
	names   names
	now     decoding
	own     jsontext.Text     // of what is not decoded where it lies
	members []jsontext.Member // of the record that was read last
}

// Bounds of them. A piece is kept as long as one of its texts is.
const (
	pieceSize   = 4 << 10
	shortText   = 512
	keptMembers = 1 << 10 // room for so many members of a record is used again
)

// room is memory for a text of that size at most beside others, nil where it gets its own.
func (k *memory) room(size int) *[]byte {
	if size > shortText {
		return nil
	}
	if cap(k.piece)-len(k.piece) < size {
		k.piece = make([]byte, 0, pieceSize)
	}
	return &k.piece
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

// Package pack keeps texts in memory in little room: packed by S2, at the speed of
// memory.
//
// It exists because conversations are a hundred times what is counted of them, and
// most are never looked at. It leaves out files: what is packed never leaves the
// process.
package pack

import (
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
)

// rooms are memory to pack in: how long a packing is shows behind it.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// Pack packs a text. Equal texts have equal packings.
func Pack(text []byte) []byte {
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	*room = s2.Encode((*room)[:cap(*room)], text)
	return append(make([]byte, 0, len(*room)), *room...)
}

// Unpack appends what was packed. Nothing but what Pack made is given to it.
func Unpack(to, packed []byte) []byte {
	size, err := s2.DecodedLen(packed)
	if err == nil {
		to = slices.Grow(to, size)
		_, err = s2.Decode(to[len(to):len(to)+size], packed)
	}
	if err != nil {
		panic("envelope: unpacking what was packed in this process: " + err.Error())
	}
	return to[:len(to)+size]
}

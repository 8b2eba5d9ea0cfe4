// Package pack keeps texts in memory in little room: packed by zstd, at the speed
// of a disk.
//
// It exists because conversations are a hundred times what is counted of them, and
// most are never looked at. It leaves out files: what is packed never leaves the
// process.
package pack

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true), zstd.WithWindowSize(1<<18), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are right
	}
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) // the options are right
	}
	return d
})

// Pack packs a text. Equal texts have equal packings.
func Pack(text []byte) []byte {
	packed := encoder().EncodeAll(text, nil)
	return append(make([]byte, 0, len(packed)), packed...)
}

// Unpack appends what was packed. Nothing but what Pack made is given to it.
func Unpack(to, packed []byte) []byte {
	text, err := decoder().DecodeAll(packed, to)
	if err != nil {
		panic("envelope: unpacking what was packed in this process: " + err.Error())
	}
	return text
}

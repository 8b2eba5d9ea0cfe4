// Package jsontext scans JSON text: where values begin and end, whether they are JSON,
// and what their strings say.
//
// Most bytes of a stream of trials are in strings that are only skipped. Plain finds the end of a
// string eight bytes at a time.
//
// It accepts what encoding/json accepts, and decodes strings as it does. If a text is not JSON, a
// Part says where and why.
package jsontext

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Text is JSON that is read several times. The first pass marks where its objects and arrays
// end. Its strings stay decoded until Reset.
type Text struct {
	Bytes []byte
	spans []span // of objects and arrays whose ends are known, in the order of their begins
	Said
}

// Begin starts with another text, without a copy of it.
func (t *Text) Begin(text []byte) { t.Bytes, t.spans = text, t.spans[:0] }

// Offset is where a part of the text begins: both end where their memory does.
func (t *Text) Offset(part []byte) int { return cap(t.Bytes) - cap(part) }

// span is where an object or array begins, and the place behind it. Outer is the number of
// the one around it.
type span struct{ begin, end, outer int32 }

// open notes where one begins in another, and returns its number.
func (t *Text) open(begin int, outer int32) int32 {
	t.spans = append(t.spans, span{begin: int32(begin), outer: outer})
	return int32(len(t.spans) - 1)
}

// close notes where one ends, and returns the number of the one around it.
func (t *Text) close(end int, number int32) (outer int32) {
	s := &t.spans[number]
	s.end = int32(end)
	return s.outer
}

// behind is the place behind the object or array that begins at a place, 0 where that is
// not known.
func (t *Text) behind(begin int) int {
	n, known := slices.BinarySearchFunc(t.spans, begin, func(s span, begin int) int { return int(s.begin) - begin })
	if !known {
		return 0
	}
	return int(t.spans[n].end)
}

// special sets the high bit of the bytes that are a quote, a backslash or a
// control character, and perhaps of some behind the first of them, by a carry.
// Control characters and the quote are what is below 33 once the bit is turned
// in which the quote differs from a blank.
func special(eight uint64) uint64 {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	low, slash := eight^2*ones, eight^'\\'*ones
	return ((low-33*ones)&^low | (slash-ones)&^slash) & highs
}

// Plain returns the offset of the first byte from i on that is a quote, a backslash
// or a control character, the length of text when there is none.
func Plain(text []byte, i int) int {
	for ; i+8 <= len(text); i += 8 {
		if found := special(binary.LittleEndian.Uint64(text[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

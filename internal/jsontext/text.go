// Package jsontext scans JSON text: where values begin and end, whether they are JSON,
// and what their strings say.
//
// Most bytes of a stream of trials are in strings that are only skipped. Plain finds the end of a
// string eight bytes at a time. A Text is marked before, 64 bytes at a time: which bytes are
// quotes, which quotes are escaped, and whether all escapes are valid. Then the end of a string is
// the next bit of a set, as in simdjson (Langdale and Lemire, Parsing Gigabytes of JSON per
// Second, The VLDB Journal 28, 2019).
//
// It accepts what encoding/json accepts, and decodes strings as it does. If a text is not JSON, a
// Part says where and why.
package jsontext

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Text is text whose strings are marked.
type Text struct {
	Bytes []byte
	// ends are the bytes at which a string ends or goes wrong: quotes that are not
	// escaped, control characters, and what may not stand behind a backslash. A bit
	// each.
	ends  []uint64
	rest  [blockSize]byte // the last bytes of the text
	torn  bool
	spans []span // of objects and arrays whose ends are known, in the order of their begins
	Said
}

// blockSize is how many bytes are looked at as one: a bit of a word for each.
const blockSize = 64

// state is what a block says of the next one.
type state struct {
	escaped uint64 // 1 when the first byte is behind a backslash
	hex     uint64 // the first bytes that must be hexadecimal digits
	torn    uint64 // not 0 when a quote may have stood where a digit should be
}

// Mark marks the text. Nothing is copied.
func (t *Text) Mark(text []byte) {
	t.Bytes, t.spans = text, t.spans[:0]
	whole := len(text) / blockSize
	t.ends = slices.Grow(t.ends[:0], whole+1)[:whole+1]
	s := mark(text[:blockSize*whole], t.ends, state{})
	t.rest = [blockSize]byte{} // what is behind the text are control characters
	copy(t.rest[:], text[blockSize*whole:])
	t.torn = mark(t.rest[:], t.ends[whole:], s).torn != 0
}

// Torn reports whether a quote may stand where a digit of an escape should be. Such a text
// is to be read without its marks.
func (t *Text) Torn() bool { return t.torn }

// Closing returns the offset of the quote that closes the string whose content begins at p,
// -1 when there is none in this line or the content is not valid. The text is not torn.
func (t *Text) Closing(p int) int {
	if at := t.Next(p); at < len(t.Bytes) && t.Bytes[at] == '"' {
		return at
	}
	return -1
}

// Next returns the offset of the first byte from p on that is no content of a
// string: a quote that is not escaped, what may not be in a string, or the end of
// the line.
func (t *Text) Next(p int) int {
	if found := t.ends[uint(p)/blockSize] >> (uint(p) % blockSize); found != 0 {
		return p + bits.TrailingZeros64(found)
	}
	return t.beyond(uint(p) / blockSize)
}

// beyond is Next behind block i.
func (t *Text) beyond(i uint) int {
	i++
	for t.ends[i] == 0 {
		i++
	}
	return int(blockSize*i) + bits.TrailingZeros64(t.ends[i])
}

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

// mark marks the text of blocks. Its length is that of a block
// for each word.
func mark(text []byte, ends []uint64, s state) state {
	for i := range len(text) / blockSize {
		block := (*[blockSize]byte)(text[blockSize*i:])
		quotes, slashes, controls := meaningful(block)
		ends[i] = quotes | controls
		if slashes|s.escaped|s.hex != 0 {
			var escaped, wrong uint64
			escaped, s.escaped = parity(slashes, s.escaped)
			wrong, s.hex = faults(block, escaped, s.hex)
			ends[i] = quotes&^escaped | controls
			s.torn |= ends[i] & wrong
			ends[i] |= wrong
		}
	}
	return s
}

// meaningful finds quotes, backslashes and control characters.
func meaningful(block *[blockSize]byte) (quotes, slashes, controls uint64) {
	const gather = 0x0102040810204080 // moves the lowest bits of eight bytes into the highest byte
	found := uint64(0)
	for i := 0; i < blockSize; i += 8 {
		found |= special(binary.LittleEndian.Uint64(block[i:i+8])) >> 7 * gather >> 56 << i
	}
	for ; found != 0; found &= found - 1 {
		i := bits.TrailingZeros64(found)
		switch c := block[i]; {
		case c == '"':
			quotes |= 1 << i
		case c == '\\':
			slashes |= 1 << i
		case c < ' ':
			controls |= 1 << i
		}
	}
	return quotes, slashes, controls
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

// parity finds which bytes are escaped: in a row of backslashes every second one begins
// an escape. In the subtraction, a row that begins at an odd bit is carried on to where it
// ends. last is 1 when the byte before the block begins an escape; next is that of the
// block behind.
func parity(slashes, last uint64) (escaped, next uint64) {
	const odd = 0xaaaaaaaaaaaaaaaa
	begins := slashes &^ last
	ends := (begins<<1 | odd) - begins ^ odd
	return ends ^ (slashes | last), (ends & slashes) >> 63
}

// faults finds which bytes may not be where they are: escaped, or a digit of an
// escape as which hex marks the first bytes; next is that of the block behind.
func faults(block *[blockSize]byte, escaped, hex uint64) (wrong, next uint64) {
	const four uint64 = 0b11110 // the bytes behind the first one
	for ; escaped != 0; escaped &= escaped - 1 {
		i := bits.TrailingZeros64(escaped)
		switch c := block[i]; {
		case c == 'u':
			hex |= four << i
			next |= four >> (blockSize - i)
		case Escapes[c] == 0:
			wrong |= 1 << i
		}
	}
	for ; hex != 0; hex &= hex - 1 {
		if i := bits.TrailingZeros64(hex); !IsHex(block[i]) {
			wrong |= 1 << i
		}
	}
	return wrong, next
}

// Plain returns the offset of the first byte from i on that is a quote, a backslash
// or a control character, the length of text when there is none. It is for texts of
// which few strings are asked for: for all of them, a Text is marked.
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

package jsontext

import (
	"encoding/binary"
	"math/bits"
)

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

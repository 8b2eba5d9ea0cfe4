package marks

import (
	"encoding/binary"
	"math/bits"
)

// Text is a text in which every byte that means something in a string is
// marked: quotes, backslashes and control characters, and by chance some others.
type Text struct {
	Bytes []byte
	marks []uint64 // a bit for each byte
}

// Mark marks a text. It is not copied.
func (m *Text) Mark(text []byte) {
	m.Bytes = text
	if size := len(text)/64 + 1; cap(m.marks) < size {
		m.marks = make([]uint64, size)
	} else {
		m.marks = m.marks[:size]
	}
	whole := len(text) / 64
	markAll(text, m.marks[:whole])
	var rest [64]byte
	copy(rest[:], text[64*whole:])
	markAll(rest[:], m.marks[whole:])
}

// Next returns the offset of the first marked byte from p on. There must be
// one: a line end.
func (m *Text) Next(p int) int {
	i := p / 64
	if found := m.marks[i] >> (p % 64); found != 0 {
		return p + bits.TrailingZeros64(found)
	}
	for i++; m.marks[i] == 0; {
		i++
	}
	return 64*i + bits.TrailingZeros64(m.marks[i])
}

// Escape returns the offset of the first backslash from p on in a string, or
// some offset behind the string.
func (m *Text) Escape(p int) int {
	for {
		p = m.Next(p)
		if c := m.Bytes[p]; c == '\\' || c == '"' || c < ' ' {
			return p
		}
		p++ // marked by chance
	}
}

// markPortably is markAll for every machine.
func markPortably(text []byte, marks []uint64) {
	const gather = 0x0102040810204080 // moves the lowest bits of eight bytes into the highest byte
	for n := range marks {
		block, mark := (*[64]byte)(text[64*n:]), uint64(0)
		for i := 0; i < 64; i += 8 {
			mark |= special(binary.LittleEndian.Uint64(block[i:i+8])) >> 7 * gather >> 56 << i
		}
		marks[n] = mark
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// special sets the high bit of the bytes that are a quote, a backslash or a
// control character, and perhaps of some behind the first of them, by a carry.
// Control characters and the quote are what is below 33 once the bit is turned
// in which the quote differs from a blank.
func special(eight uint64) uint64 {
	low, slash := eight^2*ones, eight^'\\'*ones
	return ((low-33*ones)&^low | (slash-ones)&^slash) & highs
}

package jsonstrings

import "math/bits"

// Text is text whose strings are marked.
type Text struct {
	Bytes []byte
	// ends are the bytes at which a string ends or goes wrong: quotes that are not
	// escaped, control characters, and what may not stand behind a backslash. A bit
	// each.
	ends []uint64
	// escapes are the backslashes that begin an escape.
	escapes []uint64
	rest    [blockSize]byte // the last bytes of the text
	torn    bool            // whether a quote may stand where a digit of an escape should be
}

// blockSize is how many bytes are looked at as one: a bit of a word for each.
const blockSize = 64

// state is what a block says of the next one.
type state struct {
	escaped uint64 // 1 when the first byte is behind a backslash
	hex     uint64 // the first bytes that must be hexadecimal digits
	torn    uint64 // not 0 when a quote may have stood where a digit should be
}

// Mark marks the text, which must end with a line end. Nothing is copied.
func (t *Text) Mark(text []byte) {
	t.Bytes = text
	whole := len(text) / blockSize
	t.ends, t.escapes = room(t.ends, whole+1), room(t.escapes, whole+1)
	s := mark(text[:blockSize*whole], t.ends, t.escapes, state{})
	t.rest = [blockSize]byte{} // what is behind the text are control characters
	copy(t.rest[:], text[blockSize*whole:])
	t.torn = mark(t.rest[:], t.ends[whole:], t.escapes[whole:], s).torn != 0
}

func room(words []uint64, n int) []uint64 {
	if cap(words) < n {
		return make([]uint64, n)
	}
	return words[:n]
}

// Closing returns the offset of the quote that closes the string whose content
// begins at p, -1 when there is none in this line or the content is not valid.
func (t *Text) Closing(p int) int {
	at := t.Next(p)
	if t.Bytes[at] != '"' || t.torn && t.cut(at) {
		return -1
	}
	return at
}

// Torn reports whether a quote may stand where a digit of an escape should be. Of
// such a text only Closing tells where a string ends.
func (t *Text) Torn() bool { return t.torn }

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

// cut reports whether the quote at the offset stands where a digit of an escape
// should be.
func (t *Text) cut(at int) bool {
	const longest = len(`\u123`)
	i, shift := at/blockSize, at%blockSize
	before := t.escapes[i] << (blockSize - 1 - shift) << 1 // the highest bit is the byte before the quote
	if shift < longest && i > 0 {
		before |= t.escapes[i-1] >> shift
	}
	for before >>= blockSize - longest; before != 0; before &= before - 1 {
		if escape := at - longest + bits.TrailingZeros64(before); t.Bytes[escape+1] == 'u' {
			return true
		}
	}
	return false
}

// Escaped reports whether there is an escape in the string from begin to end.
func (t *Text) Escaped(begin, end int) bool { return t.Escape(begin, end) < end }

// Escape returns the offset of the first escape from p on, or end.
func (t *Text) Escape(p, end int) int {
	i, last := p/blockSize, end/blockSize
	found := t.escapes[i] >> (p % blockSize) << (p % blockSize)
	for found == 0 && i < last {
		i++
		found = t.escapes[i]
	}
	if found == 0 {
		return end
	}
	return min(end, blockSize*i+bits.TrailingZeros64(found))
}

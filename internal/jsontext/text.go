package jsontext

import (
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
	said  []byte // what strings said
	spans []span // of objects and arrays whose ends are known, in the order of their begins
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

// Unquote is what a valid string says, in memory that is used again after Reset.
func (t *Text) Unquote(quoted []byte) string {
	mark := len(t.said)
	t.said = Repair(Append(t.said, quoted[1:len(quoted)-1]), mark)
	return InPlace(t.said[mark:])
}

// Reset forgets what strings said.
func (t *Text) Reset() {
	const most = 4 << 20 // one long text is no reason to keep so much
	if cap(t.said) > most {
		t.said = nil
	}
	t.said = t.said[:0]
}

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

package jsontext

import (
	"encoding/binary"
	"math/bits"
)

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

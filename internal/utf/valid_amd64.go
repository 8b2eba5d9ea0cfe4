package utf

import (
	"unicode/utf8"

	"golang.org/x/sys/cpu"
)

// Valid is utf8.Valid, made for texts of some length in which ASCII and
// other characters alternate. The method is that of Keiser and Lemire (Validating
// UTF-8 in Less Than One Instruction per Byte, Software: Practice and Experience
// 51, 2021).
func Valid(text []byte) bool {
	const step = 32
	n := len(text) / step
	if n < 2 || !cpu.X86.HasAVX2 {
		return utf8.Valid(text)
	}
	return !faultAVX2(&text[0], n) && validFrom(text, step*n)
}

// faultAVX2 reports whether n times 32 bytes are no UTF-8. It does not mind a
// character that is not complete at their end.
//
//go:noescape
func faultAVX2(text *byte, n int) (fault bool)

// endsAtMost is how many bytes of a character that is not complete may end a
// text.
const endsAtMost = utf8.UTFMax - 1

// validFrom reports whether a text is UTF-8 whose first bytes are, but for a
// character that is not complete at their end.
func validFrom(text []byte, first int) bool {
	for back := 1; back <= min(endsAtMost, first); back++ {
		if utf8.RuneStart(text[first-back]) {
			return utf8.Valid(text[first-back:])
		}
	}
	return utf8.Valid(text[first:])
}

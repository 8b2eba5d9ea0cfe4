package jsonstrings

import "golang.org/x/sys/cpu"

// mark marks the text, whose length is that of a block for each word.
var mark = func() func(text []byte, ends, escapes []uint64, s state) state {
	if cpu.X86.HasAVX2 {
		return markAtOnce
	}
	return markPortably
}()

// markAtOnce is markPortably for machines that look at 32 bytes at once.
func markAtOnce(text []byte, ends, escapes []uint64, s state) state {
	if n := len(text) / blockSize; n > 0 {
		var torn uint64
		s.escaped, s.hex, torn = markAVX2(&text[0], &ends[:n][0], &escapes[:n][0], n, s.escaped, s.hex)
		s.torn |= torn
	}
	return s
}

// markAVX2 marks n blocks. It is written in the machine's own language, in which
// it takes a fifth of the time: every byte of the input goes through it.
//
//go:noescape
func markAVX2(text *byte, ends, escapes *uint64, n int, escaped, hex uint64) (nextEscaped, nextHex, torn uint64)

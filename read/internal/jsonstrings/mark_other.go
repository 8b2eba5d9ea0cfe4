//go:build !amd64

package jsonstrings

// mark marks the text, whose length is that of a block for each word.
func mark(text []byte, ends, escapes []uint64, s state) state {
	return markPortably(text, ends, escapes, s)
}

package marks

import (
	"bytes"
	"testing"
)

// TestMarks: what means something in a string is marked wherever it stands, and
// what does not is not, unless something stands before it in the same word.
func TestMarks(t *testing.T) {
	for _, around := range []byte{'a', ' ', '!', '#', '[', ']', 0x7f, 0x80, 0xa2, 0xff} {
		for c := range 256 {
			for at := range 130 {
				text := bytes.Repeat([]byte{around}, 131)
				text[at], text[130] = byte(c), '\n'
				var m Text
				m.Mark(text)
				want := 130
				if c < ' ' || c == '"' || c == '\\' {
					want = at
				}
				if got := m.Next(0); got != want {
					t.Fatalf("%q is marked at %d, want %d", text, got, want)
				}
				markPortably(append(text, make([]byte, 61)...), m.marks)
				if got := m.Next(0); got != want {
					t.Fatalf("%q is marked portably at %d, want %d", text, got, want)
				}
			}
		}
	}
}

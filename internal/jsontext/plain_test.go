package jsontext

import (
	"bytes"
	"strings"
	"testing"
)

// TestPlain holds the search by eights against the search by ones, with every
// byte at every place of a word and beside every kind of neighbour.
func TestPlain(t *testing.T) {
	for _, around := range []byte{'a', ' ', '!', '#', '[', ']', 0x7f, 0x80, 0xa2, 0xdc} {
		for c := range 256 {
			for at := range 17 {
				text := bytes.Repeat([]byte{around}, 19)
				text[at], text[at+1] = byte(c), byte(c)+1
				for from := range len(text) + 1 {
					want := from
					for want < len(text) && text[want] >= ' ' && text[want] != '"' && text[want] != '\\' {
						want++
					}
					if got := Plain(text, from); got != want {
						t.Fatalf("Plain(%q, %d) = %d, want %d", text, from, got, want)
					}
				}
			}
		}
	}
}

func BenchmarkPlain(b *testing.B) {
	for name, said := range map[string]string{
		"prose":        strings.Repeat("All of it stands in one line that means nothing. ", 200),
		"JSON in JSON": strings.Repeat(`{\"flight_number\": \"HAT131\", \"date\": \"2024-05-16\", \"price\": 389}, `, 120),
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte(said)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for i := 0; i < len(text); i++ {
					i = Plain(text, i)
				}
			}
		})
	}
}

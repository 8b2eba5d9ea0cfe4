package utf

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestValid holds it against utf8.Valid, with all that goes wrong in UTF-8
// at every place.
func TestValid(t *testing.T) {
	pieces := []string{"a", "ascii and more of it", "ü", "東", "👍", "\U0010ffff", "\ud7ff", "\ue000", "\u0800", "\u0080",
		"\xff", "\xc0\x80", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xf0\x9f\x91", "\x80"}
	const valid = 10
	random := rand.New(rand.NewPCG(3, 4))
	seen := map[bool]int{}
	for range 300_000 {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteString(pieces[random.IntN(valid)])
		}
		if random.IntN(2) == 0 {
			b.WriteString(pieces[valid+random.IntN(len(pieces)-valid)])
			for range random.IntN(20) {
				b.WriteString(pieces[random.IntN(valid)])
			}
		}
		want := utf8.ValidString(b.String())
		if got := Valid([]byte(b.String())); got != want {
			t.Fatalf("%q is valid: %v, want %v", b.String(), got, want)
		}
		seen[want]++
	}
	if seen[true] < 1000 || seen[false] < 1000 {
		t.Fatalf("one-sided: %v", seen)
	}
}

// TestEveryTwoBytes: all pairs of bytes, with what may follow them, across the
// border of two blocks.
func TestEveryTwoBytes(t *testing.T) {
	for pair := range 1 << 16 {
		for _, behind := range []string{"a", "\x80", "\x80\x80", "\xbf\xbf\xbf"} {
			text := []byte(strings.Repeat("a", 31) + string([]byte{byte(pair >> 8), byte(pair)}) + behind + strings.Repeat("b", 31))
			if got, want := Valid(text), utf8.Valid(text); got != want {
				t.Fatalf("%q is valid: %v, want %v", text, got, want)
			}
		}
	}
}

func BenchmarkValid(b *testing.B) {
	text := []byte(strings.Repeat("assistant: The weather in Lisbon is 511 °C, partly cloudy, with naïve №7 model hotel of again of retry. Zürich\n", 50))
	for name, valid := range map[string]func([]byte) bool{"ours": Valid, "standard": utf8.Valid} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				valid(text)
			}
		})
	}
}

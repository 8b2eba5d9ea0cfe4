package redact

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestEveryRunOfBase64IsFound: those of 16 characters and more, whatever stands before
// them, wherever in the text they begin, and no shorter one.
func TestEveryRunOfBase64IsFound(t *testing.T) {
	run := regexp.MustCompile(`[A-Za-z0-9+/_-]{16,}`)
	random := rand.New(rand.NewPCG(3, 4))
	parts := []string{"a", "Z9", "+/_-", "abcdefg", "0123456789ABCDEF", " ", "@", ":", ".", "=", "é", "\x00", "\x7f", "\xff"}
	for range 20000 {
		s := anyOf(random, parts)
		var got []string
		for i := 0; ; {
			start := nextEncoded(s, i)
			if start == len(s) {
				break
			}
			for i = start; i < len(s) && sextets[s[i]] != 0; i++ {
			}
			got = append(got, s[start:i])
		}
		if want := run.FindAllString(s, -1); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("%q: found %q, want %q", s, got, want)
		}
	}
}

// TestEveryTerminalSequenceIsFound: every place is tried for comparison.
func TestEveryTerminalSequenceIsFound(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	parts := []string{"a", "\x1b", "\x1b[1;31m", "\x1b]8;;x\x07", "\u009b2m", "\u009dt\u009c", "\u00a9", "\xc2", "[", "]", "\\", "\n"}
	for range 20000 {
		s := anyOf(random, parts)
		var got, want strings.Builder
		q := sequences{s, nextByte(s, 0, 0x1b), nextByte(s, 0, 0xc2)}
		for i := 0; i < len(s); {
			at, size := q.next(i)
			got.WriteString(s[i:at])
			i = at + size
		}
		for i := 0; i < len(s); {
			size := sequence(s[i:])
			if size == 0 {
				want.WriteByte(s[i])
				size = 1
			}
			i += size
		}
		if got.String() != want.String() {
			t.Fatalf("%q: %q is left, want %q", s, got.String(), want.String())
		}
	}
}

// TestEveryHiddenRunIsFound: every place is tried for comparison.
func TestEveryHiddenRunIsFound(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	parts := []string{"a", " ", "\n", "longer than eight", "é", "°", "。", "あ", "…", "\u200b", "\u3164", "\ufeff", "\u00ad", "\u061c", "\U000e0041", "👍", "\x00", "\x7f", "\x80", "\xc2", "\xe2\x80", "\xe3", "\xe3\x81", "\xef\xbf", "\xf3", "\xff"}
	for range 20000 {
		s := anyOf(random, parts)
		var got, want [][2]int
		for i := 0; ; {
			at, size := nextHidden(s, i)
			if size == 0 {
				break
			}
			got = append(got, [2]int{at, size})
			i = at + size
		}
		for i := 0; i < len(s); i++ {
			if n := unseenRun(s[i:]); n > 0 {
				if i > 0 && s[i-1] < utf8.RuneSelf && i+n < len(s) && s[i+n] < utf8.RuneSelf {
					want = append(want, [2]int{i, n})
				}
				i += n - 1
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", s, got, want)
		}
	}
}

// anyOf is a text of up to 80 parts.
func anyOf(random *rand.Rand, parts []string) string {
	var text strings.Builder
	for range random.IntN(80) {
		text.WriteString(parts[random.IntN(len(parts))])
	}
	return text.String()
}

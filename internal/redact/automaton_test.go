package redact

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestScanFindsEveryLiteral: in the order of the ends, also where literals overlap, are
// one byte long or end with the text.
func TestScanFindsEveryLiteral(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, words := range [][]string{{"abab", "ba", "bab"}, {"a", "abcab", "cab", "b-"}, {"token", "ken-key", "key", "en"}, {"ü", "a…b"}} {
		var made []literal
		for i, w := range words {
			made = append(made, literal{w, i})
		}
		a := newAutomaton(made)
		parts := append([]string{"a", "b", "c", "A", "B", "-", " ", "xyz", "\x00", "é"}, words...)
		for range 2000 {
			s := anyOf(random, parts)
			if got, want := named(a, words, s), endsOf(strings.ToLower(s), words); got != want {
				t.Fatalf("%q in %q: found %q, want %q", words, s, got, want)
			}
		}
	}
}

func named(a *automaton, words []string, s string) string {
	var got []string
	a.scan(s, func(e end, behind int) { got = append(got, fmt.Sprintf("%d %s", behind, words[e.row])) })
	return strings.Join(got, ", ")
}

// endsOf looks at every place, for the longest word first.
func endsOf(s string, words []string) string {
	var ends []string
	for behind := 1; behind <= len(s); behind++ {
		for first := range behind {
			for _, w := range words {
				if s[first:behind] == w {
					ends = append(ends, fmt.Sprintf("%d %s", behind, w))
				}
			}
		}
	}
	return strings.Join(ends, ", ")
}

// TestNoCutSplitsASecret: wherever a text is cut, neither part shows twelve bytes of a
// secret once it is redacted.
func TestNoCutSplitsASecret(t *testing.T) {
	r := redactor(t, Rules{})
	for _, s := range samples {
		text := "é" + s.inText() + " and more"
		for at := range len(text) {
			before, after := Split(text, at)
			if before > at || after < at {
				t.Fatalf("%q cut at %d: %d to %d", text, at, before, after)
			}
			head, tail := r.Text(text[:before]), r.Text(text[after:])
			if len(s.secret) >= 12 && (survives(s.secret, head) || survives(s.secret, tail)) || !utf8.ValidString(head+tail) {
				t.Errorf("%s: %q cut at %d: %q and %q", s.kind, text, at, head, tail)
			}
		}
	}
}

// TestACutStaysWhereItSplitsNothing: between words, however long the text is.
func TestACutStaysWhereItSplitsNothing(t *testing.T) {
	text := strings.Repeat("no secret at all ", 1000)
	for _, at := range []int{0, 1, 60, 4 << 10, 16 << 10, len(text)} {
		if before, after := Split(text, at); before != at || after != at {
			t.Errorf("cut at %d: %d to %d", at, before, after)
		}
	}
	if before, after := Split("aé", 2); before != 1 || after != 3 {
		t.Errorf("inside a character: %d to %d", before, after)
	}
}

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
			start := nextRun(s, i, minEncoded, &encoded)
			if start == len(s) {
				break
			}
			for i = start; i < len(s) && encoded[s[i]]; i++ {
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
		for i := 0; i < len(s); {
			at, size, _ := nextSequence(s, i, nil)
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
			at, size, _ := nextHidden(s, i, nil)
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

func anyOf(random *rand.Rand, parts []string) string {
	var text strings.Builder
	for range random.IntN(80) {
		text.WriteString(parts[random.IntN(len(parts))])
	}
	return text.String()
}

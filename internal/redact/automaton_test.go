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
// one byte long, lie over the ends of lanes or end with the text.
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
			if got, want := named(a, words, a.scan(s, nil)), endsOf(strings.ToLower(s), words); got != want {
				t.Fatalf("%q in %q: found %q, want %q", words, s, got, want)
			}
		}
	}
}

// TestCarryFindsEveryLiteral: in views from which some was taken, or in which some stands
// for something else, also where a literal lies over several seams.
func TestCarryFindsEveryLiteral(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	words := []string{"abab", "ba", "bab", "c", "abcab-key"}
	var made []literal
	for i, w := range words {
		made = append(made, literal{w, i})
	}
	a := newAutomaton(made)
	parts := append([]string{"a", "b", "c", "B", "-", " ", "ab", "xyzxyzxyzxyzxyzxyz", "abcab", "-key"}, words...)
	carried := 0
	for range 3000 {
		s := anyOf(random, parts) + anyOf(random, parts)
		v := &view{}
		for i := 0; i < len(s); {
			next := min(i+1+random.IntN(60), len(s))
			v.run(s, i, next)
			if i = min(next+random.IntN(3), len(s)); next < len(s) && random.IntN(4) == 0 {
				v.put("ab-"[random.IntN(3)], next)
				i = max(i, next+1)
			}
		}
		v.from(len(s))
		if len(v.pieces)*a.most <= len(v.text) && len(v.pieces) > 2 {
			carried++
		}
		if got, want := named(a, words, a.carry(a.scan(s, nil), v, nil)), endsOf(strings.ToLower(string(v.text)), words); got != want {
			t.Fatalf("%q of %q: found %q, want %q", v.text, s, got, want)
		}
	}
	if carried < 100 {
		t.Errorf("only %d views were so long that literals were carried", carried)
	}
}

// named are the literals in their order.
func named(a *automaton, words []string, spots []spot) string {
	var got []string
	a.each(spots, func(e end, behind int) { got = append(got, fmt.Sprintf("%d %s", behind, words[e.row])) })
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

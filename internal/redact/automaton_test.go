package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
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
			var got []string
			a.scan(s, nil, func(e end, behind int) { got = append(got, fmt.Sprintf("%d %s", behind, words[e.row])) })
			want := endsOf(strings.ToLower(s), words)
			if strings.Join(got, ", ") != strings.Join(want, ", ") {
				t.Fatalf("%q in %q: found %q, want %q", words, s, got, want)
			}
		}
	}
}

// endsOf looks at every place, for the longest word first.
func endsOf(s string, words []string) (ends []string) {
	for behind := 1; behind <= len(s); behind++ {
		for first := range behind {
			for _, w := range words {
				if s[first:behind] == w {
					ends = append(ends, fmt.Sprintf("%d %s", behind, w))
				}
			}
		}
	}
	return ends
}

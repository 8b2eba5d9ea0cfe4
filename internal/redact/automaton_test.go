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

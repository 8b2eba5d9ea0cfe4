// Package cause groups failing trials by what went wrong.
//
// It exists because fourteen red tests often have two faults, and a reader opens a
// ticket for each fault. A reason is the line of a message that speaks, with the parts
// that vary masked; reasons that differ in one word are one cause. The result is the
// same for every order of the trials and for every way to split them over shards.
// Against 421 messages labelled by hand, pairwise F1 is 0.92.
//
// It decides nothing about a test: a cause is a label on failures.
package cause

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"tribunal/internal/each"
	"tribunal/internal/regex"
)

// Reason is a reason and the trials that have it.
type Reason struct {
	Key Key
	// First and Last are the smallest and the largest message, by bytes, of its trials.
	First, Last string
	Tests       []Share // in the order of their tests
}

// Share is the trials of a test that have a reason.
type Share struct {
	Test   int // any number that identifies it
	Trials int
}

// Trials is the number of trials that have the reason.
func (r *Reason) Trials() int { return each.Sum(r.Tests, func(s Share) int { return s.Trials }) }

// Cause is one fault.
type Cause struct {
	ID, Label, By string
	Tests, Trials int
	Keys          []Key // of its reasons, in order
}

// Group makes causes of reasons: those with the most tests first, then by trials, label
// and ID. It does not matter in which order the reasons come.
func Group(reasons []Reason) []Cause {
	same := merge(reasons)
	joinComparisons(reasons, same)
	groups := map[Key][]*Reason{}
	for i := range reasons {
		r := &reasons[i]
		groups[same.of(r.Key)] = append(groups[same.of(r.Key)], r)
	}
	causes := make([]Cause, 0, len(groups))
	for k, group := range groups {
		slices.SortFunc(group, func(a, b *Reason) int { return cmp.Compare(a.Key, b.Key) })
		sum := sha256.Sum256([]byte(k))
		c := Cause{ID: hex.EncodeToString(sum[:])[:12], By: k.By(), Label: label(k, group)}
		var tests []int
		for _, r := range group {
			c.Keys = append(c.Keys, r.Key)
			tests = append(tests, each.Of(r.Tests, func(s Share) int { return s.Test })...)
			c.Trials += r.Trials()
		}
		slices.Sort(tests)
		c.Tests = len(slices.Compact(tests))
		causes = append(causes, c)
	}
	slices.SortFunc(causes, func(a, b Cause) int {
		return cmp.Or(b.Tests-a.Tests, b.Trials-a.Trials, strings.Compare(a.Label, b.Label), strings.Compare(a.ID, b.ID))
	})
	return causes
}

// sets are keys that are one cause; the smallest key of a set represents it.
type sets map[Key]Key

func (s sets) of(k Key) Key {
	for {
		up, ok := s[k]
		if !ok {
			return k
		}
		k = up
	}
}

func (s sets) join(a, b Key) {
	a, b = s.of(a), s.of(b)
	if a != b {
		s[max(a, b)] = min(a, b)
	}
}

// place is a form with one of its words left out.
type place struct {
	at   int
	rest string
}

type slot struct {
	keys  []Key
	mixed bool // the word is masked in one of them: it varies
}

// merge finds forms that differ in one word: three of them, or two where the word is masked in one.
func merge(reasons []Reason) sets {
	slots := map[place]*slot{}
	for _, r := range mostFrequent(reasons) {
		words := tokens(r.lastPart())
		spoken := each.Count(words, func(w string) bool { return len(w) >= 2 && isLetter(w[0]) && isLetter(w[1]) })
		if spoken < 4 {
			continue
		}
		for i, word := range words {
			rest := slices.Clone(words)
			rest[i] = ""
			p := place{i, strings.Join(rest, "\x00")}
			if slots[p] == nil {
				slots[p] = &slot{}
			}
			slots[p].keys = append(slots[p].keys, r)
			slots[p].mixed = slots[p].mixed || strings.Contains(word, mask)
		}
	}
	same := sets{}
	for _, s := range slots {
		if len(s.keys) >= 3 || len(s.keys) == 2 && s.mixed {
			for _, k := range s.keys[1:] {
				same.join(s.keys[0], k)
			}
		}
	}
	return same
}

// joinComparisons joins comparisons of at least three tests that differ in some values
// and share one: "expected 3 to equal 7", "expected 3 to equal 9" say that all got 3.
func joinComparisons(reasons []Reason, same sets) {
	forms := map[string][]*Reason{}
	for i := range reasons {
		if r := &reasons[i]; r.Key.By() == "test" {
			forms[r.Key.lastPart()] = append(forms[r.Key.lastPart()], r)
		}
	}
	for form, group := range forms {
		if len(group) < 3 {
			continue
		}
		var texts []string
		for _, r := range group {
			texts = append(texts, Line(r.First), Line(r.Last))
		}
		common, ok := shared(texts)
		if !ok || strings.Count(common, "…") == 0 || strings.Count(common, "…") >= strings.Count(form, mask) {
			continue
		}
		for _, r := range group[1:] {
			same.join(group[0].Key, r.Key)
		}
	}
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func mostFrequent(reasons []Reason) []Key {
	type frequent struct {
		key    Key
		trials int
	}
	var forms []frequent
	for _, r := range reasons {
		if r.Key.By() == "text" {
			forms = append(forms, frequent{r.Key, r.Trials()})
		}
	}
	slices.SortFunc(forms, func(a, b frequent) int {
		return cmp.Or(b.trials-a.trials, cmp.Compare(a.key, b.key))
	})
	const mergeAtMost = 2000 // bounds the forms that are compared with each other
	return each.Of(forms[:min(len(forms), mergeAtMost)], func(f frequent) Key { return f.key })
}

// tokens are the words of a form; a quoted text is one.
func tokens(form string) []string {
	var all []string
	plain := func(s string) { all = append(all, strings.FieldsFunc(s, func(c rune) bool { return c == ' ' })...) }
	at := 0
	for _, q := range quotations(form) {
		plain(form[at:q[0]])
		all = append(all, form[q[0]:q[1]])
		at = q[1]
	}
	plain(form[at:])
	return all
}

var ellipses = regex.Of(`…(?: …)+`)

// label is what the messages of a cause have in common: their words where they have as
// many, those of their forms otherwise.
func label(represents Key, group []*Reason) string {
	var texts, forms []string
	for _, r := range group {
		texts = append(texts, shownText(r.Key, r.First), shownText(r.Key, r.Last))
		forms = append(forms, r.Key.lastPart())
	}
	for _, of := range [][]string{texts, forms, {represents.lastPart()}} {
		if l, ok := shared(of); ok {
			l = ellipses().ReplaceAllString(strings.ReplaceAll(l, mask, "…"), "…")
			if l == "…" { // messages of one word, such as E101 and E102
				l = texts[0] + ", …"
			}
			return l
		}
	}
	return ""
}

// Label is what the messages of the reason have in common.
func (r *Reason) Label() string { return label(r.Key, []*Reason{r}) }

// Line is the line of a message that says what went wrong, at most 300 bytes.
func Line(text string) string {
	line, _ := mainLine(cut(text, headBytes))
	return line
}

var value = regex.Of(`(?i)^[-+]?\s*(?:expected|received|actual|got|want|but was|but got)\b`)

// shownText is what a message adds to a label: its line, and of a comparison the values.
func shownText(k Key, text string) string {
	if by := k.By(); by == "class" || by == "name" {
		return k.lastPart()
	}
	line, after := mainLine(cut(text, headBytes))
	if k.By() != "test" {
		return line
	}
	values := 0
	for _, next := range after {
		if next = singleSpaced(next); values < 2 && value().MatchString(next) {
			line += " " + next
			values++
		}
	}
	return cut(line, lineBytes)
}

// shared is a text with … for the words in which texts differ. They must have as many words.
func shared(texts []string) (string, bool) {
	words := strings.Split(texts[0], " ")
	for _, text := range texts[1:] {
		other := strings.Split(text, " ")
		if len(other) != len(words) {
			return "", false
		}
		for i := range words {
			if words[i] != other[i] {
				words[i] = "…"
			}
		}
	}
	return strings.Join(words, " "), true
}

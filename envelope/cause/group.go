package cause

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// Reason is a reason and the trials that have it.
type Reason struct {
	Key Key
	// First and Last are the smallest and the largest message, by bytes, of its trials.
	First, Last string
	// Tests are the trials of each test, by any number that identifies the test.
	Tests map[int]int
}

// Cause is one fault.
type Cause struct {
	ID, Label, By string
	Tests, Trials int
	Keys          []Key // of its reasons, in order
}

// mergeAtMost bounds the forms that are compared with each other.
const mergeAtMost = 2000

// Group makes causes of reasons: those with the most tests first, then by trials, label
// and ID. It does not matter in which order the reasons come.
func Group(reasons []Reason) []Cause {
	same := merge(reasons)
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
		tests := map[int]bool{}
		for _, r := range group {
			c.Keys = append(c.Keys, r.Key)
			for test, trials := range r.Tests {
				tests[test] = true
				c.Trials += trials
			}
		}
		c.Tests = len(tests)
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

// merge finds forms that differ in one word: three of them, or two where the word is
// masked in one.
func merge(reasons []Reason) sets {
	slots := map[place]*slot{}
	for _, r := range mostFrequent(reasons) {
		words := tokens(r.text())
		spoken := 0
		for _, w := range words {
			if len(w) >= 2 && isLetter(w[0]) && isLetter(w[1]) {
				spoken++
			}
		}
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

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// mostFrequent are the forms with the most trials.
func mostFrequent(reasons []Reason) []Key {
	type frequent struct {
		key    Key
		trials int
	}
	var forms []frequent
	for _, r := range reasons {
		if r.Key.By() != "text" {
			continue
		}
		f := frequent{key: r.Key}
		for _, trials := range r.Tests {
			f.trials += trials
		}
		forms = append(forms, f)
	}
	slices.SortFunc(forms, func(a, b frequent) int {
		return cmp.Or(b.trials-a.trials, cmp.Compare(a.key, b.key))
	})
	keys := make([]Key, min(len(forms), mergeAtMost))
	for i := range keys {
		keys[i] = forms[i].key
	}
	return keys
}

// tokens are the words of a form; a quoted text is one.
func tokens(form string) []string {
	var all []string
	plain := func(s string) {
		for word := range strings.SplitSeq(s, " ") {
			if word != "" {
				all = append(all, word)
			}
		}
	}
	at := 0
	for _, q := range quotations(form) {
		plain(form[at:q[0]])
		all = append(all, form[q[0]:q[1]])
		at = q[1]
	}
	plain(form[at:])
	return all
}

var ellipses = regexp.MustCompile(`…(?: …)+`)

// label is what the messages of a cause have in common: their words where they have as
// many, those of their forms otherwise.
func label(represents Key, group []*Reason) string {
	var texts, forms []string
	for _, r := range group {
		texts = append(texts, spoken(r.Key, r.First), spoken(r.Key, r.Last))
		forms = append(forms, r.Key.text())
	}
	for _, of := range [][]string{texts, forms, {represents.text()}} {
		if l, ok := shared(of); ok {
			return ellipses.ReplaceAllString(strings.ReplaceAll(l, mask, "…"), "…")
		}
	}
	return ""
}

var value = regexp.MustCompile(`(?i)^[-+]?\s*(?:expected|received|actual|got|want|but was|but got)\b`)

// spoken is what a message adds to a label: its line, and of a comparison the values.
func spoken(k Key, text string) string {
	if by := k.By(); by == "class" || by == "name" {
		return k.text()
	}
	line, after := speaking(cut(text, headBytes))
	if k.By() != "test" {
		return line
	}
	values := 0
	for _, next := range after {
		if values < 2 && value.MatchString(next) {
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

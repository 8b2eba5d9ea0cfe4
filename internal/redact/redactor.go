// Package redact takes secrets out of text.
//
// It exists so that what counts as a secret is written down once, as a table of
// detectors, and applied once, when an envelope is sealed: a report in any
// format then has nothing to hide. A secret is found as it is, percent-encoded,
// in base64 of either alphabet, alone or inside a longer encoded text, in escapes
// of JSON or character references of HTML, and with terminal sequences, control
// or invisible characters between its letters, or broken over lines; each becomes
// [redacted:kind], which says nothing of the secret itself.
//
// Detectors look for shapes that only credentials have, for values assigned to
// names such as password, and for places such as the header Cookie. Randomness
// alone is no reason: hashes, UUIDs and encoded images stay. testdata holds a
// corpus of secrets and of harmless lines that the table is held against. The package
// knows nothing of trials or envelopes, and asks nobody whether a credential is live.
package redact

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tribunal/internal/each"
)

// The kinds of what users ask for, and of the rest of a secret that was cut in
// two.
const (
	KindPattern  = "pattern"
	kindField    = "field"
	kindFragment = "fragment"
)

// Pattern is a shape that users want hidden beside the known ones.
type Pattern struct {
	Kind string // shown in its place; "" is KindPattern
	// Regexp is an RE2 expression. Its first group, or all it matches when it
	// has none, is the secret.
	Regexp string
}

// Rules are what is hidden beside the known credentials.
type Rules struct {
	Patterns []Pattern
	// Fields are names whose values are hidden wherever a text says name=value or
	// name: value, and as labels, in any case of letters.
	Fields []string
}

// Redactor takes secrets out of texts. It reuses memory from text to text and
// must not be used by two goroutines at once.
type Redactor struct {
	rows     []detector
	words    *automaton
	patterns []pattern
	fields   map[string]bool
	resume   []int // by row, where to go on
	found    []hit
	match    match
	views    [maxDepth + 1]view // of the text at each depth
	known    *known
}

type pattern struct {
	kind string
	re   *regexp.Regexp
}

// New makes a Redactor of the table and the rules. The error names the pattern
// or field that cannot be used.
func New(rules Rules) (*Redactor, error) {
	rows, words := builtin()
	r := &Redactor{rows: rows, words: words, fields: map[string]bool{}, known: &known{}}
	for _, p := range rules.Patterns {
		made, err := newPattern(p)
		if err != nil {
			return nil, err
		}
		r.patterns = append(r.patterns, made)
	}
	if len(rules.Fields) > 0 {
		if err := r.addFields(rules.Fields); err != nil {
			return nil, err
		}
	}
	r.resume = make([]int, len(r.rows))
	return r, nil
}

// Another is a Redactor of the same rules for another goroutine.
func (r *Redactor) Another() *Redactor {
	return &Redactor{rows: r.rows, words: r.words, patterns: r.patterns, fields: r.fields, resume: make([]int, len(r.rows)), known: r.known}
}

func newPattern(p Pattern) (pattern, error) {
	p.Kind = cmp.Or(p.Kind, KindPattern)
	if !validKind(p.Kind) {
		return pattern{}, fmt.Errorf("the kind %.60q of a pattern to redact: use 1 to %d lowercase letters, digits and dashes", p.Kind, kindMax)
	}
	re, err := regexp.Compile(p.Regexp)
	switch {
	case err != nil:
		return pattern{}, fmt.Errorf("the pattern %.60q to redact is not a regular expression (RE2): %s",
			p.Regexp, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	case re.MatchString(""):
		return pattern{}, fmt.Errorf("the pattern %.60q to redact matches the empty text and would hide everything; make it match a character",
			p.Regexp)
	}
	return pattern{p.Kind, re}, nil
}

// builtin is the table, made when it is first needed.
var builtin = sync.OnceValues(func() ([]detector, *automaton) {
	rows := each.Of(detectors, detector.ready)
	return rows, newAutomaton(literals(rows))
})

func literals(rows []detector) []literal {
	var words []literal
	for i, d := range rows {
		words = append(words, each.Of(d.literals, func(w string) literal { return literal{w, i} })...)
	}
	return words
}

func (r *Redactor) addFields(names []string) error {
	rows := append([]detector{}, r.rows...)
	for _, name := range names {
		lower := strings.ToLower(name)
		if strings.TrimSpace(name) == "" || len(name) > 200 {
			return fmt.Errorf("a field to redact is called %.60q: give a name of 1 to 200 characters", name)
		}
		r.fields[lower] = true
		rows = append(rows, field(name))
	}
	r.rows, r.words = rows, newAutomaton(literals(rows))
	return nil
}

// field is a detector of the values of a name that users gave, whatever they are.
func field(name string) detector {
	return detector{kind: kindField, literals: []string{asciiLower(name)}, alone: true, find: func(m *match, literal int) bool {
		a, ok := m.assignment(literal, "=:>-t,")
		if !ok {
			return false
		}
		if scheme := m.value(); !a.quoted && slices.Contains([]string{"bearer", "basic", "token"}, asciiLower(scheme)) {
			if start, end, _ := valueAt(m.text, pastBlanks(m.text, a.end)); start > a.end && start < end {
				m.end = end
			}
		}
		return true
	}}
}

// asciiLower lowers what the automaton folds, and nothing else.
func asciiLower(s string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, s)
}

// Text is s with [redacted:kind] in the place of every secret. A text without
// secrets is returned as it is.
func (r *Redactor) Text(s string) string {
	for range rounds {
		r.found = r.found[:0]
		r.findOutside(s)
		if len(r.found) == 0 {
			return s
		}
		s = r.cover(s)
	}
	return s
}

// HoldsMark reports whether a text may contain a placeholder of a secret.
func HoldsMark(s string) bool { return strings.Contains(s, "[redacted:") }

// Label is Text for the value of a label. All of it goes when the label is called
// like a secret.
func (r *Redactor) Label(name, value string) string {
	if kind := r.labelled(name, value); kind != "" {
		return marker(kind)
	}
	return r.Text(value)
}

func (r *Redactor) labelled(name, value string) string {
	if _, size, _, _ := nextMarker(value); value == "" || size > 0 {
		return ""
	}
	if r.fields[strings.ToLower(name)] {
		return kindField
	}
	if len(value) < minSecret || placeholder(value) || filename(value) {
		return ""
	}
	return kindOfName(name)
}

// Kinds lists the kinds the Redactor can find, the table's first.
func (r *Redactor) Kinds() []string {
	return slices.Concat(each.Of(r.rows, func(d detector) string { return d.kind }), []string{kindField, kindFragment},
		each.Of(r.patterns, func(p pattern) string { return p.kind }))
}

package mapped

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tribunal/internal/suggest"
)

// Mapping says which part of a record is which field of a trial.
type Mapping struct {
	parts []part
	// Records is the path of the array of records in a document; "" when the
	// input is records itself.
	Records string
	// Scorer is the check that decides the trials, "" where all of them do.
	Scorer string
	where  []string // queries of which one holds for a record that is a trial
	name   string   // of a named mapping
	loose  bool     // records may also be the input itself
	quiet  bool     // it is for exports of several kinds, of which each lacks something
}

// part is one field and where it comes from.
type part struct {
	field   string // of a trial, or a label
	label   bool
	from    string   // as it was written
	sources []source // the first that stands in a record counts
	literal bool     // from is the value itself
}

// source is a path, or several whose numbers are added up.
type source []term

// term is a path and what its number is multiplied by.
type term struct {
	path  string
	head  string // the first name of the path, "" when it is more than a name
	rest  string // the path behind it
	scale float64
}

// Parse reads a mapping, and the path of the records in a document. One that begins
// with @ is named; what follows the name replaces its fields.
func Parse(spec, records string) (Mapping, error) { return ParseWith(spec, records, nil) }

// ParseWith is Parse with further named mappings, which come before ours.
func ParseWith(spec, records string, own map[string]Named) (Mapping, error) {
	m := Mapping{}
	if spec = strings.TrimSpace(spec); strings.HasPrefix(spec, "@") {
		name, rest, _ := strings.Cut(spec[1:], ",")
		base, err := byName(strings.TrimSpace(name), own)
		if err != nil {
			return m, err
		}
		m, spec = base, rest
	}
	if records = cutDot(records); records != "" || m.name == "" {
		m.Records, m.loose = records, false
	}
	if err := m.add(spec); err != nil {
		return m, err
	}
	m.Records = strings.TrimSuffix(m.Records, "[]")
	switch {
	case !m.has("test"):
		return m, errors.New("the mapping names no test: begin with test=.path")
	case !m.has("status") && !m.has("score") && !m.has("category") && !m.has("checks"):
		return m, errors.New("the mapping names neither status nor score nor category nor checks: add one, for instance status=.ok")
	}
	return m, nil
}

// add adds the parts of a mapping. They take the place of those that a named one has.
func (m *Mapping) add(spec string) error {
	seen := map[string]bool{}
	words := strings.Split(spec, ",")
	if m.name != "" && strings.TrimSpace(spec) == "" {
		words = nil
	}
	for _, word := range words {
		p, err := parsePart(word)
		if err != nil {
			return err
		}
		name := p.name()
		if seen[name] {
			return fmt.Errorf("field %s is mapped twice", name)
		}
		seen[name] = true
		if name == whereField {
			m.where = alternatives(p.from, "||")
			continue
		}
		m.parts = slices.DeleteFunc(m.parts, func(p part) bool { return p.name() == name })
		m.parts = append(m.parts, p)
	}
	slices.SortStableFunc(m.parts, func(a, b part) int { return rank(a) - rank(b) })
	return nil
}

// rank puts a part behind those that it looks at.
func rank(p part) int {
	if !p.label && p.field == "ended_at" {
		return 1
	}
	return 0
}

func (m *Mapping) has(name string) bool {
	return slices.ContainsFunc(m.parts, func(p part) bool { return p.name() == name })
}

func (p part) name() string {
	if p.label {
		return "labels." + p.field
	}
	return p.field
}

// whereField is no field of a trial: it says which records are trials.
const whereField = "where"

func parsePart(word string) (part, error) {
	field, from, ok := strings.Cut(word, "=")
	field, from = strings.TrimSpace(field), strings.TrimSpace(from)
	if !ok || field == "" || from == "" {
		return part{}, fmt.Errorf("%q is not a mapping: give field=.path, for instance test=.name", strings.TrimSpace(word))
	}
	p := part{field: field, from: from}
	if label, isLabel := strings.CutPrefix(field, "labels."); isLabel && label != "" {
		p.field, p.label = label, true
	} else if field != whereField && setters[field] == nil {
		return p, suggest.Unknown("field", field, append(slices.Sorted(maps.Keys(setters)), "labels.NAME", whereField))
	}
	if len(from) >= 2 && from[0] == '\'' && from[len(from)-1] == '\'' {
		p.from, p.literal = from[1:len(from)-1], true
		return p, nil
	}
	for _, one := range alternatives(from, "??") {
		p.sources = append(p.sources, parseSource(one))
	}
	return p, nil
}

// alternatives are the parts of a text between marks, without blanks and without
// parts that say nothing.
func alternatives(text, mark string) []string {
	var all []string
	for one := range strings.SplitSeq(text, mark) {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	return all
}

// parseSource reads paths that are added up: .input_tokens+.output_tokens.
func parseSource(from string) source {
	var s source
	for i, one := range strings.Split(from, "+.") {
		if i > 0 {
			one = "." + one
		}
		t := term{}
		t.path, t.scale = scaled(strings.TrimSpace(one))
		t.path = strings.TrimPrefix(t.path, ".")
		if head, rest, _ := strings.Cut(t.path, "."); isName(head) {
			t.head, t.rest = head, rest
		}
		s = append(s, t)
	}
	return s
}

// isName reports whether a part of a path is the name of a member and nothing more.
func isName(s string) bool { return s != "" && !strings.ContainsAny(s, "*?|#@!{}[]()=<>%\"\\") }

// scaled parts a path from a factor behind it: .latency*1000, .ms/1000.
func scaled(from string) (path string, scale float64) {
	i := strings.LastIndexAny(from, "*/")
	if i <= 0 || from[i-1] == '.' {
		return from, 1
	}
	factor, err := strconv.ParseFloat(strings.TrimSpace(from[i+1:]), 64)
	if err != nil || factor == 0 {
		return from, 1
	}
	if from[i] == '/' {
		factor = 1 / factor
	}
	return strings.TrimSpace(from[:i]), factor
}

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
}

// part is one field and where it comes from.
type part struct {
	field   string // of a trial, or a label
	label   bool
	path    string
	literal bool // path is the value itself
	scale   float64
}

// Parse reads a mapping, and the path of the records in a document.
func Parse(spec, records string) (Mapping, error) {
	m := Mapping{Records: strings.TrimPrefix(strings.TrimSpace(records), ".")}
	seen := map[string]bool{}
	for _, word := range strings.Split(spec, ",") {
		p, err := parsePart(word)
		if err != nil {
			return m, err
		}
		if name := p.name(); seen[name] {
			return m, fmt.Errorf("field %s is mapped twice", name)
		}
		seen[p.name()] = true
		m.parts = append(m.parts, p)
	}
	switch {
	case !seen["test"]:
		return m, errors.New("the mapping names no test: begin with test=.path")
	case !seen["status"] && !seen["score"] && !seen["category"]:
		return m, errors.New("the mapping names neither status nor score nor category: add one, for instance status=.ok")
	}
	return m, nil
}

func (p part) name() string {
	if p.label {
		return "labels." + p.field
	}
	return p.field
}

func parsePart(word string) (part, error) {
	field, from, ok := strings.Cut(word, "=")
	field, from = strings.TrimSpace(field), strings.TrimSpace(from)
	if !ok || field == "" || from == "" {
		return part{}, fmt.Errorf("%q is no mapping: give field=.path, for instance test=.name", strings.TrimSpace(word))
	}
	p := part{field: field, scale: 1}
	if label, isLabel := strings.CutPrefix(field, "labels."); isLabel && label != "" {
		p.field, p.label = label, true
	} else if setters[field] == nil {
		return p, suggest.Unknown("field", field, append(slices.Sorted(maps.Keys(setters)), "labels.NAME"))
	}
	if len(from) >= 2 && from[0] == '\'' && from[len(from)-1] == '\'' {
		p.path, p.literal = from[1:len(from)-1], true
		return p, nil
	}
	p.path, p.scale = scaled(from)
	p.path = strings.TrimPrefix(p.path, ".")
	return p, nil
}

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

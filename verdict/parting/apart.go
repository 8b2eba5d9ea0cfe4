package parting

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	mostValues   = 3  // how many arguments of a branch are shown
	longestValue = 24 // characters of each
)

// values are the arguments of a call by key, as they are shown.
type values map[string]string

// apart is of each branch, in short, the arguments that distinguish it from the other
// branches of its tool. It is empty where no other branch is of that tool, and
// where the arguments were not kept.
func (t *Table) apart(n *node, arguments Arguments) []string {
	texts := make([]string, len(n.branches))
	if !n.arguments || arguments == nil {
		return texts
	}
	byName := map[uint32][]int{}
	for i, b := range n.branches {
		if b.way < byEnd {
			name := t.names[b.way]
			byName[name] = append(byName[name], i)
		}
	}
	for _, twins := range byName {
		if len(twins) < 2 {
			continue
		}
		calls := make([]values, len(twins))
		for i, at := range twins {
			calls[i] = n.branches[at].arguments(n.depth, arguments)
		}
		for i, at := range twins {
			texts[at] = calls[i].show(differing(calls))
		}
	}
	return texts
}

// arguments are those of the step that all trials of the branch make, from the
// first of which they were kept; nil where there is none.
func (b branch) arguments(step int, of Arguments) values {
	for _, trial := range b.trials {
		if text, ok := of(trial, step); ok {
			return valuesOf(text)
		}
	}
	return nil
}

// valuesOf are the members of a JSON object, or the text itself under no key.
func valuesOf(text string) values {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) != nil {
		return values{"": text}
	}
	v := values{}
	for key, raw := range object {
		var word string
		if json.Unmarshal(raw, &word) != nil {
			var compact bytes.Buffer
			_ = json.Compact(&compact, raw) // it was read above
			word = compact.String()
		}
		v[key] = word
	}
	return v
}

// differing are the keys, sorted, under which not all calls have the same; all of
// them where only one is known.
func differing(calls []values) (keys []string) {
	calls = slices.DeleteFunc(slices.Clone(calls), func(v values) bool { return v == nil })
	for _, v := range calls {
		for key := range v {
			other := func(o values) bool { value, has := o[key]; return !has || value != v[key] }
			if len(calls) == 1 || slices.ContainsFunc(calls, other) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (v values) show(keys []string) string {
	var shown []string
	for _, key := range keys {
		value, has := v[key]
		if !has {
			continue
		}
		if len(shown) == mostValues {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, short(value))
	}
	return strings.Join(shown, ", ")
}

// short is a value on one line, cut to a few characters.
func short(value string) string {
	value = strings.Join(strings.Fields(value), " ")
	if utf8.RuneCountInString(value) <= longestValue {
		return value
	}
	return string([]rune(value)[:longestValue-1]) + "…"
}

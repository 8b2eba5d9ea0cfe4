package arguments

import (
	"encoding/json"
	"strings"

	"tribunal/internal/jsontext"
)

// node is a JSON value.
type node struct {
	kind  byte   // { [ " 0 for a number, t for true, false and null
	key   string // of a member of an object
	text  string // of a string what it says, of anything else how it is written
	items []node // members or elements
}

// deepest is how deep arguments may be nested to be taken for an object.
const deepest = 200

// parse reads a text that is a JSON object.
func parse(text string) (n node, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		return n, false
	}
	raw := []byte(text)
	if !jsontext.Valid(raw) && !json.Valid(raw) { // of numbers with many digits
		return n, false
	}
	ok = n.read(raw, 0)
	return n, ok
}

// read reads a valid value, unless it is nested too deep. Of a key given twice the last
// value counts.
func (n *node) read(raw []byte, depth int) (ok bool) {
	if depth == deepest {
		return false
	}
	n.kind, n.text = raw[0], jsontext.InPlace(raw)
	switch c := raw[0]; {
	case c == '"':
		n.text = jsontext.Unquote(raw)
	case c == '{':
		places := map[string]int{}
		for m := range jsontext.Members(raw, nil) {
			key := m.Name()
			at, twice := places[key]
			if !twice {
				at = len(n.items)
				places[key], n.items = at, append(n.items, node{})
			}
			n.items[at] = node{key: key}
			if !n.items[at].read(m.Raw, depth+1) {
				return false
			}
		}
	case c == '[':
		for element := range jsontext.Elements(raw, nil) {
			n.items = append(n.items, node{})
			if !n.items[len(n.items)-1].read(element, depth+1) {
				return false
			}
		}
	case c == '-' || '0' <= c && c <= '9':
		n.kind = '0'
	default:
		n.kind = 't'
	}
	return true
}

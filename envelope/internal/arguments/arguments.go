// Package arguments knows the arguments of tool calls: JSON objects of any kind,
// as models write them, and texts that are none.
//
// It exists because arguments are written, compared and hidden in three ways that
// must agree on what an object is: Normal is how they are kept, Canonical how they
// are compared, Edit how secrets are taken out. It leaves out what a call is.
package arguments

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope/internal/codec"
	"tribunal/internal/jsontext"
)

// Normal appends a text that is a JSON object without blanks, its strings with the
// escapes of an envelope, of a key given twice the last; the order of keys and the
// digits of numbers stay. It reports whether the text is one.
func Normal(to []byte, text string) ([]byte, bool) {
	n, ok := parse(text)
	if !ok {
		return to, false
	}
	return n.append(to), true
}

// Canonical appends what two texts of the same arguments have in common: keys are sorted and
// numbers have one form, in which integers keep all their digits. A text that is no object stands
// for itself; one that is blank or null for {}. What hide makes of a key or of a text that is no
// object stands in its place, and what label makes of a value under its key.
func Canonical(to []byte, text string, hide func(string) string, label func(key, value string) string) []byte {
	if t := strings.TrimSpace(text); t == "" || t == "null" {
		return append(to, "{}"...)
	}
	n, ok := parse(text)
	if !ok {
		return codec.AppendString(to, hide(text))
	}
	n.edit("", hide, label)
	n.settle()
	return n.append(to)
}

// Edit is the text with each key and each value replaced: by what text makes of a
// key or of a text that is no object, and label of a value under its key. It is the
// text itself where nothing changes.
func Edit(s string, text func(string) string, label func(key, value string) string) string {
	n, ok := parse(s)
	if !ok {
		return text(s)
	}
	if !n.edit("", text, label) {
		return s
	}
	return string(n.append(nil))
}

func (n *node) edit(key string, text func(string) string, label func(key, value string) string) (changed bool) {
	switch n.kind {
	case '"', '0':
		value := label(key, n.text)
		if changed = value != n.text; changed {
			n.kind, n.text = '"', value
		}
	case '[':
		for i := range n.items {
			changed = n.items[i].edit(key, text, label) || changed
		}
	case '{':
		for i := range n.items {
			item := &n.items[i]
			changed = item.edit(item.key, text, label) || changed
			if key := text(item.key); key != item.key {
				item.key, changed = key, true
			}
		}
	}
	return changed
}

// settle sorts keys and brings numbers to one form.
func (n *node) settle() {
	if n.kind == '0' {
		n.text = canonicalNumber(n.text)
	}
	for i := range n.items {
		n.items[i].settle()
	}
	if n.kind == '{' {
		slices.SortStableFunc(n.items, func(a, b node) int { return strings.Compare(a.key, b.key) })
	}
}

func (n *node) append(to []byte) []byte {
	switch n.kind {
	case '"':
		return codec.AppendString(to, n.text)
	case '{', '[':
		to = append(to, n.kind)
		for i := range n.items {
			if i > 0 {
				to = append(to, ',')
			}
			if n.kind == '{' {
				to = append(codec.AppendString(to, n.items[i].key), ':')
			}
			to = n.items[i].append(to)
		}
		return append(to, n.kind+2) // both closing brackets are two further
	}
	return append(to, n.text...)
}

// canonicalNumber is a number with the digits it has, without an exponent where
// that is no longer than the number itself: 1.0, 1e0 and 1 are 1.
func canonicalNumber(s string) string {
	negative := strings.HasPrefix(s, "-")
	mantissa, exponent := strings.TrimPrefix(s, "-"), 0
	if at := strings.IndexAny(mantissa, "eE"); at >= 0 {
		var ok bool
		if exponent, ok = smallInt(mantissa[at+1:]); !ok {
			return s
		}
		mantissa = mantissa[:at]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	point := len(whole) + exponent // where the point stands in digits
	trimmed := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(trimmed)
	digits = strings.TrimRight(trimmed, "0")
	var b bytes.Buffer
	if negative && digits != "" {
		b.WriteByte('-')
	}
	const longest = 400 // zeros that are written out
	switch {
	case digits == "":
		b.WriteByte('0')
	case point >= len(digits) && point <= len(digits)+longest:
		b.WriteString(digits + strings.Repeat("0", point-len(digits)))
	case point > 0 && point < len(digits):
		b.WriteString(digits[:point] + "." + digits[point:])
	case point <= 0 && point > -longest:
		b.WriteString("0." + strings.Repeat("0", -point) + digits)
	default:
		b.WriteString(digits + "e")
		b.Write(strconv.AppendInt(nil, int64(point-len(digits)), 10))
	}
	return b.String()
}

// smallInt is the value of an exponent of at most nine digits.
func smallInt(s string) (n int, ok bool) {
	sign := 1
	switch {
	case strings.HasPrefix(s, "-"):
		sign, s = -1, s[1:]
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	}
	s = strings.TrimLeft(s, "0")
	if len(s) > 9 {
		return 0, false
	}
	for _, c := range s {
		n = 10*n + int(c-'0')
	}
	return sign * n, true
}

type node struct {
	kind  byte   // { [ " 0 for a number, t for true, false and null
	key   string // of a member of an object
	text  string // of a string what it says, of anything else how it is written
	items []node // members or elements
}

func parse(text string) (n node, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		return n, false
	}
	raw := []byte(text)
	if !jsontext.Valid(raw) {
		return n, false
	}
	ok = n.read(raw, 0)
	return n, ok
}

// read reads a valid value, unless it is nested too deep. Of a key given twice the last
// value counts.
func (n *node) read(raw []byte, depth int) (ok bool) {
	const deepest = 200 // how deep arguments may be nested to be taken for an object
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

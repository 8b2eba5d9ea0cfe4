package envelope

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// writer appends JSON to memory, byte for byte as marshal would, and keeps
// the first error.
type writer struct {
	b    []byte
	err  error
	rows int // of the test that is written
}

func (w *writer) text(s string) { w.b = append(w.b, s...) }

// fail keeps the first error.
func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// any writes what is too rare to have a table.
func (w *writer) any(v any) {
	text, err := marshal(v)
	if err != nil {
		w.fail(err)
		return
	}
	w.b = append(w.b, text...)
}

func writeObject[T any](w *writer, v *T, members []member[T]) {
	w.b = append(w.b, '{')
	w.b = writeMembers(w, v, members)
	w.b = append(w.b, '}')
}

// writeMembers writes the keys and values of an object without its braces.
func writeMembers[T any](w *writer, v *T, members []member[T]) []byte {
	first := true
	for i := range members {
		m := &members[i]
		if !m.always && m.none(v) {
			continue
		}
		if !first {
			w.b = append(w.b, ',')
		}
		first = false
		w.b = append(w.b, m.key...)
		m.write(w, v)
	}
	return w.b
}

func writeList[V any](w *writer, list []V, write func(*writer, *V)) {
	if list == nil {
		w.text("null")
		return
	}
	w.b = append(w.b, '[')
	for i := range list {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		write(w, &list[i])
	}
	w.b = append(w.b, ']')
}

func writeNumbers[V number](w *writer, list []V) {
	if list == nil {
		w.text("null")
		return
	}
	w.b = append(w.b, '[')
	for _, v := range list {
		if V(1)/2 != 0 {
			w.real(float64(v))
		} else {
			w.b = appendInt(w.b, int64(v))
		}
		w.b = append(w.b, ',')
	}
	w.b = endArray(w.b)
}

func writeMap[V any](w *writer, m map[string]V, write func(*writer, *V)) {
	if m == nil {
		w.text("null")
		return
	}
	w.b = append(w.b, '{')
	for i, key := range sortedKeys(m) {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = append(appendString(w.b, key), ':')
		v := m[key]
		write(w, &v)
	}
	w.b = append(w.b, '}')
}

func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// real writes a number as encoding/json does.
func (w *writer) real(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.fail(&json.UnsupportedValueError{Str: strconv.FormatFloat(f, 'g', -1, 64)})
		return
	}
	start := len(w.b)
	if f == 0 && math.Signbit(f) {
		w.b = append(w.b, '-')
	}
	w.b = appendFloat(w.b, f)
	if n := len(w.b); n-start >= 4 && w.b[n-4] == 'e' && w.b[n-3] == '-' && w.b[n-2] == '0' {
		w.b[n-2] = w.b[n-1] // e-09 is e-9
		w.b = w.b[:n-1]
	}
}

func appendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

// plainByte marks the bytes that stand for themselves in a JSON string.
var plainByte = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// written marks the bytes that are written without a further look: those that
// stand for themselves, but for the # of commands and DEL.
var written = func() [256]bool {
	t := plainByte
	t['#'], t[del] = false, false
	return t
}()

// appendString appends s as a JSON string. <, > and & stay as they are:
// escaping for a page is the business of the renderer that makes the page.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		if written[s[i]] || s[i] == '#' && !beginsCommand(s[i:]) {
			i++
			continue
		}
		size := 1
		if s[i] >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if size = n; (r != utf8.RuneError || n > 1) && !obeyed(r) {
				i += n
				continue
			}
		}
		b = appendEscaped(append(b, s[start:i]...), s[i:i+size])
		i += size
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// appendEscaped appends the escape of one character: a control character, a #, a
// quote, one that is obeyed, or a byte that is no UTF-8.
func appendEscaped(b []byte, c string) []byte {
	switch c {
	case `"`, `\`:
		return append(b, '\\', c[0])
	case "\b":
		return append(b, `\b`...)
	case "\f":
		return append(b, `\f`...)
	case "\n":
		return append(b, `\n`...)
	case "\r":
		return append(b, `\r`...)
	case "\t":
		return append(b, `\t`...)
	}
	r, _ := utf8.DecodeRuneInString(c)
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return appendUnit(appendUnit(b, high), low)
	}
	return appendUnit(b, r)
}

// appendUnit appends the escape of 16 bits.
func appendUnit(b []byte, unit rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[unit>>12&15], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
}

// appendTime appends an instant as an RFC 3339 string in UTC.
func appendTime(b []byte, ns int64) []byte {
	b = append(b, '"')
	b = time.Unix(0, ns).UTC().AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

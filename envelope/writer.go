package envelope

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"

	"tribunal/envelope/internal/codec"
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
	text, err := codec.Marshal(v)
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
		w.b = append(codec.AppendString(w.b, key), ':')
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

// appendTime appends an instant as an RFC 3339 string in UTC.
func appendTime(b []byte, ns int64) []byte {
	b = append(b, '"')
	b = time.Unix(0, ns).UTC().AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

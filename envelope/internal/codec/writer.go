package codec

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"
)

// Writer appends JSON to memory, byte for byte as marshal would, and keeps
// the first error.
type Writer struct {
	B    []byte
	Err  error
	Rows int               // of the test that is written
	Long func(text string) // writes texts that may be shared, nil where they are as others
}

func (w *Writer) Text(s string) { w.B = append(w.B, s...) }

// Fail keeps the first error.
func (w *Writer) Fail(err error) {
	if w.Err == nil {
		w.Err = err
	}
}

// Any writes what is too rare to have a table.
func (w *Writer) Any(v any) {
	text, err := Marshal(v)
	if err != nil {
		w.Fail(err)
		return
	}
	w.B = append(w.B, text...)
}

func WriteObject[T any](w *Writer, v *T, members []Member[T]) {
	w.B = append(w.B, '{')
	w.B = WriteMembers(w, v, members)
	w.B = append(w.B, '}')
}

// WriteMembers writes the keys and values of an object without its braces.
func WriteMembers[T any](w *Writer, v *T, members []Member[T]) []byte {
	first := true
	for i := range members {
		m := &members[i]
		if !m.always && m.None(v) {
			continue
		}
		if !first {
			w.B = append(w.B, ',')
		}
		first = false
		w.B = append(w.B, m.Key...)
		m.Write(w, v)
	}
	return w.B
}

func writeList[V any](w *Writer, list []V, write func(*Writer, *V)) {
	if list == nil {
		w.Text("null")
		return
	}
	w.B = append(w.B, '[')
	for i := range list {
		if i > 0 {
			w.B = append(w.B, ',')
		}
		write(w, &list[i])
	}
	w.B = append(w.B, ']')
}

func writeNumbers[V Number](w *Writer, list []V) {
	if list == nil {
		w.Text("null")
		return
	}
	w.B = append(w.B, '[')
	for _, v := range list {
		if V(1)/2 != 0 {
			w.Real(float64(v))
		} else {
			w.B = strconv.AppendInt(w.B, int64(v), 10)
		}
		w.B = append(w.B, ',')
	}
	w.B = EndArray(w.B)
}

func writeMap[V any](w *Writer, m map[string]V, write func(*Writer, *V)) {
	if m == nil {
		w.Text("null")
		return
	}
	w.B = append(w.B, '{')
	for i, key := range sortedKeys(m) {
		if i > 0 {
			w.B = append(w.B, ',')
		}
		w.B = append(AppendString(w.B, key), ':')
		v := m[key]
		write(w, &v)
	}
	w.B = append(w.B, '}')
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

// Real writes a number as encoding/json does.
func (w *Writer) Real(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.Fail(&json.UnsupportedValueError{Str: strconv.FormatFloat(f, 'g', -1, 64)})
		return
	}
	start := len(w.B)
	if f == 0 && math.Signbit(f) {
		w.B = append(w.B, '-')
	}
	w.B = appendFloat(w.B, f)
	if n := len(w.B); n-start >= 4 && w.B[n-4] == 'e' && w.B[n-3] == '-' && w.B[n-2] == '0' {
		w.B[n-2] = w.B[n-1] // e-09 is e-9
		w.B = w.B[:n-1]
	}
}

func AppendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

// AppendTime appends an instant as an RFC 3339 string in UTC.
func AppendTime(b []byte, ns int64) []byte {
	b = append(b, '"')
	b = time.Unix(0, ns).UTC().AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

// EndArray ends an array of which each cell is followed by a comma.
func EndArray(b []byte) []byte {
	if last := len(b) - 1; b[last] == ',' {
		b[last] = ']'
		return b
	}
	return append(b, ']')
}

// AppendNumber is written so that the compiler knows which kind it is.
func AppendNumber[T Number](b []byte, v T) []byte {
	if T(1)/2 != 0 {
		return appendFloat(b, float64(v))
	}
	return strconv.AppendInt(b, int64(v), 10)
}

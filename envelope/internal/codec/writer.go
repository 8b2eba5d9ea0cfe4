package codec

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"tribunal/internal/jsontext"
)

// Writer appends JSON to memory, byte for byte as marshal would, and keeps the first error.
type Writer struct {
	B    []byte
	Err  error
	Rows int               // of the test that is written
	Long func(text string) // writes texts that may be shared, nil where they are as others
}

func (w *Writer) Text(s string) { w.B = append(w.B, s...) }

// Fail keeps the first error.
func (w *Writer) Fail(err error) { w.Err = cmp.Or(w.Err, err) }

// Any writes what is too rare to have a table.
func (w *Writer) Any(v any) {
	text, err := Marshal(v)
	if err != nil {
		w.Fail(err)
		return
	}
	w.B = append(w.B, text...)
}

func WriteObject[T any](w *Writer, v T, members []Member[T]) {
	w.B = append(w.B, '{')
	w.B = WriteMembers(w, v, members)
	w.B = append(w.B, '}')
}

// WriteMembers writes the keys and values of an object without its braces.
func WriteMembers[T any](w *Writer, v T, members []Member[T]) []byte {
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

// List writes an array or object of n parts, which each writes, between brackets.
func (w *Writer) List(open byte, n int, each func(i int)) {
	w.B = append(w.B, open)
	for i := range n {
		if i > 0 {
			w.B = append(w.B, ',')
		}
		each(i)
	}
	w.B = append(w.B, open+2) // both closing brackets are two further
}

func writeList[V any](w *Writer, list []V, write func(*Writer, *V)) {
	if list == nil {
		w.Text("null")
		return
	}
	w.List('[', len(list), func(i int) { write(w, &list[i]) })
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
	keys := slices.Sorted(maps.Keys(m))
	w.List('{', len(keys), func(i int) {
		w.B = append(AppendString(w.B, keys[i]), ':')
		v := m[keys[i]]
		write(w, &v)
	})
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

// Marshal is jsontext.Marshal of which what build servers obey in a job's log is escaped.
func Marshal(v any) ([]byte, error) {
	text, err := jsontext.Marshal(v)
	return DisarmJSON(text), err
}

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

// AppendString appends s as a JSON string. <, > and & stay as they are:
// escaping for a page is the business of the renderer that makes the page.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		if written[s[i]] || s[i] == '#' && !BeginsCommand(s[i:]) {
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

// JSON is printed in the logs of jobs, too, and build servers obey ##[name] and ##word[ wherever in
// a line they stand. On the wire the first # of these is an escape, which reads back as the same
// character. So is what terminals and editors obey: the controls that JSON allows, what turns the
// direction of text, byte order marks, and tags that nobody sees.

const del = 0x7f

// obeyed reports a character beyond ASCII that is an escape on the wire.
func obeyed(r rune) bool {
	switch {
	case r < 0xa0: // C1, and DEL
		return true
	case r < 0x2000:
		return r == 0x61c
	case r <= 0x2069:
		return r >= 0x2066 || r >= 0x2028 && r <= 0x202e || r == 0x200e || r == 0x200f // line ends of JavaScript with the overrides
	}
	return r == 0xfeff || r>>7 == 0xe0000>>7
}

// BeginsCommand reports that a text starts like such a command.
func BeginsCommand[T string | []byte](text T) bool {
	if len(text) < 3 || text[0] != '#' || text[1] != '#' {
		return false
	}
	letter := text[2] | 0x20
	return text[2] == '[' || 'a' <= letter && letter <= 'z'
}

// DisarmJSON escapes in JSON text what build servers, terminals and editors obey: it
// stands in strings only.
func DisarmJSON(text []byte) []byte {
	at, _ := nextObeyed(text, 0)
	if at == len(text) {
		return text
	}
	var out []byte
	done := 0
	for at < len(text) {
		var size int
		at, size = nextObeyed(text, done)
		out = append(out, text[done:at]...)
		if size > 0 {
			out = appendEscaped(out, string(text[at:at+size]))
		}
		done = at + size
	}
	return out
}

// nextObeyed is the place and the size of the next character to escape from a place
// on; the end of the text and 0 when there is none.
func nextObeyed(text []byte, from int) (at, size int) {
	for i := from; i < len(text); {
		switch c := text[i]; {
		case c == del, c == '#' && BeginsCommand(text[i:]):
			return i, 1
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(text[i:])
			if obeyed(r) {
				return i, n
			}
			i += n
		}
	}
	return len(text), 0
}

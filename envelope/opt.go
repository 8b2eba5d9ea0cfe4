package envelope

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"tribunal/envelope/internal/codec"
	"tribunal/internal/each"
)

// Opt is a value that may be absent. The zero Opt is absent, so a reader that
// does not mention a field leaves it unknown rather than 0.
type Opt[T any] struct {
	V  T
	OK bool
}

// Some returns a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{V: v, OK: true} }

// Finite returns a value, absent where it is not a number that JSON can write.
func Finite(v float64) Opt[float64] {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Opt[float64]{}
	}
	return Some(v)
}

// Or returns the value, or def when it is absent.
func (o Opt[T]) Or(def T) T {
	if o.OK {
		return o.V
	}
	return def
}

// Text is the value in words behind others, and nothing where it is absent.
func (o Opt[T]) Text(before string, form func(T) string) string {
	if !o.OK {
		return ""
	}
	return before + form(o.V)
}

// IsZero reports absence; encoding/json's omitzero leaves such a field out.
func (o Opt[T]) IsZero() bool { return !o.OK }

// MarshalJSON writes the value, or null when it is absent.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.OK {
		return []byte("null"), nil
	}
	if v, real := any(o.V).(float64); real { // most are, and this is several times as fast
		var w codec.Writer
		w.Real(v)
		return w.B, w.Err
	}
	return json.Marshal(o.V)
}

// UnmarshalJSON reads a value; null is absent.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*o = Opt[T]{}
		return nil
	}
	err := json.Unmarshal(b, &o.V)
	o.OK = err == nil
	return err
}

// Flags is a column of booleans; nil when all are false.
type Flags []bool

// At returns the flag of row i.
func (f Flags) At(i int) bool { return i < len(f) && f[i] }

// Count is how many flags are raised.
func (f Flags) Count() int { return each.Count(f, func(raised bool) bool { return raised }) }

// Set raises the flag of row n, which must lie behind the rows set before.
func (f *Flags) Set(n int) {
	for len(*f) < n {
		*f = append(*f, false)
	}
	*f = append(*f, true)
}

func (f *Flags) put(n int, v bool) {
	if v {
		f.Set(n)
		return
	}
	for *f != nil && len(*f) <= n {
		*f = append(*f, false)
	}
}

func (f Flags) pick(order []int) Flags {
	out, any := make(Flags, len(order)), false
	for i, from := range order {
		out[i] = f.At(from)
		any = any || out[i]
	}
	if !any {
		return nil
	}
	return out
}

func parseTime(s Opt[string]) (Opt[int64], error) {
	if !s.OK {
		return Opt[int64]{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, s.V)
	if err != nil {
		return Opt[int64]{}, fmt.Errorf("%q is not a time such as 2026-03-01T12:00:00Z", s.V)
	}
	return instant(t), nil
}

// Instant reads an RFC 3339 time as nanoseconds since 1970.
func Instant(s string) (ns int64, ok bool) {
	v, err := parseTime(Some(s))
	return v.V, err == nil && v.OK
}

// instant is the time in nanoseconds since 1970, absent for the zero time and
// for years that do not fit (before 1678 and after 2261).
func instant(t time.Time) Opt[int64] {
	if y := t.Year(); t.IsZero() || y < 1678 || y > 2261 {
		return Opt[int64]{}
	}
	return Some(t.UnixNano())
}

package envelope

import (
	"bytes"
	"encoding/json"
	"math"

	"tribunal/envelope/internal/codec"
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

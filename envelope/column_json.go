package envelope

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// appendJSON appends the first n cells as an array with null for absent ones.
func (c Column[T]) appendJSON(b []byte, n int) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		v, ok := c.At(i)
		if !ok {
			b = append(b, "null"...)
			continue
		}
		b = appendNumber(b, v)
	}
	return append(b, ']')
}

func appendNumber[T Cell](b []byte, v T) []byte {
	if f, ok := any(v).(float64); ok {
		return appendFloat(b, f)
	}
	return strconv.AppendInt(b, int64(v), 10)
}

// appendFloat writes a finite number the way encoding/json does: the shortest
// form that reads back as the same float64.
func appendFloat(b []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.AppendInt(b, int64(f), 10)
	}
	abs := math.Abs(f)
	if abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'e', -1, 64)
}

// UnmarshalJSON reads what appendJSON writes.
func (c *Column[T]) UnmarshalJSON(b []byte) error {
	var cells []Opt[T]
	if err := json.Unmarshal(b, &cells); err != nil {
		return err
	}
	*c = nil
	for i, v := range cells {
		if v.OK && isAbsent(v.V) {
			return fmt.Errorf("row %d: number out of range", i)
		}
		c.put(i, v)
	}
	return nil
}

func (w Words) appendJSON(b []byte, n int) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, w.At(i))
	}
	return append(b, ']')
}

// UnmarshalJSON reads what appendJSON writes.
func (w *Words) UnmarshalJSON(b []byte) error {
	var cells []string
	if err := json.Unmarshal(b, &cells); err != nil {
		return err
	}
	d := newDictionary()
	*w = Words{}
	for i, s := range cells {
		w.put(i, s, d)
	}
	return nil
}

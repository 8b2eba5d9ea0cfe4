package envelope

import (
	"math"
	"testing"
)

// TestSizeOfCells: what trials report of their time, money and tokens is measured
// to the byte.
func TestSizeOfCells(t *testing.T) {
	var whole Column[int64]
	for _, v := range []int64{0, 9, 10, 99, 100, -1, -10, 999_999_999, 1_000_000_000, math.MaxInt64, 1<<53 - 1} {
		whole = append(whole, v)
	}
	whole = append(whole, Absent[int64]())
	real := Column[float64]{0, 0.5, 0.25, 0.125, 0.0001, 0.00001, 0.000001, 12.34, 999.999999, 100, 1e8, -3.75, Absent[float64]()}
	n := len(real)
	for _, c := range []struct {
		reason string
		size   func(*Size)
		text   []byte
	}{
		{"whole numbers", func(s *Size) { addWholes(s, whole, n) }, whole.appendJSON(nil, n)},
		{"decimals", func(s *Size) { s.addReals(real, n) }, real.appendJSON(nil, n)},
	} {
		var s Size
		c.size(&s)
		if want := len(c.text) - 1; s.Least != want || s.Most != want { // a comma for every cell, and no brackets
			t.Errorf("%s: %+v, want %d: %s", c.reason, s, want, c.text)
		}
	}
}

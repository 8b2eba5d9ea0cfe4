package verdict

import (
	"math"

	"tribunal/envelope"
)

// total adds decimals in a given order and keeps what each step rounds away
// (A. Neumaier, ZAMM 54, 1974), so that ten times 0.1 is 1.
type total struct {
	sum, carry float64
	known      bool
}

func (t *total) add(v float64) {
	s := t.sum + v
	if math.Abs(t.sum) >= math.Abs(v) {
		t.carry += (t.sum - s) + v
	} else {
		t.carry += (v - s) + t.sum
	}
	t.sum, t.known = s, true
}

// value is the sum, absent when nothing was added or it is not finite.
func (t *total) value() envelope.Opt[float64] {
	if !t.known {
		return envelope.Opt[float64]{}
	}
	return envelope.Finite(t.sum + t.carry)
}

// sum adds the cells of a column that are there.
func sum(cells envelope.Column[float64]) envelope.Opt[float64] {
	var t total
	for i := range cells {
		if v, ok := cells.At(i); ok {
			t.add(v)
		}
	}
	return t.value()
}

// sumOf adds a number of each test that has it.
func sumOf(tests []envelope.Test, number func(*envelope.Test) envelope.Opt[float64]) envelope.Opt[float64] {
	var t total
	for i := range tests {
		if v := number(&tests[i]); v.OK {
			t.add(v.V)
		}
	}
	return t.value()
}

// wholeTotal adds whole numbers that are not negative; a sum that does not fit is
// absent.
type wholeTotal struct {
	sum  envelope.Opt[int64]
	over bool
}

func (t *wholeTotal) add(v int64) {
	t.over = t.over || v > math.MaxInt64-t.sum.V
	t.sum = envelope.Some(t.sum.V + v)
}

func (t *wholeTotal) value() envelope.Opt[int64] {
	if t.over {
		return envelope.Opt[int64]{}
	}
	return t.sum
}

// sumWhole adds the cells of a column that are there.
func sumWhole[T int32 | int64](cells envelope.Column[T]) envelope.Opt[int64] {
	var t wholeTotal
	for i := range cells {
		if v, ok := cells.At(i); ok {
			t.add(int64(v))
		}
	}
	return t.value()
}

// sumWholeOf adds a number of each test that has it.
func sumWholeOf(tests []envelope.Test, number func(*envelope.Test) envelope.Opt[int64]) envelope.Opt[int64] {
	var t wholeTotal
	for i := range tests {
		if v := number(&tests[i]); v.OK {
			t.add(v.V)
		}
	}
	return t.value()
}

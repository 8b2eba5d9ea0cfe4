package envelope

import (
	"math"
	"unsafe"
)

// Cell is what a Column may hold.
type Cell interface{ ~int32 | ~int64 | ~float64 }

// Column is one optional field of every trial of a test, in the order of its
// rows. It is nil while no trial has the field, so a field nobody uses costs
// nothing; inside it, an absent cell holds a value of its own (NaN, or the
// smallest integer) that no trial can carry.
type Column[T Cell] []T

// Absent is what stands in a cell of a Column without a value. It is written so
// that the compiler knows it: this is asked for every cell of every trial.
func Absent[T Cell]() T {
	if T(1)/2 != 0 {
		return T(math.NaN())
	}
	smallest := T(math.MinInt32)
	if unsafe.Sizeof(smallest) == 8 {
		smallest *= 1 << 16
		smallest *= 1 << 16
	}
	return smallest
}

func isAbsent[T Cell](v T) bool { return v != v || v == Absent[T]() }

// At returns the cell of row i and whether it is present.
func (c Column[T]) At(i int) (T, bool) {
	if i >= len(c) || isAbsent(c[i]) {
		var zero T
		return zero, false
	}
	return c[i], true
}

// Set puts v into row n, which must lie behind the rows set before. Rows between
// them are without. There is one zero only: the sign of 0 is not written.
func (c *Column[T]) Set(n int, v T) {
	if len(*c) < n {
		*c = c.padded(n)
	}
	*c = append(*c, v+0) // -0 + 0 is 0
}

func (c Column[T]) padded(n int) Column[T] {
	for len(c) < n {
		c = append(c, Absent[T]())
	}
	return c
}

// Put is Set for a value that may be absent.
func (c *Column[T]) Put(n int, v Opt[T]) {
	if v.OK {
		c.Set(n, v.V)
	} else if *c != nil {
		c.Set(n, Absent[T]())
	}
}

// extend appends the rows lo to hi of another column behind row n.
func (c *Column[T]) extend(n int, from Column[T], lo, hi, room int) {
	extend((*[]T)(c), n, Absent[T](), from, lo, hi, room)
}

func extend[T any](to *[]T, n int, none T, from []T, lo, hi, room int) {
	if lo >= len(from) {
		return
	}
	out := *to
	if out == nil {
		out = make([]T, room)[:0]
	}
	for len(out) < n {
		out = append(out, none)
	}
	*to = append(out, from[lo:min(hi, len(from))]...)
}

// Opt is At as an Opt.
func (c Column[T]) Opt(i int) Opt[T] {
	v, ok := c.At(i)
	return Opt[T]{V: v, OK: ok}
}

// Values returns the present cells in order.
func (c Column[T]) Values() []T { return c.AppendValues(make([]T, 0, len(c))) }

// AppendValues appends the present cells in order.
func (c Column[T]) AppendValues(to []T) []T {
	for _, v := range c {
		if !isAbsent(v) {
			to = append(to, v)
		}
	}
	return to
}

// pick returns the column with the rows order[0], order[1], …; nil when none of
// them has the field.
func (c Column[T]) pick(order []int) Column[T] {
	if c == nil {
		return nil
	}
	out := make(Column[T], len(order))
	any := false
	for i, from := range order {
		out[i] = Absent[T]()
		if v, ok := c.At(from); ok {
			out[i], any = v, true
		}
	}
	if !any {
		return nil
	}
	return out
}

// part are the cells of a column, which may end before, of n rows from one on.
func part[C ~[]T, T any](c C, from uint32, n int) C {
	end := min(int(from)+n, len(c))
	return c[from:end:end]
}

package envelope

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tribunal/envelope/internal/codec"
)

// Cell is what a Column may hold.
type Cell interface{ ~int32 | ~int64 | ~float64 }

// Column is one optional field of every trial of a test, in the order of its rows. It is nil while
// no trial has the field, so a field nobody uses costs nothing; inside it, an absent cell holds a
// value of its own (NaN, or the smallest integer) that no trial can carry.
type Column[T Cell] []T

// Absent is what stands in a cell of a Column without a value. It is written so
// that the compiler knows it: this is asked for every cell of every trial.
func Absent[T Cell]() T {
	if T(1)/2 != 0 {
		return T(math.NaN())
	}
	smallest := T(math.MinInt32)
	if 2*smallest != 0 {
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

// pick returns the column with the rows order[0], order[1], …; nil when none of them has the field.
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

// ParseTruth maps the word of a person's label to pass or fail, or to a category from 2 to
// 9: category 1 is a pass and 0 a fail. It takes the words of a status; one that is neither
// pass nor fail is no label.
func ParseTruth(word string) (Status, bool) {
	switch {
	case word == "0":
		return Fail, true
	case word == "1":
		return Pass, true
	case len(word) == 1 && isCategory(Given(word[0])):
		return Status(word), true
	}
	s, ok := ParseStatus(word)
	return s, ok && (s == Pass || s == Fail)
}

// isCategory reports a label beyond pass and fail.
func isCategory(g Given) bool { return '2' <= g && g <= '9' }

// Truths is the column of labels: the letters of Passed and Failed, the digit of another
// category, 0 for a trial that nobody labelled. Rows behind its end have none; it is nil when all have none.
type Truths []Given

// unlabelled stands on the wire for a trial without a label.
const unlabelled = '.'

func truthOf(s Status) Given {
	switch {
	case s == Pass || s == Fail:
		return GivenOf(s)
	case len(s) == 1 && isCategory(Given(s[0])):
		return Given(s[0])
	}
	return 0
}

// At is the label of row i: pass, fail, the digit of a category, or "" for none.
func (t Truths) At(i int) Status {
	if g := t.given(i); isCategory(g) {
		return Status(rune(g))
	}
	return t.given(i).Status()
}

// Category is the label of row i as a category: 1 for pass and 0 for fail.
func (t Truths) Category(i int) (category int, labelled bool) {
	switch g := t.given(i); {
	case isCategory(g):
		return int(g - '0'), true
	case g == Given(Passed):
		return 1, true
	default:
		return 0, g != 0
	}
}

// Categories reports labels beyond pass and fail.
func (t Truths) Categories() bool { return slices.ContainsFunc(t, isCategory) }

func (t Truths) given(i int) Given {
	if i >= len(t) {
		return 0
	}
	return t[i]
}

// Set puts the label of row n, which must lie behind the rows set before.
func (t *Truths) Set(n int, label Status) { t.put(n, truthOf(label)) }

func (t *Truths) put(n int, label Given) {
	if label == 0 && *t == nil {
		return
	}
	for len(*t) < n {
		*t = append(*t, 0)
	}
	*t = append(*t, label)
}

func (t *Truths) extend(n int, from Truths, lo, hi, room int) {
	extend((*[]Given)(t), n, 0, from, lo, hi, room)
}

func (t Truths) pick(order []int) Truths {
	var out Truths
	for i, from := range order {
		if label := t.given(from); label != 0 {
			out.put(i, label)
		}
	}
	return out
}

// truthColumn is a string with a letter a row, as the outcomes are.
var truthColumn = codec.Kind[Truths]{
	Write: func(w *codec.Writer, t *Truths) {
		w.B = append(w.B, '"')
		for i := range w.Rows {
			w.B = append(w.B, byte(cmp.Or(t.given(i), unlabelled)))
		}
		w.B = append(w.B, '"')
	},
	Read: func(p *codec.Parser, t *Truths) {
		raw, plain := p.Quoted()
		p.Odd = p.Odd || !plain || t.restore(string(raw)) != nil || *t == nil
	},
	None: func(t *Truths) bool { return *t == nil },
}

// restore reads what the column is on the wire. One without any label is none.
func (t *Truths) restore(letters string) error {
	*t = nil
	labelled := false
	for i := range len(letters) {
		given := Given(letters[i])
		switch {
		case given == unlabelled:
			given = 0
		case given == Given(Passed), given == Given(Failed), isCategory(given):
			labelled = true
		default:
			return fmt.Errorf("rows.truth[%d]: %q is not one of P, F, 2 to 9 and %q", i, letters[i], string(rune(unlabelled)))
		}
		*t = append(*t, given)
	}
	if !labelled {
		*t = nil
	}
	return nil
}

package envelope

import (
	"math"
	"strings"
	"unsafe"

	"tribunal/internal/heap"
)

// Cell is what a Column may hold.
type Cell interface{ ~int32 | ~int64 | ~float64 }

// Column is one optional field of every trial of a test, in the order of its
// rows. It is nil while no trial has the field, so a field nobody uses costs
// nothing; inside it, an absent cell holds a value of its own (NaN, or the
// smallest integer) that no trial can carry.
type Column[T Cell] []T

// absent is what stands in a cell without a value. It is written so that the
// compiler knows it: this is asked for every cell of every trial.
func absent[T Cell]() T {
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

func isAbsent[T Cell](v T) bool { return v != v || v == absent[T]() }

// At returns the cell of row i and whether it is present.
func (c Column[T]) At(i int) (T, bool) {
	if i >= len(c) || isAbsent(c[i]) {
		var zero T
		return zero, false
	}
	return c[i], true
}

// Set puts v into row n, which must lie behind the rows set before. Rows between
// them are without. There is one zero only: what tells -0 from 0 is not written.
func (c *Column[T]) Set(n int, v T) {
	if len(*c) < n {
		*c = c.padded(n)
	}
	*c = append(*c, v+0) // -0 + 0 is 0
}

func (c Column[T]) padded(n int) Column[T] {
	for len(c) < n {
		c = append(c, absent[T]())
	}
	return c
}

// put is Set for a value that may be absent.
func (c *Column[T]) put(n int, v Opt[T]) {
	if v.OK {
		c.Set(n, v.V)
	} else if *c != nil {
		c.Set(n, absent[T]())
	}
}

// extend appends the rows lo to hi of another column behind row n.
func (c *Column[T]) extend(n int, from Column[T], lo, hi, room int) {
	extend((*[]T)(c), n, absent[T](), from, lo, hi, room)
}

func extend[T any](to *[]T, n int, none T, from []T, lo, hi, room int) {
	if lo >= len(from) {
		return
	}
	out := *to
	if out == nil {
		out = heap.Slice[T](room)[:0]
	}
	for len(out) < n {
		out = append(out, none)
	}
	*to = append(out, from[lo:min(hi, len(from))]...)
}

// opt is At as an Opt.
func (c Column[T]) opt(i int) Opt[T] {
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
		out[i] = absent[T]()
		if v, ok := c.At(from); ok {
			out[i], any = v, true
		}
	}
	if !any {
		return nil
	}
	return out
}

// Dictionary numbers the strings that the columns of one run share, so that a
// cell costs four bytes however long its string is. Number 0 is "".
type Dictionary struct {
	words []string
	ids   map[string]uint32
}

func newDictionary() *Dictionary {
	return &Dictionary{words: []string{""}, ids: map[string]uint32{"": 0}}
}

func (d *Dictionary) word(s string) Word { return Word{dict: d, id: d.id(s)} }

func (d *Dictionary) id(word string) uint32 {
	if word == "" {
		return 0
	}
	if id, ok := d.ids[word]; ok {
		return id
	}
	id := uint32(len(d.words))
	word = strings.Clone(word)
	d.words = append(d.words, word)
	d.ids[word] = id
	return id
}

// Word is a string of a Dictionary. The zero Word is none.
type Word struct {
	dict *Dictionary
	id   uint32
}

// Words is a column of strings; "" is absent.
type Words struct {
	dict *Dictionary
	ids  []uint32
}

// Used reports whether any row has a string.
func (w Words) Used() bool { return w.ids != nil }

// At returns the string of row i, "" when it has none.
func (w Words) At(i int) string {
	if i >= len(w.ids) {
		return ""
	}
	return w.dict.words[w.ids[i]]
}

// number is the number of the string of row i.
func (w Words) number(i int) uint32 {
	if i >= len(w.ids) {
		return 0
	}
	return w.ids[i]
}

func (w *Words) put(n int, word string, d *Dictionary) {
	if word == "" && w.ids == nil {
		return
	}
	w.dict = d
	for len(w.ids) < n {
		w.ids = append(w.ids, 0)
	}
	w.ids = append(w.ids, d.id(word))
}

// Set puts a word into row n, which must lie behind the rows set before.
func (w *Words) Set(n int, word Word) {
	for len(w.ids) < n {
		w.ids = append(w.ids, 0)
	}
	w.dict, w.ids = word.dict, append(w.ids, word.id)
}

func (w *Words) extend(n int, from Words, lo, hi, room int) {
	if lo < len(from.ids) {
		w.dict = from.dict
		extend(&w.ids, n, 0, from.ids, lo, hi, room)
	}
}

// fill puts a word into each of n rows that has none.
func (w *Words) fill(n int, word Word) {
	for len(w.ids) < n {
		w.ids = append(w.ids, 0)
	}
	w.dict = word.dict
	for i, id := range w.ids {
		if id == 0 {
			w.ids[i] = word.id
		}
	}
}

func (w Words) cleared() Words { return Words{dict: w.dict, ids: w.ids[:0]} }

func (w Words) pick(order []int) Words {
	out := Words{dict: w.dict}
	if w.ids == nil {
		return Words{}
	}
	ids, any := make([]uint32, len(order)), false
	for i, from := range order {
		if from < len(w.ids) {
			ids[i] = w.ids[from]
			any = any || ids[i] != 0
		}
	}
	if !any {
		return Words{}
	}
	out.ids = ids
	return out
}

package envelope

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"tribunal/envelope/internal/codec"
	"tribunal/internal/decimal"
)

// columns of numbers are arrays with null for absent cells.
func columns[T Cell]() kind[Column[T]] {
	return kind[Column[T]]{
		write: func(w *writer, c *Column[T]) { w.b = c.appendJSON(w.b, w.rows) },
		read:  func(p *parser, c *Column[T]) { *c = readColumn[T](p) },
		none:  func(c *Column[T]) bool { return *c == nil },
	}
}

// appendJSON appends the first n cells as an array with null for absent ones.
func (c Column[T]) appendJSON(b []byte, n int) []byte {
	b = append(b, '[')
	for _, v := range c[:min(n, len(c))] {
		if isAbsent(v) {
			b = append(b, "null,"...)
		} else {
			b = append(appendNumber(b, v), ',')
		}
	}
	for range n - len(c) {
		b = append(b, "null,"...)
	}
	return endArray(b)
}

// endArray ends an array of which each cell is followed by a comma.
func endArray(b []byte) []byte {
	if last := len(b) - 1; b[last] == ',' {
		b[last] = ']'
		return b
	}
	return append(b, ']')
}

// appendNumber is written so that the compiler knows which kind it is.
func appendNumber[T number](b []byte, v T) []byte {
	if T(1)/2 != 0 {
		return appendFloat(b, float64(v))
	}
	return appendInt(b, int64(v))
}

// readColumn reads what appendJSON writes: nil when every cell is absent.
func readColumn[T Cell](p *parser) Column[T] {
	c := make(Column[T], 0, p.cells())
	for more := !p.odd; more && !p.odd; more = p.more(']') {
		c = append(plainCells(p, c), cellOf[T](p))
	}
	if !slices.ContainsFunc(c, func(v T) bool { return !isAbsent(v) }) {
		return nil
	}
	return c
}

// plainCells reads cells as long as they are numbers between commas, of which
// there is nothing else to ask.
func plainCells[T Cell](p *parser, c Column[T]) Column[T] {
	for {
		v, end := numberAt[T](p.b, p.i)
		if end < 0 || end >= len(p.b) || p.b[end] != ',' || isAbsent(v) {
			return c
		}
		c, p.i = append(c, v+0), end+1 // one zero only, as in Set
	}
}

// numberAt reads the number of one kind at an offset and returns the offset behind
// it, -1 when there is none.
func numberAt[T number](text []byte, i int) (v T, end int) {
	if T(1)/2 != 0 {
		f, end := decimal.Real(text, i)
		return T(f), end
	}
	n, end := decimal.Whole(text, i)
	if v = T(n); int64(v) != n {
		return 0, -1
	}
	return v, end
}

// cellOf reads a number or null.
func cellOf[T Cell](p *parser) T {
	if p.sees('n') {
		p.literal("null")
		return Absent[T]()
	}
	v := numberOf[T](p)
	p.odd = p.odd || isAbsent(v)
	return v + 0
}

// numberOf reads a number of one kind.
func numberOf[T number](p *parser) T {
	p.skipBlanks()
	v, end := numberAt[T](p.b, p.i)
	p.behind(end)
	return v
}

// cells takes the beginning of an array that has cells, and guesses how many.
func (p *parser) cells() int {
	p.expect('[')
	p.odd = p.odd || p.peek() == ']'
	end := bytes.IndexByte(p.b[p.i:], ']')
	if p.odd = p.odd || end < 0; p.odd {
		return 0
	}
	return bytes.Count(p.b[p.i:p.i+end], []byte{','}) + 1
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
		c.Put(i, v)
	}
	return nil
}

// wordColumns are arrays of strings.
var wordColumns = kind[Words]{
	write: func(w *writer, c *Words) { w.b = c.appendJSON(w.b, w.rows) },
	read:  func(p *parser, c *Words) { *c = readWords(p) },
	none:  func(c *Words) bool { return !c.Used() },
}

func (w Words) appendJSON(b []byte, n int) []byte {
	b = append(b, '[')
	last, from, to := uint32(0), 0, 0
	for i := range n {
		switch id := w.ID(i); {
		case id == 0:
			b = append(b, `"",`...)
		case id == last: // as it was written before
			b = append(b, b[from:to]...)
		default:
			last, from = id, len(b)
			b = append(codec.AppendString(b, w.At(i)), ',')
			to = len(b)
		}
	}
	return endArray(b)
}

// readWords reads what appendJSON writes.
func readWords(p *parser) Words {
	ids, some := make([]uint32, 0, p.cells()), false
	var last []byte // the word before, with its quotes
	var id uint32
	for more := !p.odd; more && !p.odd; more = p.more(']') {
		switch {
		case p.repeats(`""`):
			ids = append(ids, 0)
			continue
		case last == nil || !p.repeats(string(last)):
			last, id = p.word()
		}
		ids = append(ids, id)
		some = some || id != 0
	}
	if !some {
		return Words{}
	}
	return Words{dict: p.dictionary(), IDs: ids}
}

// repeats takes a text if that is what is next.
func (p *parser) repeats(text string) bool {
	end := p.i + len(text)
	if end > len(p.b) || string(p.b[p.i:end]) != text {
		return false
	}
	p.i = end
	return true
}

// word reads a string and gives its number, and what it looked like.
func (p *parser) word() (quoted []byte, id uint32) {
	p.peek()
	start := p.i
	raw, plain := p.quoted()
	if p.odd {
		return nil, 0
	}
	return p.b[start:p.i], p.wordID(raw, plain)
}

// wordID is the number of a word, which is nearly always known.
func (p *parser) wordID(raw []byte, plain bool) uint32 {
	switch {
	case len(raw) == 0:
		return 0
	case !plain:
		return p.dictionary().ID(p.unescape(raw))
	}
	if id, ok := p.dictionary().ids[string(raw)]; ok {
		return id
	}
	return p.dictionary().ID(string(raw))
}

// UnmarshalJSON reads what appendJSON writes.
func (w *Words) UnmarshalJSON(b []byte) error {
	var cells []string
	if err := json.Unmarshal(b, &cells); err != nil {
		return err
	}
	d := NewDictionary()
	*w = Words{}
	for i, s := range cells {
		w.put(i, s, d)
	}
	return nil
}

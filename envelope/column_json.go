package envelope

import (
	"encoding/json"
	"fmt"
	"slices"
	"unsafe"

	"tribunal/envelope/internal/codec"
)

// columns of numbers are arrays with null for absent cells.
func columns[T Cell]() codec.Kind[Column[T]] {
	return codec.Kind[Column[T]]{
		Write: func(w *codec.Writer, c *Column[T]) { w.B = c.appendJSON(w.B, w.Rows) },
		Read:  func(p *codec.Parser, c *Column[T]) { *c = readColumn[T](p) },
		None:  func(c *Column[T]) bool { return *c == nil },
	}
}

// appendJSON appends the first n cells as an array with null for absent ones.
func (c Column[T]) appendJSON(b []byte, n int) []byte {
	b = append(b, '[')
	for _, v := range c[:min(n, len(c))] {
		if isAbsent(v) {
			b = append(b, "null,"...)
		} else {
			b = append(codec.AppendNumber(b, v), ',')
		}
	}
	for range n - len(c) {
		b = append(b, "null,"...)
	}
	return codec.EndArray(b)
}

// readColumn reads what appendJSON writes: nil when every cell is absent.
func readColumn[T Cell](p *codec.Parser) Column[T] {
	c := Column[T](roomOf[T](p)[:0])
	for more := !p.Odd; more && !p.Odd; more = p.More(']') {
		c = append(plainCells(p, c), cellOf[T](p))
	}
	if !slices.ContainsFunc(c, func(v T) bool { return !isAbsent(v) }) {
		return nil
	}
	return c
}

// plainCells reads cells as long as they are numbers or null between commas, of
// which there is nothing else to ask.
func plainCells[T Cell](p *codec.Parser, c Column[T]) Column[T] {
	for {
		v, end := codec.CellAt[T](p.B, p.At)
		switch {
		case end >= 0 && !isAbsent(v):
			c, p.At = append(c, v+0), end+1 // one zero only, as in Set
		case p.Repeats("null,"):
			c = append(c, Absent[T]())
		default:
			return c
		}
	}
}

// cellOf reads a number or null.
func cellOf[T Cell](p *codec.Parser) T {
	if p.Sees('n') {
		p.Literal("null")
		return Absent[T]()
	}
	v := codec.NumberOf[T](p)
	p.Odd = p.Odd || isAbsent(v)
	return v + 0
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
var wordColumns = codec.Kind[Words]{
	Write: func(w *codec.Writer, c *Words) { w.B = c.appendJSON(w.B, w.Rows) },
	Read:  func(p *codec.Parser, c *Words) { *c = readWords(p) },
	None:  func(c *Words) bool { return !c.Used() },
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
	return codec.EndArray(b)
}

// readWords reads what appendJSON writes.
func readWords(p *codec.Parser) Words {
	d := p.Shared.(*Together).words
	ids, some := roomOf[uint32](p)[:0], false
	var last []byte // the word before, with its quotes
	var id uint32
	for more := !p.Odd; more && !p.Odd; more = p.More(']') {
		switch {
		case p.Repeats(`""`):
			ids = append(ids, 0)
			continue
		case last == nil || !p.Repeats(string(last)):
			last, id = word(p, d)
		}
		ids = append(ids, id)
		some = some || id != 0
	}
	if !some {
		return Words{}
	}
	return Words{dict: d, IDs: ids}
}

// word reads a string and gives its number, and what it looked like.
func word(p *codec.Parser, d *Dictionary) (quoted []byte, id uint32) {
	p.Peek()
	start := p.At
	raw, plain := p.Quoted()
	switch {
	case p.Odd:
		return nil, 0
	case plain:
		id = d.ID(unsafe.String(unsafe.SliceData(raw), len(raw)))
	default:
		id = d.ID(p.Unescape(raw))
	}
	return p.B[start:p.At], id
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

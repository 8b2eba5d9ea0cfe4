package envelope

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	return appendInt(b, int64(v))
}

// readColumn reads what appendJSON writes. Absent cells before the first that
// is present cost nothing until there is one.
func readColumn[T Cell](p *parser) Column[T] {
	cells := p.cells()
	if p.odd {
		return nil
	}
	var c Column[T]
	for n, more := 0, true; more && !p.odd; n, more = n+1, p.more(']') {
		v, ok := readCell[T](p)
		if c == nil && ok {
			c = make(Column[T], 0, max(cells, n+1))
		}
		c.put(n, Opt[T]{v, ok})
	}
	return c
}

// readCell reads a number or null.
func readCell[T Cell](p *parser) (v T, ok bool) {
	if p.peek() == 'n' {
		p.literal("null")
		return v, false
	}
	if f, isReal := any(&v).(*float64); isReal {
		*f = p.real()
		return v, true
	}
	n := p.whole()
	v = T(n)
	p.odd = p.odd || int64(v) != n || isAbsent(v)
	return v, true
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
		c.put(i, v)
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
		if i > 0 {
			b = append(b, ',')
		}
		id := w.id(i)
		if id == last && to > 0 { // as it was written just now
			b = append(b, b[from:to]...)
			continue
		}
		last, from = id, len(b)
		b = appendString(b, w.At(i))
		to = len(b)
	}
	return append(b, ']')
}

// id is the number of the string of row i.
func (w Words) id(i int) uint32 {
	if i >= len(w.ids) {
		return 0
	}
	return w.ids[i]
}

// readWords reads what appendJSON writes.
func readWords(p *parser) Words {
	cells := p.cells()
	var w Words
	var last []byte
	for n, more := 0, !p.odd; more && !p.odd; n, more = n+1, p.more(']') {
		raw, plain := p.quoted()
		switch {
		case p.odd:
		case last != nil && w.ids != nil && plain && bytes.Equal(raw, last):
			w.ids = append(w.ids, w.ids[n-1])
		case w.ids == nil && len(raw) == 0:
		default:
			if w.ids == nil {
				w = Words{dict: p.dictionary(), ids: make([]uint32, n, max(cells, n+1))}
			}
			w.ids = append(w.ids, p.wordID(raw, plain))
			if last = raw; !plain {
				last = nil
			}
		}
	}
	return w
}

// wordID is the number of a word, which is nearly always known.
func (p *parser) wordID(raw []byte, plain bool) uint32 {
	switch {
	case len(raw) == 0:
		return 0
	case !plain:
		return p.dictionary().id(p.unescape(raw))
	}
	if id, ok := p.dictionary().ids[string(raw)]; ok {
		return id
	}
	return p.dictionary().id(string(raw))
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

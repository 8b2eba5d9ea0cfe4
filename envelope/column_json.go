package envelope

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"tribunal/envelope/internal/codec"
	"tribunal/internal/jsontext"
)

// outcomes are one string, a letter a row.
var outcomes = codec.Kind[Outcomes]{
	Write: func(w *codec.Writer, o *Outcomes) {
		w.B = append(w.B, '"')
		for _, c := range *o {
			w.B = append(w.B, byte(c))
		}
		w.B = append(w.B, '"')
	},
	Read: func(p *codec.Parser, o *Outcomes) {
		raw, plain := p.Quoted()
		p.Odd = p.Odd || !plain
		*o = make([]Outcome, len(raw))
		for i, c := range raw {
			(*o)[i] = Outcome(c)
		}
	},
	None: func(*Outcomes) bool { return false },
}

// sourceColumn writes the first source as 0, although its cells are empty.
var sourceColumn = codec.Kind[Column[int32]]{
	Write: func(w *codec.Writer, c *Column[int32]) {
		w.List('[', w.Rows, func(i int) {
			source, _ := c.At(i)
			w.B = strconv.AppendInt(w.B, int64(source), 10)
		})
	},
	Read: columns[int32]().Read,
	None: columns[int32]().None,
}

var flagColumn = codec.Kind[Flags]{
	Write: func(w *codec.Writer, f *Flags) {
		w.List('[', w.Rows, func(i int) { w.B = strconv.AppendBool(w.B, f.At(i)) })
	},
	Read: func(p *codec.Parser, f *Flags) {
		*f = make(Flags, 0, p.Cells())
		for more := !p.Odd; more && !p.Odd; more = p.More(']') {
			*f = append(*f, p.Flag())
		}
	},
	None: func(f *Flags) bool { return *f == nil },
}

// timeColumn is an array of RFC 3339 times, null where there is none.
var timeColumn = codec.Kind[Column[int64]]{
	Write: func(w *codec.Writer, c *Column[int64]) {
		w.List('[', w.Rows, func(i int) {
			if ns, ok := c.At(i); ok {
				w.B = codec.AppendTime(w.B, ns)
			} else {
				w.Text("null")
			}
		})
	},
	Read: func(p *codec.Parser, c *Column[int64]) {
		cells := p.Cells()
		for n, more := 0, !p.Odd; more && !p.Odd; n, more = n+1, p.More(']') {
			ns := timeOf(p)
			if *c == nil && ns.OK {
				*c = make(Column[int64], 0, max(cells, n+1))
			}
			c.Put(n, ns)
		}
		p.Odd = p.Odd || *c == nil // cells without an instant count, too
	},
	None: func(c *Column[int64]) bool { return *c == nil },
}

func timeOf(p *codec.Parser) Opt[int64] {
	if p.Peek() == 'n' {
		p.Literal("null")
		return Opt[int64]{}
	}
	raw, plain := p.Quoted()
	t, err := time.Parse(time.RFC3339Nano, string(raw))
	p.Odd = p.Odd || !plain || err != nil
	return instant(t)
}

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

func readWords(p *codec.Parser) Words {
	d := p.Shared.(*DecodeState).words
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
		id = d.ID(jsontext.InPlace(raw))
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

// DecodeState is what rows share that are read at a stretch by ConsumeJSON: a
// Dictionary. Verdicts are those of their tests.
type DecodeState struct {
	Verdicts Verdicts

	words *Dictionary
	read  Columns // of the test that is read
	rows  Block   // of the tests before
}

// Reset starts a stretch, with words of its own.
func (t *DecodeState) Reset() { t.words, t.rows = NewDictionary(), Block{} }

// roomOf is room for the cells of the array that comes next.
func roomOf[T Cell | uint32](p *codec.Parser) []T { return make([]T, p.Cells()) }

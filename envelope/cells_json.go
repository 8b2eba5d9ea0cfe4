package envelope

import (
	"strconv"
	"time"

	"tribunal/envelope/internal/codec"
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
		w.B = append(w.B, '[')
		for i := range w.Rows {
			if i > 0 {
				w.B = append(w.B, ',')
			}
			source, _ := c.At(i)
			w.B = strconv.AppendInt(w.B, int64(source), 10)
		}
		w.B = append(w.B, ']')
	},
	Read: columns[int32]().Read,
	None: columns[int32]().None,
}

var flagColumn = codec.Kind[Flags]{
	Write: func(w *codec.Writer, f *Flags) {
		w.B = append(w.B, '[')
		for i := range w.Rows {
			if i > 0 {
				w.B = append(w.B, ',')
			}
			w.B = codec.AppendBool(w.B, f.At(i))
		}
		w.B = append(w.B, ']')
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
		w.B = append(w.B, '[')
		for i := range w.Rows {
			if i > 0 {
				w.B = append(w.B, ',')
			}
			if ns, ok := c.At(i); ok {
				w.B = codec.AppendTime(w.B, ns)
			} else {
				w.Text("null")
			}
		}
		w.B = append(w.B, ']')
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

// timeOf reads an instant or null.
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

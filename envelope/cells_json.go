package envelope

import "time"

// outcomes are one string, a letter a row.
var outcomes = kind[Outcomes]{
	write: func(w *writer, o *Outcomes) {
		w.b = append(w.b, '"')
		for _, c := range *o {
			w.b = append(w.b, byte(c))
		}
		w.b = append(w.b, '"')
	},
	read: func(p *parser, o *Outcomes) {
		raw, plain := p.quoted()
		p.odd = p.odd || !plain
		*o = make(Outcomes, len(raw))
		for i, c := range raw {
			(*o)[i] = Outcome(c)
		}
	},
	none: func(*Outcomes) bool { return false },
}

// sourceColumn writes the first source as 0, although its cells are empty.
var sourceColumn = kind[Column[int32]]{
	write: func(w *writer, c *Column[int32]) {
		w.b = append(w.b, '[')
		for i := range w.rows {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			source, _ := c.At(i)
			w.b = appendInt(w.b, int64(source))
		}
		w.b = append(w.b, ']')
	},
	read: columns[int32]().read,
	none: columns[int32]().none,
}

var flagColumn = kind[Flags]{
	write: func(w *writer, f *Flags) {
		w.b = append(w.b, '[')
		for i := range w.rows {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.b = appendBool(w.b, f.At(i))
		}
		w.b = append(w.b, ']')
	},
	read: func(p *parser, f *Flags) {
		*f = make(Flags, 0, p.cells())
		for more := !p.odd; more && !p.odd; more = p.more(']') {
			*f = append(*f, p.flag())
		}
	},
	none: func(f *Flags) bool { return *f == nil },
}

// timeColumn is an array of RFC 3339 times, null where there is none.
var timeColumn = kind[Column[int64]]{
	write: func(w *writer, c *Column[int64]) {
		w.b = append(w.b, '[')
		for i := range w.rows {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			if ns, ok := c.At(i); ok {
				w.b = appendTime(w.b, ns)
			} else {
				w.text("null")
			}
		}
		w.b = append(w.b, ']')
	},
	read: func(p *parser, c *Column[int64]) {
		cells := p.cells()
		for n, more := 0, !p.odd; more && !p.odd; n, more = n+1, p.more(']') {
			ns := p.time()
			if *c == nil && ns.OK {
				*c = make(Column[int64], 0, max(cells, n+1))
			}
			c.Put(n, ns)
		}
		p.odd = p.odd || *c == nil // cells without an instant count, too
	},
	none: func(c *Column[int64]) bool { return *c == nil },
}

// time reads an instant or null.
func (p *parser) time() Opt[int64] {
	if p.peek() == 'n' {
		p.literal("null")
		return Opt[int64]{}
	}
	raw, plain := p.quoted()
	t, err := time.Parse(time.RFC3339Nano, string(raw))
	p.odd = p.odd || !plain || err != nil
	return instant(t)
}

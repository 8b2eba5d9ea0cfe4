package html

import (
	"bytes"
	"encoding/base64"
	"html/template"
	"io"
	"iter"
	"reflect"
	"strconv"
	"sync"

	"github.com/klauspost/compress/gzip"

	"tribunal/internal/parallel"
)

// island is data in the page: JSON, gzipped, as a string of base64.
type island struct {
	ID   string
	Data template.JS // a JSON string without anything a test wrote, as base64 has no such letters
}

// How many tests an island holds. Lines are all wanted sooner or later, bodies
// one at a time.
const (
	linesPer  = 1000
	bodiesPer = 200
)

func (k *kit) index(l *listing) *island {
	packed := pack("index", func(w io.Writer) { index{listing: l}.writeTo(w, k.blueprint) })
	return &packed
}

// islands are the lines and the bodies of the tests that travel as data, in this
// order.
func (k *kit) islands(l *listing) iter.Seq[island] {
	lines, bodies := chunks(len(l.order)-l.rows, linesPer), chunks(len(l.order), bodiesPer)
	if l.whole {
		bodies = 0
	}
	return parallel.Seq(lines+bodies, func(i int) island {
		if i < lines {
			return pack("lines-"+strconv.Itoa(i), func(w io.Writer) { l.writeLines(w, k.line, i) })
		}
		return pack("bodies-"+strconv.Itoa(i-lines), func(w io.Writer) { l.writeBodies(w, k, i-lines) })
	})
}

func chunks(n, per int) int { return (n + per - 1) / per }

// writeLines writes the lines of the tests of an island, a JSON list each.
func (l *listing) writeLines(w io.Writer, line wire, chunk int) {
	from := l.rows + chunk*linesPer
	var b []byte
	var r row
	written := reflect.ValueOf(&r).Elem()
	for place := from; place < min(from+linesPer, len(l.order)); place++ {
		r = l.open.line(l.at(place))
		b = append(line(b[:0], written), '\n')
		_, _ = w.Write(b)
	}
}

// writeBodies writes the opened tests of an island, a JSON list each.
func (l *listing) writeBodies(w io.Writer, k *kit, chunk int) {
	from := chunk * bodiesPer
	var b []byte
	for place := from; place < min(from+bodiesPer, len(l.order)); place++ {
		if whole, rest := l.body(place); whole != nil {
			b = k.body(b[:0], reflect.ValueOf(whole).Elem())
		} else {
			b = k.rest(b[:0], reflect.ValueOf(rest).Elem())
		}
		_, _ = w.Write(append(b, '\n'))
	}
}

var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, 6) // a level that there is
	return z
}}

// pack compresses what is written into an island. Nothing can fail: it is written
// to memory.
func pack(id string, write func(io.Writer)) island {
	var text bytes.Buffer
	text.WriteByte('"')
	letters := base64.NewEncoder(base64.StdEncoding, &text)
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(letters)
	write(z)
	_, _ = z.Close(), letters.Close()
	text.WriteByte('"')
	return island{id, template.JS(text.Bytes())}
}

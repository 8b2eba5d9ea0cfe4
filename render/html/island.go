package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"html/template"
	"io"
	"iter"
	"reflect"
	"strconv"
	"sync"

	fast "github.com/klauspost/compress/gzip"

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
	packed := l.packers().pack("index", func(w io.Writer) { index{listing: l}.writeTo(w, k.blueprint) })
	return &packed
}

// islands are the lines and the bodies of the tests that travel as data, in this
// order.
func (k *kit) islands(l *listing) iter.Seq[island] {
	lines, bodies := chunks(len(l.order)-l.rows, linesPer), chunks(len(l.order), bodiesPer)
	if l.whole {
		bodies = 0
	}
	packers := l.packers()
	return parallel.Seq(lines+bodies, func(i int) island {
		if i < lines {
			return packers.pack("lines-"+strconv.Itoa(i), func(w io.Writer) { l.writeLines(w, k.line, i) })
		}
		return packers.pack("bodies-"+strconv.Itoa(i-lines), func(w io.Writer) { l.writeBodies(w, k, i-lines) })
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
		r = newLine(l.open.run, l.at(place))
		b = append(line(b[:0], written), '\n')
		_, _ = w.Write(b)
	}
}

// writeBodies writes the opened tests of an island, a JSON list each.
func (l *listing) writeBodies(w io.Writer, k *kit, chunk int) {
	from := chunk * bodiesPer
	var b []byte
	var facts factMemory
	for place := from; place < min(from+bodiesPer, len(l.order)); place++ {
		if whole, rest := l.body(place, &facts); whole != nil {
			b = k.body(b[:0], reflect.ValueOf(whole).Elem())
		} else {
			b = k.rest(b[:0], reflect.ValueOf(rest).Elem())
		}
		_, _ = w.Write(append(b, '\n'))
	}
}

// packers compress islands.
type packers struct{ sync.Pool }

type packer interface {
	io.WriteCloser
	Reset(to io.Writer)
}

// A page of many tests is packed quickly: of 200,000 tests it is made in 0.76 of the time, and
// 3 % larger. Others would be up to 7 % larger for a time that nobody notices.
var (
	thorough = &packers{sync.Pool{New: func() any { return gzip.NewWriter(nil) }}}
	quick    = &packers{sync.Pool{New: func() any {
		z, _ := fast.NewWriterLevel(nil, 6) // a level that there is
		return z
	}}}
)

const manyTests = 50_000

func (l *listing) packers() *packers {
	if len(l.order) >= manyTests {
		return quick
	}
	return thorough
}

// pack compresses what is written into an island. Nothing can fail: it is written
// to memory.
func (p *packers) pack(id string, write func(io.Writer)) island {
	var text bytes.Buffer
	text.WriteByte('"')
	letters := base64.NewEncoder(base64.StdEncoding, &text)
	z := p.Get().(packer)
	defer p.Put(z)
	z.Reset(letters)
	write(z)
	_, _ = z.Close(), letters.Close()
	text.WriteByte('"')
	return island{id, template.JS(text.Bytes())}
}

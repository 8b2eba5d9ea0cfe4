package html

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"html/template"
	"io"
	"iter"
	"strconv"
	"sync"

	"github.com/klauspost/compress/gzip"

	"tribunal/internal/parallel"
)

// island is data in the page: gzipped, as a string of base64.
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

func newIndex(l *listing) *island {
	packed := pack("index", index{listing: l}.writeTo)
	return &packed
}

// islands are the lines and the bodies of the tests that travel as data, in this
// order.
func (l *listing) islands() iter.Seq[island] {
	lines, bodies := chunks(len(l.order)-l.rows, linesPer), chunks(len(l.order), bodiesPer)
	if l.whole {
		bodies = 0
	}
	return parallel.Seq(lines+bodies, func(i int) island {
		if i < lines {
			return pack("lines-"+strconv.Itoa(i), func(w io.Writer) { l.writeLines(w, i) })
		}
		return pack("bodies-"+strconv.Itoa(i-lines), func(w io.Writer) { l.writeBodies(w, i-lines) })
	})
}

func chunks(n, per int) int { return (n + per - 1) / per }

// end is behind each text of an island: HTML and safe texts have none.
const end = "\x00"

// writeLines writes the tests of an island: of each its id, why it did not pass, and its row.
func (l *listing) writeLines(w io.Writer, chunk int) {
	from := l.rows + chunk*linesPer
	for place := from; place < min(from+linesPer, len(l.order)); place++ {
		r := l.open.line(l.at(place))
		_, _ = io.WriteString(w, r.ID+end+r.Why+end)
		put(w, r.write)
	}
}

// put writes HTML and the end behind it.
func put(w io.Writer, write func(*markup)) {
	_, _ = io.WriteString(w, string(htmlOf(write))+end)
}

// writeBodies writes the opened tests of an island.
func (l *listing) writeBodies(w io.Writer, chunk int) {
	from := chunk * bodiesPer
	for place := from; place < min(from+bodiesPer, len(l.order)); place++ {
		if whole, rest := l.body(place); whole != nil {
			put(w, whole.write)
		} else {
			put(w, rest.write)
		}
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
	out := bufio.NewWriterSize(z, 1<<14)
	write(out)
	_, _, _ = out.Flush(), z.Close(), letters.Close()
	text.WriteByte('"')
	return island{id, template.JS(text.Bytes())}
}

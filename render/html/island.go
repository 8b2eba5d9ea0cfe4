package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"html/template"
	"iter"
	"reflect"
	"strconv"
	"sync"

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
	packed := pack("index", newIndex(l, k.blueprint).data())
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
			return pack("lines-"+strconv.Itoa(i), l.lineData(k.line, i))
		}
		return pack("bodies-"+strconv.Itoa(i-lines), l.bodyData(k, i-lines))
	})
}

func chunks(n, per int) int { return (n + per - 1) / per }

// lineData are the lines of the tests of an island, a JSON list each.
func (l *listing) lineData(w wire, chunk int) []byte {
	from := l.rows + chunk*linesPer
	var b []byte
	for place := from; place < min(from+linesPer, len(l.order)); place++ {
		r := newLine(l.at(place))
		b = append(w(b, reflect.ValueOf(&r).Elem()), '\n')
	}
	return b
}

// bodyData are the opened tests of an island, a JSON list each.
func (l *listing) bodyData(k *kit, chunk int) []byte {
	from := chunk * bodiesPer
	var b []byte
	for place := from; place < min(from+bodiesPer, len(l.order)); place++ {
		if whole, rest := l.body(place); whole != nil {
			b = k.body(b, reflect.ValueOf(whole).Elem())
		} else {
			b = k.rest(b, reflect.ValueOf(rest).Elem())
		}
		b = append(b, '\n')
	}
	return b
}

var packers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// pack compresses data into an island. Nothing can fail: it is written to
// memory.
func pack(id string, data []byte) island {
	var squeezed bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&squeezed)
	_, _ = z.Write(data)
	_ = z.Close()
	text := make([]byte, 0, base64.StdEncoding.EncodedLen(squeezed.Len())+2)
	text = append(base64.StdEncoding.AppendEncode(append(text, '"'), squeezed.Bytes()), '"')
	return island{id, template.JS(text)}
}

package ndjson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"tribunal/compare"
	"tribunal/envelope/wire"
)

// WriteComparison writes a comparison as one JSON document with a line per test
// (tribunal/comparison/v1).
func WriteComparison(w io.Writer, c *compare.Comparison) error {
	if c == nil {
		return errors.New("json: no comparison to write")
	}
	out := newDocument(w)
	out.text(`{"schema":"` + compare.Schema + `",` + "\n" + ` "settings":`)
	out.value(c.Settings)
	if c.By != "" {
		out.field("by", c.By)
	}
	out.field("base", c.Base)
	out.text(",\n \"contrasts\":[")
	for i := range c.Contrasts {
		out.separate(i, "")
		out.contrast(&c.Contrasts[i])
	}
	out.text("]")
	out.field("gate", c.Gate)
	out.text(",\n \"problems\":")
	lines(out, c.Problems)
	out.text("}\n")
	if out.err != nil {
		return out.err
	}
	return out.to.Flush()
}

// document is a JSON document while it is written, up to the first error: value by
// value, for that of 100,000 tests is 100 MB.
type document struct {
	to   *bufio.Writer // keeps its first error until Flush
	line bytes.Buffer  // what json encodes
	json *json.Encoder
	err  error
}

func newDocument(w io.Writer) *document {
	d := &document{to: bufio.NewWriterSize(w, 1<<16)}
	d.json = json.NewEncoder(&d.line)
	d.json.SetEscapeHTML(false)
	return d
}

func (d *document) text(s string) { d.to.WriteString(s) }

// value appends v on one line. What a browser would obey is the business of
// whoever makes a page.
func (d *document) value(v any) {
	if d.err != nil {
		return
	}
	d.line.Reset()
	if d.err = d.json.Encode(v); d.err == nil {
		d.to.Write(wire.DisarmJSON(bytes.TrimSuffix(d.line.Bytes(), []byte("\n"))))
	}
}

func (d *document) field(key string, v any) {
	d.text(",\n \"" + key + "\":")
	d.value(v)
}

func (d *document) separate(i int, indent string) {
	if i > 0 {
		d.text(",")
	}
	d.text(indent)
}

func (d *document) contrast(c *compare.Contrast) {
	d.text("\n {\"candidate\":")
	d.value(c.Candidate)
	d.field("summary", c.Summary)
	d.field("run", c.Run)
	d.text(",\n \"tests\":")
	lines(d, c.Tests)
	d.text(",\n \"new\":")
	lines(d, c.New)
	d.text(",\n \"gone\":")
	lines(d, c.Gone)
	for _, parts := range []struct {
		key string
		of  []compare.Part
	}{{"checks", c.Checks}, {"tools", c.Tools}} {
		if len(parts.of) > 0 {
			d.text(",\n \"" + parts.key + "\":")
			lines(d, parts.of)
		}
	}
	d.text("}")
}

// lines appends a list, a line per element; never null.
func lines[T any](d *document, list []T) {
	d.text("[")
	for i := range list {
		d.separate(i, "\n  ")
		d.value(&list[i])
	}
	d.text("]")
}

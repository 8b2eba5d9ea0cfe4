package ndjson

import (
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
	out := &document{}
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
	_, err := w.Write(wire.DisarmJSON(out.buf.Bytes()))
	return err
}

// document is a JSON document while it is written, up to the first error.
type document struct {
	buf bytes.Buffer
	err error
}

func (d *document) text(s string) { d.buf.WriteString(s) }

// value appends v on one line. What a browser would obey is the business of
// whoever makes a page.
func (d *document) value(v any) {
	if d.err != nil {
		return
	}
	enc := json.NewEncoder(&d.buf)
	enc.SetEscapeHTML(false)
	if d.err = enc.Encode(v); d.err == nil {
		d.buf.Truncate(d.buf.Len() - 1) // Encode ends with a newline
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

// Package ndjson writes the two lossless reports: json, one document, and
// ndjson, a line per test between a header and a summary line.
//
// It exists so that the lossless forms are rows of the table of formats like
// every other report. The codec itself belongs to package wire, which must
// read back what it writes.
package ndjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/history/trend"
)

// WriteDocument writes any other document, such as a plan, as indented JSON.
func WriteDocument[D any](w io.Writer, document *D) error {
	if document == nil {
		return errors.New("json: no document to write")
	}
	return writeValues(w, "  ", document)
}

// writeValues writes JSON values, each on lines of its own. What a browser would obey is the
// business of whoever makes a page.
func writeValues[V any](w io.Writer, indent string, values ...V) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	for i := range values {
		if err := enc.Encode(values[i]); err != nil {
			return err
		}
	}
	_, err := w.Write(wire.DisarmJSON(text.Bytes()))
	return err
}

// Write writes the envelope as NDJSON.
func Write(w io.Writer, e *envelope.Envelope) error { return wire.EncodeNDJSON(w, e) }

// WriteJSON writes the envelope as one JSON document.
func WriteJSON(w io.Writer, e *envelope.Envelope) error { return wire.EncodeJSON(w, e) }

// WriteTrend writes a trend, which may be too large to be indented: its codec
// writes a line per run and per test.
func WriteTrend(w io.Writer, t *trend.Trend) error { return t.EncodeJSON(w) }

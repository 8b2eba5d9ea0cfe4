package wire

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"

	"tribunal/envelope/internal/codec"
)

// Writer writes a JSON document value by value, so that none of 100,000 tests is in memory as a
// whole. It writes until the first error, which Close reports.
type Writer struct {
	out  *bufio.Writer
	page bool
	err  error
}

// NewWriter returns a Writer. For a page, < > and & are escaped as encoding/json does; otherwise
// they stay, and DisarmJSON takes commands of build servers out of texts.
func NewWriter(w io.Writer, page bool) *Writer {
	return &Writer{out: bufio.NewWriterSize(w, 1<<16), page: page}
}

// Text writes a piece of JSON as it is.
func (w *Writer) Text(s string) { w.out.WriteString(s) }

// Write implements io.Writer.
func (w *Writer) Write(b []byte) (int, error) { return w.out.Write(b) }

// Value writes a value on one line.
func (w *Writer) Value(v any) { w.Write(w.Encode(v)) }

// Encode is a value on one line, nothing after an error.
func (w *Writer) Encode(v any) []byte {
	if w.err != nil {
		return nil
	}
	encode := codec.Marshal
	if w.page {
		encode = json.Marshal
	}
	var line []byte
	line, w.err = encode(v)
	return line
}

// Field writes a name and its value behind a separator.
func (w *Writer) Field(separator, name string, v any) {
	w.Text(separator + strconv.Quote(name) + ":")
	w.Value(v)
}

// Item writes the i-th element of a list on a line of its own.
func (w *Writer) Item(i int, indent string, v any) {
	w.Next(i, indent)
	w.Value(v)
}

// Next begins the line of the i-th element of a list.
func (w *Writer) Next(i int, indent string) {
	if i > 0 {
		w.Text(",")
	}
	w.Text(indent)
}

// Close writes what is left and returns the first error.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	return w.out.Flush()
}

// WriteList writes a list as an array, an element a line; never null.
func WriteList[T any](w *Writer, indent string, list []T) {
	w.Text("[")
	for i := range list {
		w.Item(i, indent, &list[i])
	}
	w.Text("]")
}

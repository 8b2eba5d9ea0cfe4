package envelope

import (
	"bufio"
	"io"
)

// The types of the lines of the NDJSON form.
const (
	lineHeader  = "header"
	lineTest    = "test"
	lineSummary = "summary"
)

// field is one key of an object and its value.
type field struct {
	key   string
	value any
}

// EncodeJSON writes the envelope as one JSON document with a line per test.
// Reading it back and encoding it again gives the same bytes.
func EncodeJSON(w io.Writer, e *Envelope) error {
	out := &encoder{w: bufio.NewWriterSize(w, 1<<16)}
	out.text("{")
	out.fields([]field{{"schema", Schema}, {"run", e.Run}, {"policy", e.Policy}, {"summary", e.Summary},
		{"metrics", list(e.Metrics)}, {"suites", list(e.Suites)}}, ",\n ")
	out.text(",\n \"tests\":[")
	for i := range e.Tests {
		if i > 0 {
			out.text(",")
		}
		out.text("\n  ")
		out.value(&e.Tests[i])
	}
	out.text("],\n ")
	out.fields([]field{{"gate", e.Gate}, {"problems", list(e.Problems)}}, ",\n ")
	out.text("}\n")
	return out.flush()
}

// EncodeNDJSON writes the same envelope as a header line, a line per test and
// a summary line.
func EncodeNDJSON(w io.Writer, e *Envelope) error {
	out := &encoder{w: bufio.NewWriterSize(w, 1<<16)}
	out.text("{")
	out.fields([]field{{"schema", Schema}, {"type", lineHeader}, {"run", e.Run}, {"policy", e.Policy}}, ",")
	out.text("}\n")
	for i := range e.Tests {
		out.line(lineTest, &e.Tests[i])
	}
	out.text("{")
	out.fields([]field{{"type", lineSummary}, {"summary", e.Summary}, {"metrics", list(e.Metrics)}, {"suites", list(e.Suites)},
		{"gate", e.Gate}, {"problems", list(e.Problems)}}, ",")
	out.text("}\n")
	return out.flush()
}

// list is the slice, with an empty one in place of nil: a list without entries
// is [] on the wire, never null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// encoder writes until the first error and keeps that.
type encoder struct {
	w   *bufio.Writer
	err error
}

func (o *encoder) text(s string) {
	if o.err == nil {
		_, o.err = o.w.WriteString(s)
	}
}

func (o *encoder) value(v any) {
	if o.err != nil {
		return
	}
	text, err := marshal(v)
	if err != nil {
		o.err = err
		return
	}
	_, o.err = o.w.Write(text)
}

func (o *encoder) fields(fs []field, separator string) {
	for i, f := range fs {
		if i > 0 {
			o.text(separator)
		}
		o.text(`"` + f.key + `":`)
		o.value(f.value)
	}
}

// line writes an object with its type before its own keys.
func (o *encoder) line(kind string, v any) {
	if o.err != nil {
		return
	}
	text, err := marshal(v)
	if err != nil {
		o.err = err
		return
	}
	o.text(`{"type":"` + kind + `",`)
	if o.err == nil {
		_, o.err = o.w.Write(text[1:])
	}
	o.text("\n")
}

func (o *encoder) flush() error {
	if o.err != nil {
		return o.err
	}
	return o.w.Flush()
}

// Package wire writes and reads an envelope as JSON: one document, or NDJSON with
// a line for each test.
//
// It exists so that the bytes of an envelope are made and understood in one place:
// reading what was written and writing it again gives the same bytes. Tests, which
// are nearly all of an envelope, are written and read by the tags of their types
// (fields.go), several stretches at a time; whatever is unusual is left to
// encoding/json, and fuzz tests hold the one against the other.
//
// It leaves out the columns of a test: rows are kept by package envelope alone, so
// their JSON stands there, with the methods MarshalJSON and UnmarshalJSON that the
// language wants beside the type. The door to it is Rows.AppendJSON and
// Rows.ConsumeJSON. What both are written with is envelope/internal/codec. Counting
// and judging again what was read belong to packages count and verdict.
package wire

import (
	"cmp"
	"errors"
	"io"
	"reflect"
	"sync"

	"tribunal/envelope"
	"tribunal/envelope/internal/codec"
	"tribunal/internal/parallel"
)

// The types of the lines of the NDJSON form.
const (
	lineHeader  = "header"
	lineTest    = "test"
	lineSummary = "summary"
)

type field struct {
	key   string
	value any
}

var errNoEnvelope = errors.New("writing an envelope: there is none; seal a run first")

// EncodeJSON writes the envelope as one JSON document with a line per test. Reading it back and
// encoding it again gives the same bytes. Rows that are nil are rows of no trial.
func EncodeJSON(w io.Writer, e *envelope.Envelope) error {
	if e == nil {
		return errNoEnvelope
	}
	out := &encoder{to: w}
	out.fields("{", append([]field{{"schema", envelope.Schema}, {"run", e.Run}, {"policy", e.Policy}, {"summary", e.Summary},
		{"metrics", list(e.Metrics)}, {"suites", list(e.Suites)}}, shared(e)...), ",\n ", ",\n \"tests\":[")
	out.tests(e.Tests, func(w *codec.Writer, i int) {
		if i > 0 {
			w.Text(",")
		}
		w.Text("\n  {")
		codec.WriteMembers(w, reflect.ValueOf(&e.Tests[i]).Elem(), testFields())
		w.Text("}")
	})
	out.fields("],\n ", []field{{"gate", e.Gate}, {"problems", list(e.Problems)}}, ",\n ", "}\n")
	return out.err
}

// EncodeNDJSON writes the same envelope as a header line, a line per test and a summary line.
func EncodeNDJSON(w io.Writer, e *envelope.Envelope) error {
	if e == nil {
		return errNoEnvelope
	}
	out := &encoder{to: w}
	out.fields("{", append([]field{{"schema", envelope.Schema}, {"type", lineHeader}, {"run", e.Run}, {"policy", e.Policy}}, shared(e)...),
		",", "}\n")
	out.tests(e.Tests, func(w *codec.Writer, i int) {
		w.Text(`{"type":"` + lineTest + `",`)
		codec.WriteMembers(w, reflect.ValueOf(&e.Tests[i]).Elem(), testFields())
		w.Text("}\n")
	})
	out.fields("{", []field{{"type", lineSummary}, {"summary", e.Summary}, {"metrics", list(e.Metrics)}, {"suites", list(e.Suites)},
		{"gate", e.Gate}, {"problems", list(e.Problems)}}, ",", "}\n")
	return out.err
}

// shared is what tests refer to, where there is any: it comes before them.
func shared(e *envelope.Envelope) (fs []field) {
	if len(e.Steps) > 0 {
		fs = append(fs, field{"steps", e.Steps})
	}
	if len(e.Texts) > 0 {
		fs = append(fs, field{"texts", e.Texts})
	}
	if len(e.Reasons) > 0 {
		fs = append(fs, field{"reasons", e.Reasons})
	}
	return fs
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
	to  io.Writer
	err error
}

// put writes what is in memory.
func (o *encoder) put(w *codec.Writer) {
	if o.err = cmp.Or(o.err, w.Err); o.err == nil {
		_, o.err = o.to.Write(w.B)
	}
}

// fields writes keys and values between two texts.
func (o *encoder) fields(before string, fs []field, separator, after string) {
	w := &codec.Writer{}
	w.Text(before)
	for i, f := range fs {
		if i > 0 {
			w.Text(separator)
		}
		w.Text(`"` + f.key + `":`)
		w.Any(f.value)
	}
	w.Text(after)
	o.put(w)
}

// Tests are written in parts of about so many bytes, several at a time.
const (
	partSize = 1 << 18
	testSize = 1 << 11 // about what a test takes without its rows
	rowSize  = 1 << 6  // and a row
)

// tests writes every test with write. No more than a few parts are in memory.
func (o *encoder) tests(tests []envelope.Test, write func(w *codec.Writer, i int)) {
	if o.err != nil {
		return
	}
	at := 0
	next := func() (part span, more bool) {
		part.from = at
		for size := 0; at < len(tests) && size < partSize; at++ {
			size += testSize + rowSize*tests[at].Rows.Len()
		}
		part.to = at
		return part, part.from < part.to
	}
	work := func(part span) *codec.Writer {
		w := writers.Get().(*codec.Writer)
		w.B, w.Err = w.B[:0], nil
		for i := part.from; i < part.to; i++ {
			write(w, i)
		}
		return w
	}
	o.err = parallel.Stream(next, work, func(w *codec.Writer) error {
		o.put(w)
		writers.Put(w)
		return o.err
	})
}

type span struct{ from, to int }

// writers are those whose memory can be used again.
var writers = sync.Pool{New: func() any { return &codec.Writer{} }}

// DisarmJSON escapes in JSON text what build servers, terminals and editors obey, as EncodeJSON
// does: for documents other than an envelope that end up in the same places.
func DisarmJSON(text []byte) []byte { return codec.DisarmJSON(text) }

package jsonwalk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
)

// Strict reads one JSON document like Document, for formats whose values are
// decoded into Go types with Decode. What is no JSON ends the reading, also
// inside of a value, and so does a value longer than MaxRecord: runners that
// are no Python programs write neither.
func Strict(r io.Reader, to envelope.Sink, read func(*Text) error) error {
	t := &Text{s: newScanner(r), to: to, name: "the document"}
	t.s.strict = true
	return t.read(read)
}

// Decode decodes the value that comes next into v. A member of the wrong kind is
// a problem and left out, the rest counts.
func (t *Text) Decode(v any) error {
	t.pending = false
	if _, ok := t.s.space(); !ok {
		return t.s.cut()
	}
	t.line, t.column = t.s.at()
	if t.s.decodeInPlace(&t.memory, v) {
		return nil
	}
	t.keep.reset()
	if err := t.s.value(&t.keep); err != nil {
		return t.broken(err)
	}
	err := t.memory.unmarshal(t.keep.bytes, v)
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		line, column := t.inside(kind.Offset)
		t.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeField, Line: line, Column: column,
			Message: fmt.Sprintf("left out, the rest of the element counts: %s: a JSON %s does not fit here", kind.Field, kind.Value)})
		return nil
	}
	if err != nil {
		return t.broken(err)
	}
	return nil
}

// Kept takes the value that comes next whole, to be looked at and not decoded. It is
// valid until anything else is taken, what its strings say until the next call. One that is longer than MaxRecord is passed over, told
// and absent.
func (t *Text) Kept() (Value, error) {
	t.pending = false
	if _, ok := t.s.space(); !ok {
		return Value{}, t.s.cut()
	}
	t.line, t.column = t.s.at()
	rec := &record{to: t.to, name: t.name, line: t.line, column: t.column, names: t.memory.known()}
	if raw := t.s.inPlace(); raw != nil {
		rec.marks = &t.s.marked
		return Value{raw: raw, key: t.name, rec: rec}, nil
	}
	return t.kept(rec)
}

// kept is Kept for a value that is not all there, or no JSON.
func (t *Text) kept(rec *record) (Value, error) {
	t.keep.reset()
	t.s.long = true
	err := t.s.value(&t.keep)
	t.s.long = false
	switch {
	case err != nil && t.syntax() == nil:
		return Value{}, err
	case err != nil:
		return Value{}, t.broken(err)
	case t.keep.tooLong:
		rec.tooLong()
		return Value{}, nil
	}
	if err := syntaxError(t.keep.bytes); err != nil {
		return Value{}, t.broken(err)
	}
	return Value{raw: t.keep.bytes, key: t.name, rec: rec}, nil
}

// broken is the fault of a value that could not be read: the first thing in it
// that is no JSON, or else where the value begins.
func (t *Text) broken(err error) error {
	if f := (*fault)(nil); errors.As(err, &f) && f.code == envelope.CodeTruncated {
		err = t.s.cut()
	}
	if syntax := t.syntax(); syntax != nil {
		line, column := t.inside(syntax.Offset)
		return &fault{line, column, envelope.CodeUnreadable, syntax.Error()}
	}
	return &fault{t.line, t.column, envelope.CodeUnreadable, err.Error()}
}

// syntax is what is no JSON in the value that was read last, unless that only ends
// too early.
func (t *Text) syntax() *json.SyntaxError {
	var syntax *json.SyntaxError
	if errors.As(syntaxError(t.keep.bytes), &syntax) && !t.ends(syntax) {
		return syntax
	}
	return nil
}

// ends reports whether an error only says that a value ends too early. Inside of
// an escape encoding/json tells that as a blank that may not stand there.
func (t *Text) ends(syntax *json.SyntaxError) bool {
	kept := t.keep.bytes
	return syntax.Offset == int64(len(kept)) && (strings.HasPrefix(syntax.Error(), "unexpected end") ||
		strings.HasPrefix(syntax.Error(), "invalid character ' '") && kept[len(kept)-1] != ' ')
}

// inside is the place of a byte of the value that was read last, 1 for its first.
func (t *Text) inside(offset int64) (line, column int) {
	before := t.keep.bytes[:min(max(offset-1, 0), int64(len(t.keep.bytes)))]
	lines := bytes.Count(before, []byte("\n"))
	if lines == 0 {
		return t.line, t.column + len(before)
	}
	return t.line + lines, len(before) - bytes.LastIndexByte(before, '\n')
}

// Problem tells a problem at the start of the value that was read last.
func (t *Text) Problem(severity envelope.Severity, code, message string) {
	t.to.Problem(envelope.Problem{Severity: severity, Code: code, Line: t.line, Column: t.column, Message: message})
}

package walk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tribunal/envelope"
)

// Text is a JSON document that is being read. Each method takes the value that
// comes next; the errors are for passing up, they end the reading.
type Text struct {
	s       *scanner
	to      envelope.Sink
	keep    keeper
	name    string // of the member that is being read
	pending bool   // its value is not taken yet
}

// Document reads one JSON document by calling read for it. The error is that of
// r; a document that cannot be read to its end is a problem in the sink.
func Document(r io.Reader, to envelope.Sink, read func(*Text) error) error {
	t := &Text{s: newScanner(r), to: to, name: "the document"}
	err := t.begin()
	if err == nil {
		err = read(t)
	}
	if err == nil {
		err = t.end()
	}
	if !errors.Is(t.s.err, io.EOF) && t.s.err != nil {
		return t.s.err
	}
	if f := (*fault)(nil); errors.As(err, &f) {
		to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: f.code, Line: f.line, Column: f.column,
			Message: "reading stopped here: " + f.message + "; what came before is counted"})
	}
	return nil
}

// begin passes over a byte order mark.
func (t *Text) begin() error {
	for _, c := range []byte("\xEF\xBB\xBF") {
		if next, ok := t.s.peek(); !ok || next != c {
			break
		}
		t.s.take(c)
	}
	if _, ok := t.s.space(); !ok {
		return t.s.fault("the file is empty")
	}
	return nil
}

func (t *Text) end() error {
	if _, ok := t.s.space(); ok {
		return t.s.fault("something follows the document")
	}
	return nil
}

// Object reads an object: member is called for each of its keys and takes the
// value; a value it leaves is passed over. What is no object is a problem,
// except null.
func (t *Text) Object(member func(key string) error) error {
	if is, err := t.opens('{', "object"); err != nil || !is {
		return err
	}
	for first := true; ; first = false {
		more, err := t.more(first, '}')
		if err != nil || !more {
			return err
		}
		if t.name, err = t.key(); err != nil {
			return err
		}
		t.pending = true
		if err := member(t.name); err != nil {
			return err
		}
		if t.pending {
			if err := t.s.value(nil); err != nil {
				return err
			}
			t.pending = false
		}
	}
}

// Objects reads an array of objects and hands each to each. Elements that are
// none, or no JSON, are problems, and reading goes on behind them.
func (t *Text) Objects(each func(Value)) error {
	if is, err := t.opens('[', "array"); err != nil || !is {
		return err
	}
	name := t.name
	for index := 0; ; index++ {
		more, err := t.more(index == 0, ']')
		if err != nil || !more {
			return err
		}
		t.name = fmt.Sprintf("element %d of %s", index, name)
		v, err := t.Value()
		if err != nil {
			return err
		}
		v.Deliver(each)
	}
}

// Value takes one value whole. It is valid until the next call; when it could
// not be read it is absent and told in the sink.
func (t *Text) Value() (Value, error) {
	t.pending = false
	if _, ok := t.s.space(); !ok {
		return Value{}, t.s.cut()
	}
	t.keep.reset()
	rec := &record{to: t.to, name: t.name}
	rec.line, rec.column = t.s.at()
	if err := t.s.value(&t.keep); err != nil {
		return Value{}, err
	}
	return rec.check(&t.keep), nil
}

// opens passes over the opening bracket, or over a value of another kind.
func (t *Text) opens(bracket byte, kind string) (bool, error) {
	t.pending = false
	c, ok := t.s.space()
	if !ok {
		return false, t.s.cut()
	}
	if c == bracket {
		t.s.take(c)
		return true, nil
	}
	if c != 'n' {
		line, column := t.s.at()
		t.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: line, Column: column,
			Message: Short(t.name) + " is no " + kind})
	}
	return false, t.s.value(nil)
}

// more passes over the comma between members and reports whether one follows.
func (t *Text) more(first bool, closing byte) (bool, error) {
	c, ok := t.s.space()
	switch {
	case !ok:
		return false, t.s.cut()
	case c == closing:
		t.s.take(c)
		return false, nil
	case first:
		return true, nil
	}
	return true, t.s.expect(',')
}

func (t *Text) key() (string, error) {
	c, ok := t.s.space()
	if !ok {
		return "", t.s.cut()
	}
	if c != '"' {
		return "", t.s.fault("%q instead of a key", c)
	}
	t.keep.reset()
	if err := t.s.value(&t.keep); err != nil {
		return "", err
	}
	var key string
	if t.keep.tooLong || json.Unmarshal(t.keep.bytes, &key) != nil {
		key = "" // a key nobody looks for
	}
	return key, t.s.expect(':')
}

// Head returns the first bytes of r, up to 64 KiB, and a reader for all of it.
func Head(r io.Reader) ([]byte, io.Reader) {
	head := make([]byte, headSize)
	n := 0
	for n < len(head) {
		m, err := r.Read(head[n:])
		n += m
		if err != nil {
			return head[:n], io.MultiReader(bytes.NewReader(head[:n]), failed{err})
		}
	}
	return head, io.MultiReader(bytes.NewReader(head), r)
}

// failed is a reader that only has its error left.
type failed struct{ err error }

// Read implements io.Reader.
func (f failed) Read([]byte) (int, error) { return 0, f.err }

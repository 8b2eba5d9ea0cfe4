// Package jsondoc walks over one large JSON document a token at a time.
//
// It exists because the reports of test runners are single documents, nearly
// all of it attachments and stack traces, and memory must be bounded by one
// element of them. It tells line and column of what is wrong, and goes on
// behind an element that does not fit. What the members mean is the business
// of each format.
package jsondoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tribunal/envelope"
	"tribunal/read/position"
)

const (
	// MaxElement is how many bytes one element may have. A document with a longer
	// one is read up to it.
	MaxElement = 64 << 20
	// maxDepth bounds the memory that open brackets take in a json.Decoder.
	maxDepth = 10000
)

// Doc is a place in a document. Its methods return an error only when the
// document cannot be read further; callers pass it on.
type Doc struct {
	dec          *json.Decoder
	places       *position.Reader
	budget       *budget
	to           envelope.Sink
	raw          json.RawMessage
	line, column int // of the value that was read last
}

// Read walks over one document: root must read one value with the methods of
// Doc. Where the text stops to be JSON, reading stops with a problem and what
// was found before it stays. The error is that of r.
func Read(r io.Reader, to envelope.Sink, root func(*Doc) error) error {
	places := position.NewReader(r)
	b := &budget{r: places, left: MaxElement}
	d := &Doc{dec: json.NewDecoder(b), places: places, budget: b, to: to}
	d.dec.UseNumber()
	err := root(d)
	if err == nil {
		err = d.end()
	}
	if places.Err() != nil {
		return places.Err()
	}
	if err != nil {
		d.stopped(err)
	}
	return nil
}

// budget bounds what is read for one element.
type budget struct {
	r    io.Reader
	left int
}

var errTooLong = errors.New("one element has more than 64 MiB")

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func (d *Doc) token() (json.Token, error) {
	d.budget.left = MaxElement
	return d.dec.Token()
}

func (d *Doc) end() error {
	if _, err := d.token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the document")
	}
	return nil
}

// Object calls member for every key of the object that comes next; member must
// read the value. Null is an object without members, anything else a problem.
func (d *Doc) Object(member func(key string) error) error {
	token, err := d.open('{', "an object")
	if err != nil || token == nil {
		return err
	}
	for d.dec.More() {
		key, err := d.token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := member(name); err != nil {
			return err
		}
	}
	_, err = d.token() // the closing brace
	return err
}

// Array calls element before every element of the array that comes next;
// element must read it. Null is an empty array, anything else a problem.
func (d *Doc) Array(element func() error) error {
	token, err := d.open('[', "an array")
	if err != nil || token == nil {
		return err
	}
	for d.dec.More() {
		if err := element(); err != nil {
			return err
		}
	}
	_, err = d.token() // the closing bracket
	return err
}

// open reads an opening bracket. Anything else is passed over and gives nil.
func (d *Doc) open(bracket json.Delim, what string) (json.Token, error) {
	token, err := d.token()
	if err != nil {
		return nil, err
	}
	if token == bracket {
		d.line, d.column = d.places.At(d.dec.InputOffset() - 1)
		return token, nil
	}
	if token != nil {
		d.line, d.column = d.places.At(d.dec.InputOffset() - 1)
		d.Problem(envelope.SeverityError, envelope.CodeMalformed, "what stands here is not read: "+what+" is expected")
	}
	return nil, d.rest(token)
}

// Skip passes over the value that comes next, whatever it is.
func (d *Doc) Skip() error {
	token, err := d.token()
	if err != nil {
		return err
	}
	return d.rest(token)
}

// rest passes over what is left of a value that began with token.
func (d *Doc) rest(token json.Token) error {
	for depth := step(token); depth > 0; {
		token, err := d.token()
		if err != nil {
			return err
		}
		if depth += step(token); depth > maxDepth {
			return errors.New("values are nested more than 10000 deep")
		}
	}
	return nil
}

func step(token json.Token) int {
	switch token {
	case json.Delim('{'), json.Delim('['):
		return 1
	case json.Delim('}'), json.Delim(']'):
		return -1
	}
	return 0
}

// Decode decodes the value that comes next into v. A member of the wrong kind is
// a problem and left out, the rest counts.
func (d *Doc) Decode(v any) error {
	d.budget.left = MaxElement
	if d.raw = d.raw[:0]; cap(d.raw) > 4<<20 {
		d.raw = nil // one huge element is no reason to stay huge
	}
	if err := d.dec.Decode(&d.raw); err != nil {
		return err
	}
	start := d.dec.InputOffset() - int64(len(d.raw))
	d.line, d.column = d.places.At(start)
	err := json.Unmarshal(d.raw, v)
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		line, column := d.places.At(start + max(kind.Offset-1, 0))
		d.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeField, Line: line, Column: column,
			Message: fmt.Sprintf("left out, the rest of the element counts: %s: a JSON %s does not fit here", kind.Field, kind.Value)})
		return nil
	}
	return err
}

// Problem tells a problem at the start of the value that was read last.
func (d *Doc) Problem(severity envelope.Severity, code, message string) {
	d.to.Problem(envelope.Problem{Severity: severity, Code: code, Line: d.line, Column: d.column, Message: message})
}

// stopped says where the document stops to be JSON.
func (d *Doc) stopped(err error) {
	offset := d.dec.InputOffset()
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		offset = max(offset, syntax.Offset-1)
	}
	what := err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		what = "the file ends in the middle"
	}
	line, column := d.places.At(offset)
	d.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: max(line, 1), Column: max(column, 1),
		Message: "reading stopped here: " + what + "; what came before is counted; get a whole copy of the file and run again"})
}

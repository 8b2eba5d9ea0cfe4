package jsonwalk

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/internal/words"
	"tribunal/read/internal/noise"
)

// Text is a JSON document that is being read. Each method takes the value that
// comes next; the errors are for passing up, they end the reading.
type Text struct {
	s            *scanner
	to           envelope.Sink
	buffer       valueBuffer
	name         string // of the member that is being read
	pending      bool   // its value is not taken yet
	line, column int    // of the value that was read last
	memory       memory
	noise        *noise.Noise          // what follows the document, where that may be anything
	another      func(head []byte) int // where in it another document begins
	Nothing      bool                  // nothing of the document is counted so far
}

// Document reads one JSON document by calling read for it. The error is that of
// r; a document that cannot be read to its end is a problem in the sink.
func Document(r io.Reader, to envelope.Sink, read func(*Text) error) error {
	return new(Sequence).Document(r, to, read)
}

func (t *Text) read(read func(*Text) error) error {
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
		t.stopped(f, "")
	}
	return nil
}

const empty = "the file is empty; did the runner start, and does it write here?"

// stopped tells why the document is not read to its end, and what is read all the same.
func (t *Text) stopped(f *fault, then string) {
	if t.s.strict {
		f.code = envelope.CodeUnreadable
	}
	if f.message != empty {
		kind, _, _ := strings.Cut(f.message, ",")
		f.message = "reading stopped here: " + f.message + "; " + cmp.Or(words.If(t.Nothing, "nothing of it"), "what came before") +
			" is counted" + then + "; " + cmp.Or(advice[kind], "check what writes the file, and repeat this command")
	}
	t.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: f.code, Line: f.line, Column: f.column, Message: f.message})
}

const cutOff, behindEnd = "the file ends in the middle", "text follows the end of the document"

var advice = map[string]string{cutOff: "get a whole copy of the file and repeat this command",
	behindEnd: "if it is another report, write it to a file of its own"}

// Recover reports an error that ended one of several documents, and skips what is
// left of it: to the next line that begins with a brace. It reports whether there is one.
func (t *Text) Recover(err error) bool {
	f := (*fault)(nil)
	if !errors.As(err, &f) || t.s.err != nil && !errors.Is(t.s.err, io.EOF) { // an input that cannot be read is reported elsewhere
		return false
	}
	for {
		c, ok := t.s.peek()
		switch line, column := t.s.at(); {
		case !ok:
			t.stopped(f, "")
			return false
		case c == '{' && column == 1:
			t.stopped(f, fmt.Sprintf(", and what begins at line %d is read", line))
			return true
		}
		t.s.take(c)
	}
}

// begin skips a byte order mark.
func (t *Text) begin() error {
	for _, c := range []byte("\xEF\xBB\xBF") {
		if next, ok := t.s.peek(); !ok || next != c {
			break
		}
		t.s.take(c)
	}
	if _, ok := t.s.space(); !ok {
		return t.s.fault(empty)
	}
	return nil
}

func (t *Text) end() error {
	if t.noise != nil {
		t.rest()
		return nil
	}
	if c, ok := t.s.space(); ok {
		if t.s.strict {
			t.s.take(c)
		}
		return t.s.fault(behindEnd)
	}
	return nil
}

// Object reads an object: member is called for each of its keys and takes the value; a value it leaves is skipped. What
// is no object is a problem, except null.
func (t *Text) Object(member func(key string) error) error {
	met := map[string]bool{}
	return t.each('{', "object", func() (err error) {
		if t.name, err = t.key(met); err != nil {
			return err
		}
		return t.taken(func() error { return member(t.name) })
	})
}

// Members says how the members of an object are read, by their names; others are skipped:
//
//	a pointer           the value is decoded into it
//	func(Value)         takes the value, of any kind
//	Object              takes the value if it is an object
//	Objects             takes each object of an array
//	Keyed               takes each object of an object, with its key
//	Members             reads the members of the value
//	func(*Text) error   reads the value itself
type Members map[string]any

type (
	Object  func(Value)
	Objects func(Value)
	Keyed   func(key string, v Value)
)

// Members reads an object.
func (t *Text) Members(members Members) error {
	return t.Object(func(key string) error { return t.As(members[key]) })
}

// As reads the value that comes next in one of the ways of Members.
func (t *Text) As(way any) error {
	switch take := way.(type) {
	case nil:
		return nil
	case func(Value):
		return t.Any(take)
	case Object:
		return t.One(take)
	case Objects:
		return t.Objects(take)
	case Keyed:
		return t.Object(func(key string) error { return t.One(func(v Value) { take(key, v) }) })
	case Members:
		return t.Members(take)
	case func(*Text) error:
		return take(t)
	}
	return t.Decode(way)
}

// Read reads one JSON document like Document, in one of the ways of Members.
func Read(r io.Reader, to envelope.Sink, way any) error {
	return Document(r, to, func(t *Text) error { return t.As(way) })
}

// Decoded reads an array whose elements are decoded one by one.
func Decoded[T any](take func(*T)) func(*Text) error {
	return func(t *Text) error {
		return t.Array(func() error {
			v := new(T)
			err := t.Decode(v)
			if err == nil {
				take(v)
			}
			return err
		})
	}
}

// Array reads an array: element is called for each of its elements and takes
// it; one it leaves is skipped. What is no array is a problem, except null.
func (t *Text) Array(element func() error) error {
	return t.each('[', "array", func() error { return t.taken(element) })
}

// each calls take where each part of an object or array begins.
func (t *Text) each(bracket byte, kind string, take func() error) error {
	is, err := t.opens(bracket, kind)
	for first := true; is && err == nil; first = false {
		if is, err = t.more(first, bracket+2); is && err == nil {
			err = take()
		}
	}
	return err
}

// taken calls take for the next value, and skips the value if take did not read it.
func (t *Text) taken(take func() error) error {
	t.pending = true
	if err := take(); err != nil || !t.pending {
		return err
	}
	return t.Skip()
}

// Skip skips the value that comes next.
func (t *Text) Skip() error {
	t.pending = false
	if t.s.skipInPlace() {
		return nil
	}
	return t.s.value(nil)
}

// Next is the first byte of the value that comes next: a bracket, a quote, a digit. It is 0 at the end.
func (t *Text) Next() byte {
	c, ok := t.s.space()
	if !ok {
		return 0
	}
	return c
}

// Place is where the value begins of which Next told the first byte.
func (t *Text) Place() (line, column int) { return t.s.at() }

// Stop ends the reading where the next value begins, for a reason of the format.
func (t *Text) Stop(reason string) error {
	t.Next()
	return t.s.fault("%s", reason)
}

// Objects reads an array of objects and hands each to each. Elements that are
// none, or no JSON, are problems, and reading goes on behind them.
func (t *Text) Objects(each func(Value)) error {
	name, index := t.name, 0
	return t.Array(func() error {
		t.name = fmt.Sprintf("element %d of %s", index, name)
		index++
		return t.One(each)
	})
}

// One takes the value that comes next and hands it to take when it is an object.
func (t *Text) One(take func(Value)) error {
	v, err := t.Value()
	if err == nil {
		v.Deliver(take)
	}
	return err
}

// Sequence reads objects up to the end, as Documents does.
func (t *Text) Sequence(each func(Value)) error {
	for t.Next() != 0 {
		if err := t.One(each); err != nil {
			return err
		}
	}
	return nil
}

// Any is One for a value of any kind.
func (t *Text) Any(take func(Value)) error {
	v, err := t.Value()
	if err == nil {
		take(v)
		v.Report()
	}
	return err
}

// Value takes one value whole. It is valid until the next call; when it could
// not be read it is absent and told in the sink.
func (t *Text) Value() (Value, error) {
	t.pending = false
	if _, ok := t.s.space(); !ok {
		return Value{}, t.s.cut()
	}
	rec := &record{to: t.to, name: t.name, names: t.memory.known(), texts: &t.memory, room: &t.memory.members}
	rec.line, rec.column = t.s.at()
	if raw := t.s.inPlace(); raw != nil {
		return rec.of(raw, &t.s.marked), nil
	}
	t.buffer.reset()
	if err := t.s.value(&t.buffer); err != nil {
		return Value{}, err
	}
	return rec.check(&t.buffer, &t.memory.own), nil
}

// opens skips the opening bracket, or over a value of another kind.
func (t *Text) opens(bracket byte, kind string) (bool, error) {
	t.pending = false
	c, ok := t.s.space()
	if !ok {
		return false, t.s.cut()
	}
	t.line, t.column = t.s.at()
	if c == bracket {
		t.s.take(c)
		return true, nil
	}
	err := t.s.value(nil)
	if c != 'n' && (err == nil || !t.s.strict) {
		t.Problem(envelope.SeverityError, envelope.CodeMalformed, "this value is not read, because it is not an "+kind)
	}
	return false, err
}

// more skips the comma between members and reports whether one follows.
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
	return true, t.s.expect(',', "a comma or "+string(closing))
}

func (t *Text) key(met map[string]bool) (string, error) {
	c, ok := t.s.space()
	if !ok {
		return "", t.s.cut()
	}
	if c != '"' {
		return "", t.s.unexpected(c, "a key in double quotes")
	}
	line, column := t.s.at()
	key, err := t.quoted()
	if err != nil {
		return "", err
	}
	if met[key] {
		return "", &fault{line, column, envelope.CodeUnreadable, jsontext.Again(key)}
	}
	met[key] = key != "" // which stands for what was not read
	return key, t.s.expect(':', "a colon behind the key")
}

// quoted takes the string that comes next. One that is too long or no JSON is "": a key nobody looks for.
func (t *Text) quoted() (string, error) {
	t.pending = false
	t.buffer.reset()
	if err := t.s.value(&t.buffer); err != nil {
		return "", err
	}
	if name, known := t.memory.names[string(t.buffer.bytes)]; known {
		return name, nil
	}
	if t.buffer.tooLong || json.Unmarshal(t.buffer.bytes, new(string)) != nil {
		return "", nil
	}
	return t.memory.known().of(t.buffer.bytes, jsontext.Member{Key: t.buffer.bytes}.Name), nil
}

// Member hands one member of a document to take. What is wrong with the document is not told.
func Member(r io.Reader, name string, take func(Value)) {
	_ = Read(r, Silent{}, Members{name: func(t *Text) error { return errors.Join(t.Any(take), errors.New("the member was taken")) }})
}

// Documents reads objects that stand behind each other, with blanks or nothing between them, each over any number of
// lines, and hands each to each. Those that are none, or no JSON, are problems, and reading goes on behind them as far
// as their end can be found. The error is that of r.
func Documents(r io.Reader, to envelope.Sink, each func(Value)) error {
	return new(Sequence).Documents(r, to, each)
}

// Sequence reads many texts, one after another, in the same memory.
type Sequence struct{ text Text }

// Document is that of the next text.
func (q *Sequence) Document(r io.Reader, to envelope.Sink, read func(*Text) error) error {
	t := &q.text
	if t.s == nil {
		t.s = newScanner(r)
	}
	t.s.begin(r)
	t.to, t.name = to, "the document"
	return t.read(read)
}

// Documents is that of the next text.
func (q *Sequence) Documents(r io.Reader, to envelope.Sink, each func(Value)) error {
	return q.Document(r, to, func(t *Text) error { return t.Sequence(each) })
}

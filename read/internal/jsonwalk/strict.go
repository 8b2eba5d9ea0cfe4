package jsonwalk

import (
	"bytes"
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

// Strict reads one JSON document like Document, for formats whose values are decoded into Go types with Decode. What is
// no JSON ends the reading, also inside of a value, and so does a value longer than MaxRecord: runners that are no
// Python programs write neither.
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
	var err error
	raw := t.s.inPlace()
	if raw != nil {
		err = t.memory.valueOf(raw, &t.s.marked).decode(v)
	} else {
		t.buffer.reset()
		if err := t.s.value(&t.buffer); err != nil {
			return t.broken(err)
		}
		raw = t.buffer.bytes
		err = t.memory.unmarshal(raw, v)
	}
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		line, column := t.inside(raw, kind.Offset)
		t.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeField, Line: line, Column: column,
			Message: ignored(kind, raw, "element")})
		return nil
	}
	if err != nil {
		return t.broken(err)
	}
	return nil
}

// ignored is the message for a value of a wrong JSON kind in raw, which is left out. A field without a tag has its name of Go.
func ignored(kind *json.UnmarshalTypeError, raw []byte, of string) string {
	key := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
	if key != "" && !bytes.Contains(raw, []byte(`"`+key+`"`)) {
		key = strings.ToLower(key[:1]) + key[1:]
	}
	return fmt.Sprintf("%s is ignored, because a JSON %s does not fit here%s", cmp.Or(words.Around("field ", key), "this value"),
		kind.Value, words.If(key != "", "; the rest of the "+of+" is counted"))
}

// Kept takes the value that comes next whole, to be looked at and not decoded. It is valid until anything else is
// taken, what its strings say until the next call. One that is longer than MaxRecord is skipped, told and absent.
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
	t.buffer.reset()
	t.s.long = true
	err := t.s.value(&t.buffer)
	t.s.long = false
	switch {
	case err != nil && t.syntax() == nil:
		return Value{}, err
	case err != nil:
		return Value{}, t.broken(err)
	case t.buffer.tooLong:
		rec.tooLong()
		return Value{}, nil
	}
	if err := SyntaxError(t.buffer.bytes); err != nil {
		return Value{}, t.broken(err)
	}
	return Value{raw: t.buffer.bytes, key: t.name, rec: rec}, nil
}

// broken is the fault of a value that could not be read: the first thing in it
// that is no JSON, or else where the value begins.
func (t *Text) broken(err error) error {
	if f := (*fault)(nil); errors.As(err, &f) && f.code == envelope.CodeTruncated {
		err = t.s.cut()
	}
	if syntax := t.syntax(); syntax != nil {
		line, column := t.inside(t.buffer.bytes, int64(syntax.at)+1)
		return &fault{line, column, envelope.CodeUnreadable, syntax.Error()}
	}
	return &fault{t.line, t.column, envelope.CodeUnreadable, err.Error()}
}

// syntax is what is no JSON in the value that was read last, unless that only ends too early.
func (t *Text) syntax() *syntaxError {
	var syntax *syntaxError
	if errors.As(SyntaxError(t.buffer.bytes), &syntax) && syntax.at < len(t.buffer.bytes) {
		return syntax
	}
	return nil
}

// inside is the place of a byte of the value that was read last, 1 for its first.
func (t *Text) inside(raw []byte, offset int64) (line, column int) {
	before := raw[:min(max(offset-1, 0), int64(len(raw)))]
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

// Begin is where in head a document begins whose first member is called key, and in front of which a program may have
// printed something, with or without a line end; -1 where none does. Is tells it from others.
func Begin(head []byte, key string, is func(head []byte) bool) int {
	const most = 20 // places that only look like it
	mark := []byte(`"` + key + `"`)
	for from, tried := 0, 0; tried < most; tried++ {
		n := bytes.Index(head[from:], mark)
		if n < 0 {
			return -1
		}
		before := bytes.TrimRight(head[:from+n], " \t\r\n")
		if len(before) > 0 && before[len(before)-1] == '{' && is(head[len(before)-1:]) {
			return len(before) - 1
		}
		from += n + len(mark)
	}
	return -1
}

// StrictAmong is Strict for documents that runners print among what tests print: what
// stands before and behind is noise.
func StrictAmong(r io.Reader, to envelope.Sink, begin func(head []byte) int, read func(*Text) error) error {
	head, rest := Head(r)
	at := begin(head)
	around := noise.Noise{Record: bytes.Clone(head[max(at, 0):])}
	if at > 0 && len(bytes.TrimSpace(bytes.TrimPrefix(head[:at], []byte("\uFEFF")))) > 0 {
		for i, line := range bytes.Split(head[:at], []byte("\n")) {
			around.Add(line, i+1)
		}
		for i, c := range head[:at] { // rest reads from head, and positions must not change
			if c != '\n' {
				head[i] = ' '
			}
		}
	}
	t := &Text{s: newScanner(rest), to: to, name: "the document", noise: &around, another: begin}
	t.s.strict = true
	err := t.read(read)
	around.Report(to)
	return err
}

// rest treats text after the document as noise. Another document in it is an error,
// because its failures would be lost.
func (t *Text) rest() {
	const most = 8 << 10 // bytes of a line that are kept
	var line, window []byte
	another := false
	at, _ := t.s.at()
	for {
		c, ok := t.s.peek()
		if ok {
			t.s.take(c)
			window = append(window, c)
		}
		if !ok || len(window) == headSize {
			another = another || t.another(window) >= 0
			window = append(window[:0], window[len(window)/2:]...)
		}
		if ok && c != '\n' {
			if len(line) < most {
				line = append(line, c)
			}
			continue
		}
		t.noise.Add(line, at)
		line = line[:0]
		if at, _ = t.s.at(); !ok {
			break
		}
	}
	if another {
		t.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: at, Column: 1,
			Message: "another report follows the first one and is not read: write each report to its own file"})
	}
}

// mostInPlace is how long a value may be to be looked at where it lies. Conversations have some 20 kB; to look for
// their end byte by byte, keep them and look again whether they are JSON took a fifth of the time of reading them.
const mostInPlace = 256 << 10

// inPlace takes the object or array that comes next where it lies; nil when it is no
// JSON, or longer than mostInPlace, and nothing is taken then.
func (s *scanner) inPlace() []byte {
	if c := s.buf[s.pos]; c != '{' && c != '[' {
		return nil
	}
	s.marked.Reset()
	for {
		if n := s.sizeInPlace(true); n > 0 {
			raw := s.buf[s.pos : s.pos+n]
			s.pass(raw)
			return raw
		}
		if !s.more() {
			return nil
		}
	}
}

// skipInPlace skips the next value and reports whether it did: it is JSON and all there.
func (s *scanner) skipInPlace() bool {
	if c, ok := s.space(); !ok || c != '{' && c != '[' && c != '"' {
		return false
	}
	n := s.sizeInPlace(false)
	if n > 0 {
		s.pass(s.buf[s.pos : s.pos+n])
	}
	return n > 0
}

// inMarks is what is there of what was not taken yet, marked.
func (s *scanner) inMarks() jsontext.Part {
	if s.marked.Bytes == nil {
		s.marked.Begin(s.buf[s.pos:s.end])
	}
	return jsontext.PartOf(s.buf[s.pos:s.end], &s.marked)
}

// sizeInPlace is how long the value is that comes next, -1 where that is no JSON or not
// all there. Noted says that it is about to be gone through.
func (s *scanner) sizeInPlace(noted bool) int {
	rest := s.inMarks()
	rest.Noted, rest.Longest, rest.Keys = noted, longestNumber, &s.keys
	return rest.Valid(0)
}

// pass skips bytes that are already in the buffer.
func (s *scanner) pass(b []byte) {
	if ends := bytes.Count(b, []byte("\n")); ends > 0 { // counting is the quicker way to see that there is none
		s.line += ends
		s.lineStart = s.base + int64(s.pos+bytes.LastIndexByte(b, '\n')+1)
	}
	s.pos += len(b)
}

// more reads on behind what is there and not yet taken, at least as much again, and reports whether more came.
func (s *scanner) more() bool {
	left := s.end - s.pos
	if s.err != nil || left >= mostInPlace {
		return false
	}
	want := min(2*left, mostInPlace)
	if s.pos+want > len(s.buf) {
		s.moveTo(want)
	}
	s.marked.Bytes = nil
	for s.end < s.pos+want && s.err == nil {
		var n int
		n, s.err = s.r.Read(s.buf[s.end:])
		s.end += n
	}
	return s.end-s.pos > left
}

// moveTo moves what is not yet taken to the begin of memory that has so much room.
func (s *scanner) moveTo(room int) {
	left, to := s.buf[s.pos:s.end], s.buf
	if room > len(to) {
		to = make([]byte, mostInPlace)
	}
	copy(to, left)
	s.base += int64(s.pos)
	s.buf, s.pos, s.end = to, 0, len(left)
}

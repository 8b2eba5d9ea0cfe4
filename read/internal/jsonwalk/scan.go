package jsonwalk

import (
	"fmt"
	"io"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
)

// fault says where and why a text cannot be read further.
type fault struct {
	line, column  int
	code, message string
}

func (f *fault) Error() string { return f.message }

// scanner scans JSON values byte by byte and knows where it is. It checks brackets and words, not every comma:
// what is kept of a text is checked whole by encoding/json.
type scanner struct {
	r         io.Reader
	buf       []byte
	pos, end  int
	base      int64 // offset of buf[0]
	line      int
	lineStart int64
	err       error // why there is no more: io.EOF, or the error of r
	open      []byte
	strict    bool // values are kept as they are written, and no longer than that
	long      bool // longer values are skipped and do not end the reading
	keys      jsontext.Keys
	marked    jsontext.Text // what was read last, from the first value on that was looked for in place
}

func newScanner(r io.Reader) *scanner {
	s := &scanner{buf: make([]byte, headSize)}
	s.begin(r)
	return s
}

func (s *scanner) begin(r io.Reader) {
	s.r, s.err, s.marked.Bytes = r, nil, nil
	s.pos, s.end, s.base, s.line, s.lineStart = 0, 0, 0, 1, 0
}

func textScanner(text []byte) *scanner {
	return &scanner{buf: text, end: len(text), err: io.EOF, line: 1}
}

// peek returns the next byte; ok is false at the end.
func (s *scanner) peek() (c byte, ok bool) {
	for s.pos == s.end {
		if s.err != nil {
			return 0, false
		}
		s.base += int64(s.end)
		s.pos, s.end, s.marked.Bytes = 0, 0, nil
		s.end, s.err = s.r.Read(s.buf)
	}
	return s.buf[s.pos], true
}

// take skips the byte that peek returned.
func (s *scanner) take(c byte) {
	s.pos++
	if c == '\n' {
		s.line++
		s.lineStart = s.base + int64(s.pos)
	}
}

// space skips blanks and returns the next byte.
func (s *scanner) space() (c byte, ok bool) {
	for {
		c, ok = s.peek()
		if !ok || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, ok
		}
		s.take(c)
	}
}

func (s *scanner) at() (line, column int) { return s.line, int(s.base+int64(s.pos)-s.lineStart) + 1 }

func (s *scanner) fault(format string, args ...any) error {
	line, column := s.at()
	return &fault{line, column, envelope.CodeUnreadable, fmt.Sprintf(format, args...)}
}

// cut is the fault of a text that ends too early.
func (s *scanner) cut() *fault {
	line, column := s.at()
	return &fault{line, column, envelope.CodeTruncated, cutOff}
}

// expect skips blanks and one byte, and returns an error if it is another.
func (s *scanner) expect(want byte, what string) error {
	c, ok := s.space()
	if !ok {
		return s.cut()
	}
	if c != want {
		return s.unexpected(c, what)
	}
	s.take(c)
	return nil
}

// unexpected is the fault of a byte that may not stand where it does, in the words of jsontext.
func (s *scanner) unexpected(c byte, what string) error {
	return s.fault("found %q where %s is expected", c, what)
}

// value scans the next value and copies its bytes into the buffer.
func (s *scanner) value(into *valueBuffer) error {
	for s.open = s.open[:0]; ; {
		c, ok := s.between(into)
		if !ok {
			return s.cut()
		}
		if err := s.token(c, into); err != nil {
			return err
		}
		if s.strict && !s.long && into.full() {
			return s.fault("one element has more than %d MiB", MaxRecord>>20)
		}
		if len(s.open) == 0 {
			return nil
		}
	}
}

// between skips the blanks between two tokens of a value.
func (s *scanner) between(into *valueBuffer) (c byte, ok bool) {
	if s.strict && len(s.open) > 0 {
		return s.blanks(into)
	}
	before := s.base + int64(s.pos)
	c, ok = s.space()
	if len(s.open) > 0 && s.base+int64(s.pos) > before {
		into.byte(' ') // one for all: without any, 1 2 would be 12
	}
	return c, ok
}

// blanks skips blanks like space, and copies them.
func (s *scanner) blanks(into *valueBuffer) (c byte, ok bool) {
	for {
		c, ok = s.peek()
		if !ok || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, ok
		}
		s.takeInto(into, c)
	}
}

func (s *scanner) token(c byte, into *valueBuffer) error {
	switch c {
	case '{', '[':
		if len(s.open) == jsontext.Deepest {
			if s.strict {
				s.take(c)
			}
			return s.fault("values are nested more than %d deep", jsontext.Deepest)
		}
		s.open = append(s.open, c+2) // both closing brackets are two further
	case '}', ']':
		if len(s.open) == 0 || s.open[len(s.open)-1] != c {
			return s.fault("%q closes nothing", c)
		}
		s.open = s.open[:len(s.open)-1]
	case '"':
		return s.text(into)
	case ',', ':':
		if len(s.open) == 0 {
			return s.unexpected(c, "a value")
		}
	default:
		return s.word(into)
	}
	s.takeInto(into, c)
	return nil
}

func (s *scanner) text(into *valueBuffer) error {
	line, column := s.at()
	s.take('"')
	into.byte('"')
	for {
		if _, ok := s.peek(); !ok {
			f := s.cut()
			f.message += fmt.Sprintf(", in the string that begins at %d:%d", line, column)
			return f
		}
		chunk := s.buf[s.pos:s.end]
		plain := jsontext.Plain(chunk, 0)
		into.add(chunk[:plain])
		if s.pos += plain; plain == len(chunk) {
			if s.strict && !s.long && into.full() {
				return nil // value reports it
			}
			continue
		}
		c := chunk[plain] // peek may overwrite the chunk
		s.takeInto(into, c)
		if c == '"' {
			return nil
		}
		if next, ok := s.peek(); ok && c == '\\' {
			s.takeInto(into, next)
		}
	}
}

func (s *scanner) takeInto(into *valueBuffer, c byte) {
	s.take(c)
	into.byte(c)
}

// word scans a number, true, false, null or a constant of Python.
func (s *scanner) word(into *valueBuffer) error {
	line, column := s.at()
	var word []byte
	for {
		c, ok := s.peek()
		if !ok || !jsontext.IsWord(c) {
			break
		}
		s.take(c)
		if word = append(word, c); len(word) > longestNumber {
			return &fault{line, column, envelope.CodeUnreadable, "a number of more than 1024 digits"}
		}
	}
	switch text := string(word); {
	case s.strict && into != nil && text != "":
		into.add(word) // what is kept is checked as it is
	case text == "NaN" || text == "Infinity" || text == "-Infinity":
		into.patch("null")
	case text == "true" || text == "false" || text == "null" || text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9'):
		into.add(word)
	default:
		if c, ok := s.peek(); ok {
			into.byte(c) // the caller quotes it in its error
		}
		return &fault{line, column, envelope.CodeUnreadable, "this is not JSON"}
	}
	return nil
}

// valueBuffer has the bytes of one value, at most MaxRecord. A nil buffer keeps nothing.
type valueBuffer struct {
	bytes   []byte
	tooLong bool
	patched bool // a word was replaced, offsets are no longer those of the text
}

func (v *valueBuffer) full() bool { return v != nil && v.tooLong }

func (v *valueBuffer) byte(c byte) {
	if v == nil || v.tooLong {
		return
	}
	if len(v.bytes) == MaxRecord {
		v.tooLong = true
		return
	}
	v.bytes = append(v.bytes, c)
}

func (v *valueBuffer) add(b []byte) {
	if v == nil || v.tooLong {
		return
	}
	if v.tooLong = len(v.bytes)+len(b) > MaxRecord; !v.tooLong {
		v.bytes = append(v.bytes, b...)
	}
}

func (v *valueBuffer) patch(s string) {
	v.add([]byte(s))
	if v != nil {
		v.patched = true
	}
}

func (v *valueBuffer) reset() {
	const most = 1 << 20 // a long record must not keep its memory for the short ones
	if cap(v.bytes) > most {
		v.bytes = nil
	}
	v.bytes, v.tooLong, v.patched = v.bytes[:0], false, false
}

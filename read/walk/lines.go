package walk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
)

// Lines reads a JSON object a line and hands each to each. A line that does not
// start like an object is noise: counted, one warning. The error is that of r.
func Lines(r io.Reader, to envelope.Sink, each func(Value)) error {
	l := &lines{in: bufio.NewReaderSize(r, headSize), to: to, each: each}
	for {
		err := l.next()
		if err == nil {
			continue
		}
		l.tellNoise()
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

type lines struct {
	in      *bufio.Reader
	to      envelope.Sink
	each    func(Value)
	number  int
	buf     []byte
	keep    keeper
	noise   int
	noiseAt int
}

// next reads one line. Its error ends the reading.
func (l *lines) next() error {
	l.number++
	if cap(l.buf) > 1<<20 {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	for tooLong := false; ; {
		part, err := l.in.ReadSlice('\n')
		if tooLong = tooLong || len(l.buf)+len(part) > MaxRecord; !tooLong {
			l.buf = append(l.buf, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		l.line(tooLong, err != nil)
		return err
	}
}

func (l *lines) line(tooLong, last bool) {
	text := l.buf
	column := 1
	if l.number == 1 {
		if text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")); len(text) < len(l.buf) {
			column += 3
		}
	}
	blank := len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
	rec := &record{to: l.to, name: "the line", line: l.number, column: column + blank}
	text = bytes.TrimRight(text[blank:], " \t\r\n")
	switch {
	case tooLong:
		rec.problem(envelope.SeverityError, envelope.CodeLineTooLong, fmt.Sprintf("the line is longer than %d MiB and is not read", MaxRecord>>20))
	case len(text) == 0:
	case text[0] != '{':
		if l.noise++; l.noise == 1 {
			l.noiseAt = l.number
		}
	default:
		l.object(rec, text, last)
	}
}

func (l *lines) object(rec *record, text []byte, last bool) {
	err := valid(text)
	if err != nil {
		if patched, ok := l.patch(text); ok {
			text, err = patched, nil
		}
	}
	if err == nil {
		Value{raw: text, key: rec.name, rec: rec, whole: true}.Deliver(l.each)
		return
	}
	rec.syntax(text, err)
	if last && strings.HasPrefix(err.Error(), "unexpected end") {
		rec.problem(envelope.SeverityError, envelope.CodeTruncated, "the last line ends in the middle and is not counted")
		return
	}
	rec.problem(envelope.SeverityError, envelope.CodeMalformed, "the line is not counted: "+err.Error())
}

// valid is why a text is no JSON.
func valid(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	var nothing struct{}
	return json.Unmarshal(text, &nothing)
}

// patch replaces NaN and its like, when that makes the text JSON.
func (l *lines) patch(text []byte) ([]byte, bool) {
	l.keep.reset()
	s := &scanner{buf: text, end: len(text), err: io.EOF}
	if s.value(&l.keep) != nil || !l.keep.patched {
		return nil, false
	}
	if _, more := s.space(); more {
		return nil, false
	}
	return l.keep.bytes, json.Valid(l.keep.bytes)
}

func (l *lines) tellNoise() {
	if l.noise > 0 {
		l.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeNoise, Line: l.noiseAt, Column: 1, Count: l.noise,
			Message: fmt.Sprintf("lines that are no records, the first at line %d", l.noiseAt)})
	}
}

// Package jsonlines walks over inputs that hold one JSON object a line, as the
// streams of test runners do.
//
// It exists so that all of them treat the same faults the same way: a line that
// is no object is noise and counted, a broken one is a problem with line and
// column, a huge one is skipped whole, and reading goes on. What the objects
// mean is the business of each format, and package walk looks for the fields of
// those that Python writes. Trial streams of our own have a faster walker in
// package native.
package jsonlines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/peek"
)

// MaxLine is how many bytes a line may have. A longer one is skipped whole.
const MaxLine = 64 << 20

// memoryKept is how much memory one long line may leave behind.
const memoryKept = 4 << 20

// Raw is a line of any kind, without its end.
type Raw struct {
	Text    []byte // the next line reuses its memory
	Number  int    // 1-based
	Ended   bool   // by a line end
	TooLong bool   // longer than MaxLine; Text is empty
}

// All calls line for every line, the last one also when the error comes behind
// it. The error is that of r.
func All(r io.Reader, line func(Raw)) error {
	c := cutter{r: bufio.NewReaderSize(r, 1<<16)}
	for {
		raw, err := c.next()
		line(raw)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// cutter cuts a stream into lines.
type cutter struct {
	r      *bufio.Reader
	long   []byte // a line that does not fit the buffer of r
	number int
}

func (c *cutter) next() (raw Raw, err error) {
	if cap(c.long) > memoryKept {
		c.long = nil
	}
	c.number++
	raw.Number = c.number
	raw.Text, err = c.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		raw.Text, raw.TooLong, err = c.collect(raw.Text)
	}
	raw.Text, raw.Ended = bytes.CutSuffix(raw.Text, []byte("\n"))
	return raw, err
}

// collect puts together a line of which the head is already read.
func (c *cutter) collect(head []byte) (text []byte, tooLong bool, err error) {
	c.long = append(c.long[:0], head...)
	for {
		part, err := c.r.ReadSlice('\n')
		if tooLong = tooLong || len(c.long)+len(part) > MaxLine; tooLong {
			c.long = c.long[:0]
		} else {
			c.long = append(c.long, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return c.long, tooLong, err
		}
	}
}

// Line is one line that begins like an object.
type Line struct {
	Text   []byte // without blanks before it; the next line reuses its memory
	Number int    // 1-based
	indent int    // bytes of the line before Text
	ended  bool   // by a line end
	to     envelope.Sink
}

// Each calls record for every line that begins like an object. The error is
// that of r; the lines before it were handed out.
func Each(r io.Reader, to envelope.Sink, record func(*Line)) error {
	w := Walker{To: to, Record: record}
	defer func() { w.Noise.Report(to) }()
	return All(r, w.Take)
}

// Walker is Each for those who cut their input into lines themselves: it calls
// Record for every line that begins like an object, and counts other lines.
type Walker struct {
	To     envelope.Sink
	Record func(*Line)
	Noise  Noise
	line   Line
}

// Take takes the next line.
func (w *Walker) Take(raw Raw) {
	if raw.TooLong {
		w.To.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeLineTooLong, Line: raw.Number, Column: 1,
			Message: "the line has more than 64 MiB and is skipped whole: what it says is not counted"})
	}
	rest := raw.Text
	if len(rest) == 0 || rest[0] != '{' { // as good as all lines begin with their record
		rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("\uFEFF")), " \t\r")
	}
	if len(rest) == 0 {
		return
	}
	if rest[0] != '{' {
		w.Noise.add(rest, raw.Number)
		return
	}
	w.line = Line{Text: rest, Number: raw.Number, indent: len(raw.Text) - len(rest), ended: raw.Ended, to: w.To}
	w.Record(&w.line)
}

// Noise is how many lines are no objects, and which of them came first.
type Noise struct {
	count, line int
	first       string
}

func (n *Noise) add(text []byte, line int) {
	if n.count++; n.count == 1 {
		n.line, n.first = line, quoted(text)
	}
}

// Follow adds the noise of the next part of an input, which has so many lines
// before it.
func (n *Noise) Follow(next Noise, before int) {
	if n.count == 0 {
		n.line, n.first = next.line+before, next.first
	}
	n.count += next.count
}

// Report tells the noise, if there was any, as one problem.
func (n *Noise) Report(to envelope.Sink) {
	if n.count == 0 {
		return
	}
	to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeNoise, Line: n.line, Column: 1, Count: n.count,
		Message: fmt.Sprintf("lines that are no records are passed over: %d, the first of them: %s", n.count, n.first)})
}

// quoted is the head of a text as a message shows it.
func quoted(text []byte) string {
	const most = 60
	if len(text) <= most {
		return strconv.Quote(string(text))
	}
	return strconv.Quote(strings.ToValidUTF8(string(text[:most]), "") + "…")
}

// Decode decodes the object into v. A member of the wrong kind is a problem and
// left out, the rest counts. Of an object that is no JSON Decode tells the
// problem and returns false.
func (l *Line) Decode(v any) bool {
	err := json.Unmarshal(l.Text, v)
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		l.Problem(envelope.SeverityError, envelope.CodeField, int(kind.Offset)-1,
			fmt.Sprintf("left out, the rest of the record counts: %s: a JSON %s does not fit here", kind.Field, kind.Value))
		return true
	}
	if err == nil {
		return true
	}
	at := 0
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		at = int(syntax.Offset) - 1
	}
	if !l.ended && at >= len(bytes.TrimRight(l.Text, " \t\r"))-1 {
		l.Problem(envelope.SeverityError, envelope.CodeTruncated, at, "the last line ends in the middle of a record, which is not counted: "+err.Error())
	} else {
		l.Malformed(at, err.Error())
	}
	return false
}

// Malformed says that the record is not counted, and why.
func (l *Line) Malformed(at int, reason string) {
	l.Problem(envelope.SeverityError, envelope.CodeMalformed, at, "the record is not counted: "+reason)
}

// Problem tells a problem at a byte offset of Text.
func (l *Line) Problem(severity envelope.Severity, code string, at int, message string) {
	l.to.Problem(envelope.Problem{Severity: severity, Code: code, Line: l.Number, Column: l.indent + max(at, 0) + 1, Message: message})
}

// First returns the keys of the first line of head that begins like an object,
// and their values where these are strings. The line may be cut; it is nil when
// there is no such line among the first ones.
func First(head []byte) map[string]string {
	const most = 50 // lines of noise that a runner may print before its first record
	for range most {
		text, rest, more := bytes.Cut(head, []byte("\n"))
		if text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\uFEFF")), " \t\r"); len(text) > 0 && text[0] == '{' {
			keys, _ := peek.Object(text)
			return keys
		}
		if head = rest; !more {
			break
		}
	}
	return nil
}

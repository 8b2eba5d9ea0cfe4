package jsonwalk

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/jsontext"
	"tribunal/read/internal/chunks"
	"tribunal/read/internal/noise"
)

// Line is one line that begins like an object.
type Line struct {
	Text   []byte // without blanks before it; the next line reuses its memory
	Number int    // 1-based
	indent int    // bytes of the line before Text
	ended  bool   // by a line end
	to     envelope.Sink
	memory *memory
	noise  *noise.Noise
}

// Lines reads a JSON object a line and hands each to each, for what hand and Python write. Other lines are noise:
// counted, one warning. But an object behind other bytes of its line that has one of the keys is a record as well, with
// a warning. The error is that of r; the lines before it were handed out.
func Lines(r io.Reader, to envelope.Sink, each func(Value), keys ...string) error {
	var into valueBuffer
	return StrictLines(r, to, func(l *Line) {
		if v, ok := l.value(&into); ok {
			v.Deliver(each)
		}
	}, keys...)
}

// StrictLines is Lines for formats whose lines are decoded into Go types with Decode, or are looked at before.
func StrictLines(r io.Reader, to envelope.Sink, record func(*Line), keys ...string) error {
	return AllLines(r, to, record, nil, keys...)
}

// AllLines is StrictLines for formats that learn from noise, too: other gets each such line without blanks before it.
func AllLines(r io.Reader, to envelope.Sink, record func(*Line), other func(line int, text []byte), keys ...string) error {
	w := lineWalker{to: to, record: record, other: other, keys: keys}
	w.marks = each.Of(keys, func(key string) []byte { return []byte(`"` + key + `":`) })
	defer w.noise.Report(to)
	return chunks.Lines(r, headSize, MaxRecord, w.take)
}

// lineWalker calls record for every line that begins like an object, and counts other lines.
type lineWalker struct {
	to     envelope.Sink
	record func(*Line)
	other  func(line int, text []byte) // may be nil
	keys   []string                    // a record behind other bytes has one of them
	marks  [][]byte                    // the keys as they begin members
	noise  noise.Noise
	line   Line
	memory memory
}

func (w *lineWalker) take(raw chunks.Line) {
	if raw.TooLong {
		w.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeLineTooLong, Line: raw.Number, Column: 1,
			Message: "the line has more than 64 MiB and is skipped whole: nothing in it counts; write shorter texts into it"})
	}
	rest := raw.Text
	if len(rest) == 0 || rest[0] != '{' { // as good as all lines begin with their record
		rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("\uFEFF")), " \t\r")
	}
	if len(rest) == 0 || raw.Broken { // which the error of the input says
		return
	}
	if rest[0] != '{' {
		other := rest
		if rest = Behind(&w.noise, other, raw.Number, w.keys...); rest == nil {
			if w.other != nil {
				w.other(raw.Number, other)
			}
			return
		}
	}
	if w.noise.Record == nil {
		w.noise.Record = bytes.Clone(rest[:min(len(rest), headSize)])
	} else if !slices.ContainsFunc(w.marks, func(mark []byte) bool { return bytes.Contains(rest, mark) }) {
		w.noise.Look(rest, raw.Number)
	}
	w.line = Line{Text: rest, Number: raw.Number, indent: len(raw.Text) - len(rest), ended: raw.Ended, to: w.to, memory: &w.memory,
		noise: &w.noise}
	w.record(&w.line)
}

// value is the object of the line; of one that is no JSON it tells the problem.
func (l *Line) value(into *valueBuffer) (v Value, ok bool) {
	text := l.Text
	if err := syntaxOf(text, &l.memory.keys); err != nil {
		if text, ok = withoutNaN(text, into); !ok {
			l.broken(err)
			return Value{}, false
		}
	}
	rec := &record{to: l.to, name: "the line", line: l.Number, column: l.indent + 1, texts: l.memory, names: l.memory.known(),
		room: &l.memory.members}
	l.memory.own.Begin(text)
	return rec.of(text, &l.memory.own), true
}

// withoutNaN replaces NaN and its like, when that makes the text JSON.
func withoutNaN(text []byte, into *valueBuffer) (patched []byte, ok bool) {
	into.reset()
	s := textScanner(text)
	if s.value(into) != nil || !into.patched {
		return nil, false
	}
	_, more := s.space()
	return into.bytes, !more && SyntaxError(into.bytes) == nil
}

// Decode decodes the object into v. A member of the wrong kind is a problem and left out, the rest counts. Of an object
// that is no JSON Decode tells the problem and returns false.
func (l *Line) Decode(v any) bool {
	err := l.memory.unmarshal(l.Text, v)
	if err == nil {
		return true
	}
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		l.Problem(envelope.SeverityError, envelope.CodeField, int(kind.Offset)-1, ignored(kind, l.Text, "record"))
		return true
	}
	l.broken(err)
	return false
}

func (l *Line) broken(err error) {
	at := 0
	if syntax := (*syntaxError)(nil); errors.As(err, &syntax) {
		at = syntax.at
	}
	if !l.ended && at >= len(bytes.TrimRight(l.Text, " \t\r"))-1 {
		l.Problem(envelope.SeverityError, envelope.CodeTruncated, at,
			"the last line is cut off and not counted; get the whole file, or run the tests again")
	} else {
		l.Malformed(at, err.Error())
	}
}

// Malformed says that the record is not counted, and why.
func (l *Line) Malformed(at int, reason string) {
	l.Problem(envelope.SeverityError, envelope.CodeMalformed, at, "the record is not counted: "+reason)
}

// Foreign counts the line as noise: it is an object of somebody else.
func (l *Line) Foreign() { l.noise.Add(l.Text, l.Number) }

// Problem tells a problem at a byte offset of Text.
func (l *Line) Problem(severity envelope.Severity, code string, at int, message string) {
	l.to.Problem(envelope.Problem{Severity: severity, Code: code, Line: l.Number, Column: l.indent + max(at, 0) + 1, Message: message})
}

// Behind is the record in a line that does not begin like one: an object that is a record
// by one of the keys, behind the NULs of a crash, a timestamp, or text without a line end.
// The line is noise where there is none. Objects in other objects are no records.
func Behind(n *noise.Noise, line []byte, number int, keys ...string) (record []byte) {
	if at := recordIn(line, keys); at > 0 {
		n.Before(line[:at], number)
		return line[at:]
	}
	n.Add(line, number)
	return nil
}

// recordIn is where that record begins, 0 where there is none.
func recordIn(line []byte, keys []string) int {
	const most = 16 // objects that are looked at: a line may be long
	for at, looked := 0, 0; looked < most; at++ {
		next := bytes.IndexByte(line[at:], '{')
		if next < 0 {
			return 0
		}
		if at += next; !bytes.HasPrefix(bytes.TrimLeft(line[at+1:], " \t"), []byte(`"`)) {
			continue
		}
		looked++
		if found, _ := Keys(line[at:]); found.HasAny(keys...) {
			return at
		}
		if end := (&jsontext.Part{B: line}).Valid(at); end > at {
			at = end - 1
		}
	}
	return 0
}

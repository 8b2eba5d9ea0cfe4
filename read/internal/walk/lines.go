package walk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/jsonlines"
)

// Lines reads a JSON object a line and hands each to each. A line that does not
// start like an object is noise: counted, one warning. The error is that of r.
func Lines(r io.Reader, to envelope.Sink, each func(Value)) error {
	l := &lines{to: to, each: each}
	defer l.tellNoise()
	return jsonlines.All(r, l.line)
}

type lines struct {
	to      envelope.Sink
	each    func(Value)
	keep    keeper
	noise   int
	noiseAt int
}

func (l *lines) line(raw jsonlines.Raw) {
	text, blanks := raw.Text, " \t\r"
	if raw.Number == 1 {
		text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	}
	text = bytes.TrimLeft(text, blanks)
	rec := &record{to: l.to, name: "the line", line: raw.Number, column: 1 + len(raw.Text) - len(text)}
	text = bytes.TrimRight(text, blanks)
	switch {
	case raw.TooLong:
		rec.problem(envelope.SeverityError, envelope.CodeLineTooLong, fmt.Sprintf("the line is longer than %d MiB and is not read", jsonlines.MaxLine>>20))
	case len(text) == 0:
	case text[0] != '{':
		if l.noise++; l.noise == 1 {
			l.noiseAt = raw.Number
		}
	default:
		l.object(rec, text, !raw.Ended)
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

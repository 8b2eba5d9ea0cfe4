package jsonwalk

import (
	"encoding/json"
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/internal/words"
)

// record is one value that was read whole: where it stands, and which of its
// fields could not be read.
type record struct {
	to           envelope.Sink
	name         string
	line, column int
	fields       []jsontext.Member // of the record, once one was asked for
	room         *[]jsontext.Member
	faults       []string
	names        names          // of members, shared by the records of a text; nil where there are no others
	marks        *jsontext.Text // of the text that it is a part of, nil where there are none
	texts        *memory        // for what its strings say, where that is to stay
}

// names are the names of members seen before: records of one text have the same, and
// each of them would be a string of its own.
type names map[string]string

// Bounds of them: objects may be keyed by what is in them.
const (
	mostNames   = 256
	longestName = 64
)

// of is the text of a name in quotes, which text finds when it was not met before.
func (n names) of(quoted []byte, text func() string) string {
	if name, known := n[string(quoted)]; known {
		return name
	}
	name := strings.Clone(text()) // whose memory may be used again
	if len(n) < mostNames && len(quoted) <= longestName {
		n[string(quoted)] = name
	}
	return name
}

// of is the record as a Value.
func (rec *record) of(raw []byte, m *jsontext.Text) Value {
	rec.marks = m
	return Value{raw: raw, key: rec.name, rec: rec, whole: true}
}

// members are those of the record itself.
func (rec *record) members(v Value) []jsontext.Member {
	if rec.fields != nil {
		return rec.fields
	}
	all := []jsontext.Member{}
	if rec.room != nil && *rec.room != nil {
		all = (*rec.room)[:0]
	}
	for m := range jsontext.Members(v.raw, v.marks()) {
		if len(all) == maxMembers {
			rec.fault("members after the first %d", maxMembers)
			break
		}
		all = append(all, m)
	}
	rec.fields = all
	if rec.room != nil && cap(all) <= keptMembers {
		*rec.room = all
	}
	return all
}

// check makes a Value of the kept bytes, or tells why not. The marks are room for those of
// the bytes.
func (rec *record) check(keep *keeper, marks *jsontext.Text) Value {
	if keep.tooLong {
		rec.tooLong()
		return Value{}
	}
	if err := syntaxError(keep.bytes); err != nil {
		rec.problem(envelope.SeverityError, envelope.CodeMalformed, fmt.Sprintf("%s is not read: %v", rec.name, err))
		return Value{}
	}
	marks.Reset()
	if marks.Mark(keep.bytes); marks.Torn() {
		marks = nil
	}
	return rec.of(keep.bytes, marks)
}

func (rec *record) tooLong() {
	rec.problem(envelope.SeverityError, envelope.CodeLineTooLong, fmt.Sprintf("%s is longer than %d MiB and is not read", rec.name, MaxRecord>>20))
}

// syntaxError is why a text is no JSON.
func syntaxError(text []byte) error {
	if jsontext.Valid(text) || json.Valid(text) {
		return nil
	}
	var nothing struct{}
	return json.Unmarshal(text, &nothing)
}

func (rec *record) problem(severity envelope.Severity, code, message string) {
	rec.to.Problem(envelope.Problem{Severity: severity, Code: code, Line: rec.line, Column: rec.column, Message: message})
}

// fault notes a field that could not be read.
func (rec *record) fault(format string, args ...any) {
	if rec != nil {
		rec.faults = append(rec.faults, fmt.Sprintf(format, args...))
	}
}

// tell tells the fields that could not be read, in one problem.
func (rec *record) tell() {
	n := len(rec.faults)
	if n == 0 {
		return
	}
	message := "left out: " + strings.Join(rec.faults[:min(n, maxFaults)], ", ")
	if n > maxFaults {
		message += fmt.Sprintf(" and %d more", n-maxFaults)
	}
	rec.problem(envelope.SeverityWarning, envelope.CodeField, message)
	rec.faults = nil
}

// Deliver hands a record to each when it is an object, and tells its faults.
func (v Value) Deliver(each func(Value)) {
	switch {
	case v.rec == nil: // told already
		return
	case v.kind() != '{':
		v.Reject("it is not an object")
	default:
		each(v)
	}
	v.rec.tell()
}

// Passing calls read, for which strings of the record of v say what they say in memory
// that is used again for the next record.
func (v Value) Passing(read func()) {
	if v.rec == nil { // absent: there is no string
		read()
		return
	}
	texts := v.rec.texts
	v.rec.texts = nil
	read()
	v.rec.texts = texts
}

// Reject tells that the record of v is not counted.
func (v Value) Reject(reason string) {
	v.rec.problem(envelope.SeverityError, envelope.CodeMalformed, fmt.Sprintf("%s is not counted: %s", Short(v.rec.name), reason))
}

// Warn tells something about the record of v, which is counted all the same.
func (v Value) Warn(code, message string) {
	v.rec.problem(envelope.SeverityWarning, code, message)
}

// Tell tells the fields of a value taken with Text.Value that could not be read.
func (v Value) Tell() {
	if v.rec != nil {
		v.rec.tell()
	}
}

// Short keeps the head of a text that is told in a message.
func Short(s string) string {
	return words.Head(s, 200)
}

// Place is where the record of v begins.
func (v Value) Place() (line, column int) { return v.rec.line, v.rec.column }

package jsonwalk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/internal/words"
)

// record is one value that was read whole: where it stands, and which of its fields could not be read.
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
const mostNames, longestName = 256, 64

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

func (rec *record) of(raw []byte, m *jsontext.Text) Value {
	rec.marks = m
	return Value{raw: raw, key: rec.name, rec: rec, whole: true}
}

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

// check makes a Value of the buffered bytes, or reports why it cannot. It reuses marks for those of the bytes.
func (rec *record) check(into *valueBuffer, marks *jsontext.Text) Value {
	if into.tooLong {
		rec.tooLong()
		return Value{}
	}
	if err := SyntaxError(into.bytes); err != nil {
		rec.problem(envelope.SeverityError, envelope.CodeMalformed, fmt.Sprintf("%s is not read: %v", rec.name, err))
		return Value{}
	}
	marks.Reset()
	marks.Begin(into.bytes)
	return rec.of(into.bytes, marks)
}

func (rec *record) tooLong() {
	rec.problem(envelope.SeverityError, envelope.CodeLineTooLong,
		fmt.Sprintf("%s is longer than %d MiB and is not read", rec.name, MaxRecord>>20))
}

// SyntaxError is why a text is no JSON, or which key an object of it has twice.
func SyntaxError(text []byte) error { return syntaxOf(text, &jsontext.Keys{}) }

func syntaxOf(text []byte, keys *jsontext.Keys) error {
	s := jsontext.Part{B: text, Keys: keys}
	if end := s.Valid(0); end >= 0 && s.Ends(end) {
		return nil
	}
	return &syntaxError{s.Reason, s.Wrong}
}

// syntaxError is why a text is no JSON, or a key that is there twice.
type syntaxError struct {
	reason string
	at     int // the length of the text where it ends too early
}

func (e *syntaxError) Error() string { return e.reason }

func (rec *record) problem(severity envelope.Severity, code, message string) {
	rec.to.Problem(envelope.Problem{Severity: severity, Code: code, Line: rec.line, Column: rec.column, Message: message})
}

func (rec *record) fault(format string, args ...any) {
	if rec != nil {
		rec.faults = append(rec.faults, fmt.Sprintf(format, args...))
	}
}

func (rec *record) report() {
	rec.faults = slices.Compact(rec.faults)
	n := len(rec.faults)
	if n == 0 {
		return
	}
	message := "values ignored: " + strings.Join(rec.faults[:min(n, maxFaults)], ", ")
	message += words.If(n > maxFaults, fmt.Sprintf(" and %d more", n-maxFaults))
	rec.problem(envelope.SeverityWarning, envelope.CodeField, message)
	rec.faults = nil
}

// Deliver calls each with a record that is an object, and reports its faults.
func (v Value) Deliver(each func(Value)) {
	switch {
	case v.rec == nil: // reported already
		return
	case v.kind() != '{':
		v.Reject("it is not an object")
	default:
		each(v)
	}
	v.rec.report()
}

// Passing calls read. Strings of the record of v are valid only during the call, because
// the next record reuses their memory.
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

// Reject reports that v, a record or a part of one, is not counted.
func (v Value) Reject(reason string) {
	name := words.If(v.key != v.rec.name, "a part of ") + cmp.Or(v.rec.name, `""`)
	v.rec.problem(envelope.SeverityError, envelope.CodeMalformed, fmt.Sprintf("%s is not counted: %s", Short(name), reason))
}

// Warn reports a warning about the record of v, which still counts.
func (v Value) Warn(code, message string) { v.rec.problem(envelope.SeverityWarning, code, message) }

// Report reports the fields that could not be read of a value from Text.Value.
func (v Value) Report() {
	if v.rec != nil {
		v.rec.report()
	}
}

// Short returns the start of a text, for a message.
func Short(s string) string { return words.Head(s, 200) }

// Place is where the record of v begins.
func (v Value) Place() (line, column int) { return v.rec.line, v.rec.column }

// Record makes a record from JSON that was converted from another format. Problems have its place in the original.
func Record(to envelope.Sink, name string, line, column int, text []byte) Value {
	return Value{raw: text, key: name, rec: &record{to: to, name: name, line: line, column: column}, whole: true}
}

// Detached is a value of its own, of a text that is known to be JSON, for readers
// that find their records in another way. What could not be read of it is in Faults.
func Detached(name string, text []byte) Value {
	return Value{raw: text, key: name, rec: &record{name: name}}
}

// In is v, as Detached made it, where its text is a part of one that is marked: what its
// strings say is there until that is reset.
func (v Value) In(m *jsontext.Text) Value {
	v.rec.marks = m
	return v
}

// Faults are what could not be read so far of the record that v belongs to, and forgets them.
func (v Value) Faults() []string {
	if v.rec == nil {
		return nil
	}
	faults := v.rec.faults
	v.rec.faults = nil
	return faults
}

// Leave notes that v was left out. Why follows its name in the problem, which lists all
// fields of the record that could not be read.
func (v Value) Leave(why string) { v.rec.fault("%s %s", Short(v.key), why) }

// Kind is what v is, in words.
func (v Value) Kind() string { return jsontext.KindName(v.kind()) }

// Silent is a sink that discards everything.
type Silent struct{}

func (Silent) Trial(*envelope.Trial) {}

func (Silent) Header(envelope.Header, *envelope.Carried) {}

func (Silent) Recorded(*envelope.Recorded) {}

func (Silent) Problem(envelope.Problem) {}

package jsonwalk

import (
	"tribunal/envelope"
	"tribunal/internal/jsontext"
)

// Record is a record that stands in another kind of text, made JSON: what is wrong with
// it is told with its place there.
func Record(to envelope.Sink, name string, line, column int, text []byte) Value {
	return Value{raw: text, key: name, rec: &record{to: to, name: name, line: line, column: column}, whole: true}
}

// Detached is a value of its own, of a text that is known to be JSON, for readers
// that find their records in another way. What could not be read of it is in Faults.
func Detached(name string, text []byte) Value {
	return Value{raw: text, key: name, rec: &record{name: name}}
}

// Names are names of members that were met before, for those who detach one value after
// another: all of these share them.
type Names struct{ memory memory }

// Detached is the function of this name.
func (n *Names) Detached(name string, text []byte) Value {
	v := Detached(name, text)
	v.rec.names = n.memory.known()
	return v
}

// In is v, as Detached made it, where its text is a part of one that is marked: what its
// strings say is there until that is reset.
func (v Value) In(m *jsontext.Text) Value {
	v.rec.marks = m
	return v
}

// Faults are what could not be read so far of the record that v belongs to, and
// forgets them.
func (v Value) Faults() []string {
	if v.rec == nil {
		return nil
	}
	faults := v.rec.faults
	v.rec.faults = nil
	return faults
}

// Leave notes that v was left out, and why: told is behind its name. It is told
// with the other fields of its record that could not be read.
func (v Value) Leave(why string) { v.rec.fault("%s %s", Short(v.key), why) }

// Kind is what v is, in words.
func (v Value) Kind() string {
	switch v.kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "null"
}

package gotest

import (
	"strconv"

	"tribunal/internal/jsontext"
)

// This file finds the fields of a line at the speed of memory. It exists because
// streams of go test -json are large: nearly every byte of them is output that
// somebody waits for and nobody reads. It knows what Go writes and nothing else;
// encoding/json reads the rest, tells what is wrong, and is what this is tested
// against.

// members are the fields with their colons, in the order in which Go writes
// them.
var members = [...]string{`"Time":`, `"ImportPath":`, `"Action":`, `"Package":`, `"Test":`, `"Elapsed":`, `"Output":`, `"FailedBuild":`, `"Key":`, `"Value":`}

const (
	timeMember = iota
	importPathMember
	actionMember
	packageMember
	testMember
	elapsedMember // the one that is not a text
	outputMember
	failedBuildMember
	keyMember
	valueMember
)

// fields are the fields of an event as they stand in its line.
type fields struct {
	texts   [len(members)]span
	elapsed float64
	timed   bool
	last    int // the member read last
}

// span is where the content of a string begins and ends. That of a member that is
// not there begins at 0.
type span struct{ begin, end int }

func (s span) of(m *jsontext.Text) []byte { return m.Bytes[s.begin:s.end] }

// read reads a flat object without blanks, of fields it knows, and returns the
// offset behind it. It returns -1 for anything else, valid or not; where it does
// not, encoding/json reads the same. The text must end with a line end.
func (f *fields) read(m *jsontext.Text, at int) (end int) {
	*f = fields{}
	text, expected := m.Bytes, 0
	for sign := byte('{'); ; sign = ',' {
		if text[at] != sign {
			break
		}
		member, length := memberAt(text[at+1:], expected)
		if member < 0 {
			return -1
		}
		f.last = member
		if at = f.value(m, member, at+1+length); at < 0 {
			return -1
		}
		expected = member + 1
	}
	if text[at] != '}' || expected == 0 {
		return -1
	}
	return at + 1
}

// memberAt finds the member at the beginning of text and the length of its name.
// The expected one and those behind it are tried first.
func memberAt(text []byte, expected int) (member, length int) {
	for i := range members {
		m := (expected + i) % len(members)
		if name := members[m]; len(text) >= len(name) && string(text[:len(name)]) == name {
			return m, len(name)
		}
	}
	return -1, 0
}

// value reads the value of a member and returns the offset behind it, -1 when it
// is not for us.
func (f *fields) value(m *jsontext.Text, member, at int) (next int) {
	if member == elapsedMember {
		f.elapsed, next = decimal(m.Bytes, at)
		f.timed = true
		return next
	}
	if m.Bytes[at] != '"' {
		return -1
	}
	end := m.Closing(at + 1)
	if end < 0 {
		return -1
	}
	f.texts[member] = span{at + 1, end}
	return end + 1
}

// decimal reads a number such as 12.34; one written otherwise is not for us.
func decimal(line []byte, at int) (float64, int) {
	end := at
	for '0' <= line[end] && line[end] <= '9' || line[end] == '.' {
		end++
	}
	text := line[at:end]
	if len(text) == 0 || text[0] == '.' || text[len(text)-1] == '.' || len(text) > 1 && text[0] == '0' && text[1] != '.' {
		return 0, -1
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, -1
	}
	return f, end
}

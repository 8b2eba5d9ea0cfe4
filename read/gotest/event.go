package gotest

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"tribunal/read/jsonlines"
)

// event is one event. Its texts lie in memory that the next one reuses.
type event struct {
	time, action, pkg, test, output []byte
	importPath, failedBuild         []byte
	key, value                      []byte
	elapsed                         float64
	timed                           bool // elapsed is known
	buf                             []byte
}

// strict is an event for encoding/json.
type strict struct {
	Time, Action, Package, Test, Output string
	ImportPath, FailedBuild, Key, Value string
	Elapsed                             *float64
}

// read reads the event on a line: quickly when it is written the way Go writes
// it, with encoding/json otherwise. It returns false after it told why not.
func (e *event) read(l *jsonlines.Line) bool {
	if e.quick(bytes.TrimRight(l.Text, "\r")) {
		return true
	}
	s := strict{}
	if !l.Decode(&s) {
		return false
	}
	*e = event{time: []byte(s.Time), action: []byte(s.Action), pkg: []byte(s.Package), test: []byte(s.Test), output: []byte(s.Output),
		importPath: []byte(s.ImportPath), failedBuild: []byte(s.FailedBuild), key: []byte(s.Key), value: []byte(s.Value), buf: e.buf}
	if s.Elapsed != nil {
		e.elapsed, e.timed = *s.Elapsed, true
	}
	return true
}

// quick reads a flat object without blanks, of fields it knows. It returns false
// for anything else, valid or not; where it returns true, encoding/json reads
// the same.
func (e *event) quick(line []byte) bool {
	*e = event{buf: e.buf[:0]}
	at := 0
	for first := true; ; first = false {
		if at >= len(line) || first != (line[at] == '{') || !first && line[at] != ',' {
			return !first && at == len(line)-1 && line[at] == '}'
		}
		key, next := e.text(line, at+1)
		if next < 0 || next >= len(line) || line[next] != ':' {
			return false
		}
		if at = e.field(key, line, next+1); at < 0 {
			return false
		}
	}
}

// field reads the value of a field and returns the offset behind it, -1 when it
// is not for quick.
func (e *event) field(key, line []byte, at int) (next int) {
	if string(key) == "Elapsed" {
		e.elapsed, next = decimal(line, at)
		e.timed = true
		return next
	}
	to := e.place(key)
	if to == nil {
		return -1
	}
	*to, next = e.text(line, at)
	return next
}

func (e *event) place(key []byte) *[]byte {
	switch string(key) {
	case "Time":
		return &e.time
	case "Action":
		return &e.action
	case "Package":
		return &e.pkg
	case "Test":
		return &e.test
	case "Output":
		return &e.output
	case "ImportPath":
		return &e.importPath
	case "FailedBuild":
		return &e.failedBuild
	case "Key":
		return &e.key
	case "Value":
		return &e.value
	}
	return nil
}

// special marks the bytes that end a run of plain text: quote, backslash and
// control characters, which JSON forbids in strings.
var special = func() (t [256]bool) {
	for c := range byte(' ') {
		t[c] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

// text reads the string whose opening quote is at the offset and returns the
// offset behind it, -1 when it is not for quick. A string without escapes is
// returned where it lies.
func (e *event) text(line []byte, at int) (_ []byte, next int) {
	if at >= len(line) || line[at] != '"' {
		return nil, -1
	}
	start, mark := at+1, len(e.buf)
	for at = start; at < len(line); {
		c := line[at]
		switch {
		case !special[c]:
			at++
		case c == '"' && mark == len(e.buf):
			return line[start:at], valid(line[start:at], at+1)
		case c == '"':
			e.buf = append(e.buf, line[start:at]...)
			return e.buf[mark:], valid(e.buf[mark:], at+1)
		case c == '\\':
			e.buf = append(e.buf, line[start:at]...)
			if at = e.escape(line, at+1); at < 0 {
				return nil, -1
			}
			start = at
		default:
			return nil, -1
		}
	}
	return nil, -1
}

func valid(text []byte, next int) int {
	if !utf8.Valid(text) {
		return -1
	}
	return next
}

// letters maps the letter behind a backslash to the character it means.
var letters = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads what is behind a backslash. Surrogates are not for quick.
func (e *event) escape(line []byte, at int) (next int) {
	if at >= len(line) {
		return -1
	}
	if c := letters[line[at]]; c != 0 {
		e.buf = append(e.buf, c)
		return at + 1
	}
	if line[at] != 'u' || at+5 > len(line) {
		return -1
	}
	r := rune(0)
	for _, c := range line[at+1 : at+5] {
		digit := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if digit < 0 || c < '0' {
			return -1
		}
		r = r<<4 | rune(digit)
	}
	if !utf8.ValidRune(r) {
		return -1
	}
	e.buf = utf8.AppendRune(e.buf, r)
	return at + 5
}

// decimal reads a number such as 12.34; one written otherwise is not for quick.
func decimal(line []byte, at int) (float64, int) {
	end, digits := at, 0
	for ; end < len(line) && ('0' <= line[end] && line[end] <= '9' || line[end] == '.'); end++ {
		digits++
	}
	text := line[at:end]
	if digits == 0 || text[0] == '.' || text[digits-1] == '.' || digits > 1 && text[0] == '0' && text[1] != '.' {
		return 0, -1
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, -1
	}
	return f, end
}

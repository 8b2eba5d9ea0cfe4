package gotest

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// This file reads events at the speed of memory. It exists because streams of
// go test -json are large: nearly every byte of them is output that somebody
// waits for. It reads what Go writes and nothing else; encoding/json reads the
// rest, tells what is wrong, and is what this is tested against.

// quick reads a flat object without blanks, of fields it knows. It returns false
// for anything else, valid or not; where it returns true, encoding/json reads
// the same. The texts lie in the line, where what escapes mean replaces them: it
// is never longer.
func (e *event) quick(line []byte) bool {
	*e = event{}
	at, expected := 0, 0
	for first := true; ; first = false {
		if at >= len(line) || first != (line[at] == '{') || !first && line[at] != ',' {
			return !first && at == len(line)-1 && line[at] == '}'
		}
		member, next := memberAt(line[at+1:], expected)
		if member < 0 {
			return false
		}
		if at = e.value(member, line, at+1+next); at < 0 {
			return false
		}
		expected = member + 1
	}
}

// members are the fields with their colons, in the order in which Go writes
// them.
var members = [...]string{`"Time":`, `"ImportPath":`, `"Action":`, `"Package":`, `"Test":`, `"Elapsed":`, `"Output":`, `"FailedBuild":`, `"Key":`, `"Value":`}

const elapsed = 5 // the member that is no text

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
// is not for quick.
func (e *event) value(member int, line []byte, at int) (next int) {
	if member == elapsed {
		e.elapsed, next = decimal(line, at)
		e.timed = true
		return next
	}
	to := [...]*[]byte{&e.time, &e.importPath, &e.action, &e.pkg, &e.test, nil, &e.output, &e.failedBuild, &e.key, &e.val}[member]
	*to, next = text(line, at)
	return next
}

// text reads the string whose opening quote is at the offset and returns the
// offset behind it, -1 when it is not for quick.
func text(line []byte, at int) (_ []byte, next int) {
	if at >= len(line) || line[at] != '"' {
		return nil, -1
	}
	at++
	start := at
	length, ascii := plain(line[at:])
	at += length
	for to := at; at < len(line); {
		switch line[at] {
		case '"':
			return line[start:to], valid(line[start:to], ascii, at+1)
		case '\\':
			r, behind := escape(line, at+1)
			if behind < 0 {
				return nil, -1
			}
			to += utf8.EncodeRune(line[to:], r)
			length, more := plain(line[behind:])
			copy(line[to:], line[behind:behind+length])
			to, at, ascii = to+length, behind+length, ascii && more && r < utf8.RuneSelf
		default:
			return nil, -1 // a control character
		}
	}
	return nil, -1
}

func valid(text []byte, ascii bool, next int) int {
	if !ascii && !utf8.Valid(text) {
		return -1
	}
	return next
}

// ones has a one in each of eight bytes, tops the highest bit of each.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// plain is the number of bytes before the first one that ends a run of plain
// text: a quote, a backslash, or a control character, which JSON forbids in
// strings. It looks at eight bytes at a time. Ascii is false when one of the
// bytes looked at is not.
func plain(text []byte) (n int, ascii bool) {
	seen := uint64(0)
	for ; n+8 <= len(text); n += 8 {
		word := binary.LittleEndian.Uint64(text[n:])
		quote, slash := word^(ones*'"'), word^(ones*'\\')
		// Subtracting borrows from the highest bit of a byte below the number
		// subtracted; the lowest such byte is always right, and it is asked for.
		if found := ((word - ones*' ') &^ word) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash); found&tops != 0 {
			return n + bits.TrailingZeros64(found&tops)/8, (seen|word)&tops == 0
		}
		seen |= word
	}
	for ; n < len(text); n++ {
		c := text[n]
		if c < ' ' || c == '"' || c == '\\' {
			break
		}
		seen |= uint64(c)
	}
	return n, seen&tops == 0
}

// letters maps the letter behind a backslash to the character it means.
var letters = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads what is behind a backslash and returns the offset behind it, -1
// when it is not for quick, as surrogates are.
func escape(line []byte, at int) (r rune, next int) {
	if at >= len(line) {
		return 0, -1
	}
	if c := letters[line[at]]; c != 0 {
		return rune(c), at + 1
	}
	if line[at] != 'u' || at+5 > len(line) {
		return 0, -1
	}
	for _, c := range line[at+1 : at+5] {
		digit := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if digit < 0 || c < '0' {
			return 0, -1
		}
		r = r<<4 | rune(digit)
	}
	if !utf8.ValidRune(r) {
		return 0, -1
	}
	return r, at + 5
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

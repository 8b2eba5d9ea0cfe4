// Package jsonwalk reads JSON of any size record by record: documents with an array of trials inside, and JSON objects
// on lines. Files may be large, truncated, edited by hand or contain NaN, as Python writes it. Memory is bounded by one
// record. An error in a record is a problem with its position, and reading continues after it. A field of an unexpected
// type is reported and left out, never read as 0.
//
//	                  a document   an object a line
//	looked at         Document     Lines             for what hand and Python write
//	decoded           Strict       StrictLines       for reports of test runners
//	told by its head  Keys         FirstLineKeys     for Sniff
//
// Document and Lines give a Value to search in. Strict and StrictLines decode into Go types, with
// encoding/json for unusual JSON; they stop at a document that is not JSON. A line that is not an
// object is counted as noise; a broken object is a problem, and reading continues after it.
//
// It knows no format: readers know the keys and their meaning. Packages native and gotest have
// faster ways for lines in their usual shape.
package jsonwalk

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"time"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
)

// Value is a value inside a record. The zero Value is absent, and so are null and whatever is looked for in a value
// that does not have it. A value of another type than asked for is told in one problem of the record and absent.
type Value struct {
	raw   []byte // valid JSON
	key   string
	rec   *record
	whole bool // the record itself
}

// Get follows keys inward.
func (v Value) Get(path ...string) Value {
	for _, key := range path {
		v = v.member(key)
	}
	return v
}

func (v Value) member(key string) Value {
	all := jsontext.Members(v.raw, v.marks())
	if v.whole {
		all = slices.Values(v.rec.members(v))
	}
	for m := range all {
		if m.Is(key) {
			return Value{raw: m.Raw, rec: v.rec, key: key}
		}
	}
	return Value{rec: v.rec, key: key}
}

// Present reports whether there is a value other than null.
func (v Value) Present() bool { return v.kind() != 0 }

func (v Value) kind() byte { return jsontext.Kind(v.raw) }

// IsText, IsNumber, IsObject and IsArray tell values apart that come in several types.
func (v Value) IsText() bool   { return v.kind() == '"' }
func (v Value) IsNumber() bool { return v.kind() == '0' }
func (v Value) IsObject() bool { return v.kind() == '{' }
func (v Value) IsArray() bool  { return v.kind() == '[' }
func (v Value) IsBool() bool   { return v.kind() == 't' }

// Members are the members of an object in their order.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for m := range jsontext.Members(v.raw, v.marks()) {
			name := v.name(m)
			if !yield(name, Value{raw: m.Raw, key: name, rec: v.rec}) {
				return
			}
		}
	}
}

func (v Value) name(m jsontext.Member) string {
	switch {
	case v.rec == nil || v.rec.names == nil:
		return m.Name()
	case v.rec.texts == nil || v.rec.marks == nil:
		return v.rec.names.of(m.Key, m.Name)
	}
	return v.rec.names.of(m.Key, Value{raw: m.Key, rec: v.rec}.unquote)
}

// marks are those of the text that v is a part of, nil where it has none.
func (v Value) marks() *jsontext.Text {
	if v.rec == nil {
		return nil
	}
	return v.rec.marks
}

func (v Value) unquote() string {
	m := v.marks()
	switch {
	case v.rec != nil && v.rec.texts != nil:
		return v.rec.texts.said(v.raw[1 : len(v.raw)-1])
	case m != nil:
		return m.Copy(v.raw[1 : len(v.raw)-1])
	}
	return jsontext.Unquote(v.raw)
}

// Items are the elements of an array in their order.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for raw := range jsontext.Elements(v.raw, v.marks()) {
			if !yield(Value{raw: raw, key: v.key, rec: v.rec}) {
				return
			}
		}
	}
}

// Strings are what String says of the elements of an array.
func (v Value) Strings() (all []string) {
	for item := range v.Items() {
		all = append(all, item.String())
	}
	return all
}

// First is the first element of an array, absent where there is none.
func (v Value) First() Value {
	for item := range v.Items() {
		return item
	}
	return Value{}
}

// Only is the element of an array of one, absent for any other.
func (v Value) Only() (only Value) {
	n := 0
	for item := range v.Items() {
		if n++; n > 1 {
			return Value{}
		}
		only = item
	}
	return only
}

// Text is a string, or a number as it is written: names and ids are both.
func (v Value) Text() string {
	switch v.kind() {
	case 0:
	case '0':
		return string(v.raw)
	case '"':
		return v.unquote()
	default:
		v.rec.fault("%s is neither a string nor a number", Short(v.key))
	}
	return ""
}

// OnlyText is a string, and "" of anything else.
func (v Value) OnlyText() string {
	if v.IsText() {
		return v.unquote()
	}
	return ""
}

// String is a string as it is, and anything else as compact JSON; "" when absent.
func (v Value) String() string {
	switch v.kind() {
	case 0:
		return ""
	case '"':
		return v.unquote()
	}
	var b bytes.Buffer
	_ = json.Compact(&b, v.raw) // it is valid
	return b.String()
}

// Raw is a value as it is written, valid as long as its record.
func (v Value) Raw() []byte { return v.raw }

// Number is a finite number.
func (v Value) Number() envelope.Opt[float64] {
	if v.kind() == 0 {
		return envelope.Opt[float64]{}
	}
	f, err := strconv.ParseFloat(string(v.raw[:min(len(v.raw), 2000)]), 64)
	if v.kind() != '0' || err != nil {
		v.rec.fault("%s is not a number", Short(v.key))
		return envelope.Opt[float64]{}
	}
	return envelope.Some(f)
}

// Amount is a number from 0 on: a duration, a price.
func (v Value) Amount() envelope.Opt[float64] {
	n := v.Number()
	if n.OK && n.V < 0 {
		v.rec.fault("%s is negative", Short(v.key))
		return envelope.Opt[float64]{}
	}
	return n
}

// Millis is a duration that is written in units of so many milliseconds.
func (v Value) Millis(unit float64) envelope.Opt[float64] {
	n := v.Amount()
	if n.V *= unit; math.IsInf(n.V, 0) {
		v.rec.fault("%s is out of range", Short(v.key))
		return envelope.Opt[float64]{}
	}
	return n
}

// Count is an integer from 0 on.
func (v Value) Count() envelope.Opt[int64] {
	n := v.Number()
	if !n.OK {
		return envelope.Opt[int64]{}
	}
	if n.V < 0 || n.V != math.Trunc(n.V) || n.V > 1<<53 {
		v.rec.fault("%s is not an integer of 0 or more", Short(v.key))
		return envelope.Opt[int64]{}
	}
	return envelope.Some(int64(n.V))
}

// Index is a Count that fits a position.
func (v Value) Index() envelope.Opt[int32] {
	n := v.Count()
	if n.OK && n.V >= math.MaxInt32 {
		v.rec.fault("%s is out of range", Short(v.key))
		return envelope.Opt[int32]{}
	}
	return envelope.Opt[int32]{V: int32(n.V), OK: n.OK}
}

// Bool is true or false.
func (v Value) Bool() envelope.Opt[bool] {
	switch v.kind() {
	case 0:
		return envelope.Opt[bool]{}
	case 't':
		return envelope.Some(v.raw[0] == 't')
	}
	v.rec.fault("%s is neither true nor false", Short(v.key))
	return envelope.Opt[bool]{}
}

// Time is an instant. A time without a zone is none: nobody knows which.
func (v Value) Time() time.Time {
	at, _ := time.Parse(time.RFC3339Nano, v.Text())
	return at
}

// There reports whether there is a value, be it null.
func (v Value) There() bool { return len(v.raw) > 0 }

// Between is the milliseconds from one time to another. Both may be without a
// zone, as Python writes them, but not one of them alone.
func Between(start, end Value) envelope.Opt[float64] {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateTime} {
		from, err := time.Parse(layout, start.Text())
		to, err2 := time.Parse(layout, end.Text())
		if err == nil && err2 == nil && !to.Before(from) {
			return envelope.Some(float64(to.Sub(from)) / float64(time.Millisecond))
		}
	}
	return envelope.Opt[float64]{}
}

// Head returns the first bytes of r, up to 64 KiB, and a reader for all of it.
func Head(r io.Reader) ([]byte, io.Reader) {
	head := make([]byte, headSize)
	n := 0
	for n < len(head) {
		m, err := r.Read(head[n:])
		n += m
		if err != nil {
			return head[:n], io.MultiReader(bytes.NewReader(head[:n]), failed{err})
		}
	}
	return head, io.MultiReader(bytes.NewReader(head), r)
}

type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// KeySet is the keys of an object, with their values where these are strings.
type KeySet map[string]string

// Count is how many of the names are keys.
func (k KeySet) Count(names ...string) (n int) {
	for _, name := range names {
		if _, ok := k[name]; ok {
			n++
		}
	}
	return n
}

// Has reports whether all of the names are keys.
func (k KeySet) Has(names ...string) bool { return k.Count(names...) == len(names) }

// HasAny reports whether one of the names is a key.
func (k KeySet) HasAny(names ...string) bool { return k.Count(names...) > 0 }

// Keys returns the keys of the first object in head: of the document, or of the first element when the document is an
// array. A key has its value when that is a string, and "" otherwise. It is nil when head does not start with an
// object. The head may be cut anywhere, and a broken file is still a file of its format: what comes before counts.
func Keys(head []byte) (keys KeySet, inArray bool) {
	t := &Text{s: textScanner(head)}
	if inArray = t.Next() == '['; inArray {
		t.s.take('[')
	}
	if t.Next() != '{' {
		return nil, inArray
	}
	keys = KeySet{}
	_ = t.Object(func(key string) (err error) {
		if keys[key] = ""; t.Next() == '"' {
			keys[key], err = t.quoted()
		}
		return err
	})
	return keys, inArray
}

// DocumentKeys are Keys of a document that is an object, nil for any other.
func DocumentKeys(head []byte) KeySet {
	keys, inArray := Keys(head)
	if inArray {
		return nil
	}
	return keys
}

// FirstLineKeys returns the keys of the first line of head that begins like an object,
// and their values where these are strings. The line may be cut; it is nil when
// there is no such line: a runner may print many others before its first record.
func FirstLineKeys(head []byte) KeySet {
	for text := range bytes.Lines(head) {
		if text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\uFEFF")), " \t\r"); len(text) > 0 && text[0] == '{' {
			keys, _ := Keys(text)
			return keys
		}
	}
	return nil
}

const (
	// MaxRecord is the longest record that is read. Longer ones are skipped whole and named.
	MaxRecord = 64 << 20
	// maxMembers is how many members of one record are looked at.
	maxMembers = 1 << 20
	// headSize is how much Head looks at, and how much is read at once.
	headSize = 64 << 10
	// longestNumber bounds the digits of a number that is read byte by byte.
	longestNumber = 1 << 10
	// maxFaults is how many fields of one record are named that could not be read.
	maxFaults = 5
)

package jsonwalk

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"tribunal/internal/each"
	"tribunal/internal/jsontext"
)

// decode decodes v into what a pointer points to. Only what is usual is decoded here, in
// half of the time of encoding/json, which does all else again and says what is wrong.
func (v Value) decode(into any) error {
	to := reflect.ValueOf(into).Elem()
	if to.IsZero() {
		if v.into(to) {
			return nil
		}
		to.SetZero()
	}
	return json.Unmarshal(v.raw, into)
}

// into decodes v, or reports that encoding/json must do it. A place that is not empty
// belongs to a member that is given twice.
func (v Value) into(to reflect.Value) bool {
	if to.Type().PkgPath() != "" { // it may have methods
		switch own := to.Addr().Interface().(type) {
		case Loose:
			own.Take(v)
			return true
		case json.Unmarshaler:
			return own.UnmarshalJSON(v.raw) == nil
		case encoding.TextUnmarshaler:
			return json.Unmarshal(v.raw, own) == nil
		}
	}
	kind, null := v.kind(), v.kind() == 0
	switch to.Kind() {
	case reflect.String:
		switch {
		case kind == '"' && to.Type() != jsonNumber:
			to.SetString(v.unquote())
		case kind == '0' && to.Type() == jsonNumber:
			to.SetString(string(v.raw))
		default:
			return null
		}
	case reflect.Bool:
		if !v.IsBool() {
			return null
		}
		to.SetBool(v.raw[0] == 't')
	case reflect.Float64:
		f, err := strconv.ParseFloat(jsontext.InPlace(v.raw), 64)
		if kind != '0' || err != nil {
			return null
		}
		to.SetFloat(f)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(jsontext.InPlace(v.raw), 10, to.Type().Bits())
		if kind != '0' || err != nil {
			return null
		}
		to.SetInt(n)
	case reflect.Pointer:
		if null || !to.IsNil() {
			return null && to.IsNil()
		}
		to.Set(reflect.New(to.Type().Elem()))
		return v.into(to.Elem())
	case reflect.Slice:
		if to.Type().Elem().Kind() == reflect.Uint8 || !to.IsNil() {
			return json.Unmarshal(v.raw, to.Addr().Interface()) == nil
		}
		return null || kind == '[' && v.intoSlice(to)
	case reflect.Struct:
		return null || kind == '{' && v.intoStruct(to)
	default:
		return json.Unmarshal(v.raw, to.Addr().Interface()) == nil
	}
	return true
}

func (v Value) intoSlice(to reflect.Value) bool {
	const first = 4 // elements there is room for
	to.Set(reflect.MakeSlice(to.Type(), 0, 0))
	for raw := range jsontext.Elements(v.raw, v.marks()) {
		n := to.Len()
		if n == to.Cap() {
			to.Grow(max(n, first))
		}
		to.SetLen(n + 1)
		if !(Value{raw: raw, rec: v.rec}).into(to.Index(n)) {
			return false
		}
	}
	return true
}

func (v Value) intoStruct(to reflect.Value) bool {
	fields := v.rec.texts.fieldsOf(to.Type())
	if fields == nil {
		return false
	}
	for m := range jsontext.Members(v.raw, v.marks()) {
		if at := fields.find(v.name(m)); at != nil && !(Value{raw: m.Raw, rec: v.rec}).into(to.FieldByIndex(at)) {
			return false
		}
	}
	return true
}

var jsonNumber = reflect.TypeFor[json.Number]()

// fields are those of a struct by their names, which differ in more than the case of letters.
type fields struct {
	names   []string
	indexes [][]int
	met     map[string][]int // names of members, in any case of letters
}

// fieldsOf are the fields of a struct, nil where encoding/json must find them.
func (k *memory) fieldsOf(t reflect.Type) *fields {
	all, known := k.structs[t]
	if !known {
		all = (&fields{met: map[string][]int{}}).add(t, nil)
		each.Put(&k.structs, t, all)
	}
	return all
}

func (all *fields) add(t reflect.Type, outer []int) *fields {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		index := append(outer[:len(outer):len(outer)], i)
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			if all.add(f.Type, index) == nil {
				return nil
			}
			continue
		case name == "":
			name = f.Name
		}
		if f.Anonymous || options != "" || all.find(name) != nil {
			return nil
		}
		clear(all.met)
		all.names, all.indexes = append(all.names, name), append(all.indexes, index)
	}
	return all
}

// find is the field of a name in letters of any case, nil where there is none.
func (all *fields) find(name string) []int {
	at, known := all.met[name]
	if known {
		return at
	}
	for i := range all.names {
		if strings.EqualFold(all.names[i], name) {
			at = all.indexes[i]
		}
	}
	if len(all.met) < mostNames {
		all.met[name] = at
	}
	return at
}

// Loose is a type that takes a value of any kind where it is decoded, and keeps nothing of it but its texts. What does
// not fit is told to nobody. Its UnmarshalJSON must be Unmarshal.
type Loose interface{ Take(v Value) }

// Unmarshal gives JSON to a type that takes any.
func Unmarshal(text []byte, into Loose) error {
	into.Take(Detached("", text))
	return nil
}

// memory holds what is decoded. Short texts share a piece of it.
type memory struct {
	piece   []byte
	names   names
	keys    jsontext.Keys
	structs map[reflect.Type]*fields
	decoded record            // what is decoded
	own     jsontext.Text     // of what is not decoded where it lies
	members []jsontext.Member // of the record that was read last
}

// Bounds of them. A piece is kept as long as one of its texts is.
const (
	pieceSize   = 4 << 10
	shortText   = 512
	keptMembers = 1 << 10 // room for so many members of a record is used again
)

// said is what a string says that has this between its quotes.
func (k *memory) said(inside []byte) string {
	if len(inside) > shortText {
		return jsontext.InPlace(jsontext.Repair(jsontext.Append(nil, inside), 0))
	}
	if cap(k.piece)-len(k.piece) < len(inside) {
		k.piece = make([]byte, 0, pieceSize)
	}
	mark := len(k.piece)
	k.piece = jsontext.Repair(jsontext.Append(k.piece, inside), mark)
	return jsontext.InPlace(k.piece[mark:])
}

// known are the names of members met so far.
func (k *memory) known() names {
	if k.names == nil {
		k.names = names{}
	}
	return k.names
}

func (k *memory) unmarshal(text []byte, v any) error {
	if err := syntaxOf(text, &k.keys); err != nil {
		return err
	}
	return k.valueOf(bytes.Trim(text, " \t\r\n"), nil).decode(v)
}

// valueOf is a value to decode, of which it is known that it is JSON.
func (k *memory) valueOf(raw []byte, m *jsontext.Text) Value {
	k.decoded = record{marks: m, texts: k, names: k.known()}
	return Value{raw: raw, rec: &k.decoded}
}

// Moment is when something began: milliseconds since 1970, or a time as HTTP or Java writes
// it, of which the latter may put the name of its zone in brackets behind it.
type Moment struct{ time.Time }

func (m *Moment) Take(v Value) {
	m.Time = time.Time{}
	if v.IsNumber() {
		if ms := v.Count(); ms.OK {
			m.Time = time.UnixMilli(ms.V).UTC()
		}
		return
	}
	text, _, _ := strings.Cut(v.Text(), "[")
	for _, layout := range []string{time.RFC3339, time.RFC1123} {
		if at, err := time.Parse(layout, text); err == nil {
			m.Time = at.UTC()
		}
	}
}

func (m *Moment) UnmarshalJSON(b []byte) error { return Unmarshal(b, m) }

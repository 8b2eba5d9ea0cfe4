package jsonwalk

import (
	"cmp"
	"reflect"
	"strings"
	"unicode/utf8"
	"unsafe"

	"tribunal/internal/jsontext"
)

// fields are those of a struct by the length of their names.
type fields [longestName][]field

type field struct {
	name   string // in small letters
	offset uintptr
	decode decoder
}

// fieldsOf are the fields of a struct whose names differ in more than the case of
// letters.
func fieldsOf(t reflect.Type) (all *fields, ok bool) {
	all = &fields{}
	return all, all.add(t, 0)
}

func (all *fields) add(t reflect.Type, offset uintptr) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case tag == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct:
			if !all.add(f.Type, offset+f.Offset) {
				return false
			}
			continue
		case f.Anonymous || options != "":
			return false
		}
		tag = cmp.Or(tag, f.Name)
		name := strings.ToLower(tag)
		if len(name) >= longestName || all.find([]byte(name)) != nil {
			return false
		}
		all[len(name)] = append(all[len(name)], field{name, offset + f.Offset, decoderOf(f.Type)})
	}
	return true
}

// find finds the field of a name in letters of any case.
func (all *fields) find(name []byte) *field {
	if len(name) >= longestName {
		return nil
	}
	for i := range all[len(name)] {
		if f := &all[len(name)][i]; equalFold(name, f.name) {
			return f
		}
	}
	return nil
}

// equalFold reports whether a name is that in small letters, all of them ASCII.
func equalFold(name []byte, small string) bool {
	if string(name) == small {
		return true
	}
	for i := range name {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != small[i] {
			return false
		}
	}
	return true
}

// member decodes a member of an object whose name begins there, up to its colon.
func (all *fields) member(d *decoding, name, i int, p unsafe.Pointer) int {
	behind := name
	for ; d.B[behind] != '"'; behind++ {
		if c := d.B[behind]; c == '\\' || c >= utf8.RuneSelf {
			return -1 // it may be a name all the same
		}
	}
	if f := all.find(d.B[name:behind]); f != nil {
		return f.decode(d, jsontext.Blanks(d.B, i), unsafe.Add(p, f.offset))
	}
	return d.Valid(i)
}

func (all *fields) decode(d *decoding, i int, p unsafe.Pointer) int {
	if i >= len(d.B) || d.B[i] != '{' || !d.enter() {
		return -1
	}
	for i, first := jsontext.Blanks(d.B, i+1), true; ; i, first = jsontext.Blanks(d.B, i+1), false {
		if first && i < len(d.B) && d.B[i] == '}' {
			d.depth--
			return i + 1
		}
		begin := i + 1
		if i = d.Key(i); i < 0 {
			return -1
		}
		if i = all.member(d, begin, i, p); i < 0 {
			return -1
		}
		if i = jsontext.Blanks(d.B, i); i >= len(d.B) {
			return -1
		}
		if d.B[i] == '}' {
			d.depth--
			return i + 1
		}
		if d.B[i] != ',' {
			return -1
		}
	}
}

package html

import (
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// A wire writes values of one type as the JSON that a blueprint reads: a struct
// is the list of its fields, and what a template takes for false is 0 or "", so
// that it is false in the script as well.
type wire func(b []byte, v reflect.Value) []byte

// wireOf plans the writing of a type once, so that writing a value looks no
// names up.
func wireOf(t reflect.Type) (wire, error) {
	switch {
	case t.Kind() == reflect.String:
		return func(b []byte, v reflect.Value) []byte { return appendString(b, v.String()) }, nil
	case t.Kind() == reflect.Bool:
		return appendBool, nil
	case isWhole(t) && t.Kind() <= reflect.Int64:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }, nil
	case t.Kind() == reflect.Pointer:
		return pointerWire(t)
	case t.Kind() == reflect.Slice:
		return sliceWire(t)
	case t.Kind() == reflect.Struct:
		return structWire(t)
	}
	return nil, fmt.Errorf("a %v cannot travel as data", t)
}

func appendBool(b []byte, v reflect.Value) []byte {
	if v.Bool() {
		return append(b, '1')
	}
	return append(b, '0')
}

func pointerWire(t reflect.Type) (wire, error) {
	elem, err := wireOf(t.Elem())
	return func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, '0')
		}
		return elem(b, v.Elem())
	}, err
}

func sliceWire(t reflect.Type) (wire, error) {
	elem, err := wireOf(t.Elem())
	return func(b []byte, v reflect.Value) []byte {
		if v.Len() == 0 {
			return append(b, '0')
		}
		b = append(b, '[')
		for i := range v.Len() {
			b = elem(b, v.Index(i))
			b = append(b, ',')
		}
		b[len(b)-1] = ']'
		return b
	}, err
}

func structWire(t reflect.Type) (wire, error) {
	fields := make([]wire, t.NumField())
	for i := range fields {
		var err error
		if fields[i], err = wireOf(t.Field(i).Type); err != nil {
			return nil, fmt.Errorf("field %s of %v: %w", t.Field(i).Name, t, err)
		}
	}
	return func(b []byte, v reflect.Value) []byte {
		b = append(b, '[')
		for i, field := range fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = field(b, v.Field(i))
		}
		return append(b, ']')
	}, nil
}

// appendString quotes a string as JSON. Bytes that are no UTF-8 become U+FFFD,
// as encoding/json has it.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c, size := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(s[i:])
		}
		if c >= ' ' && c != '"' && c != '\\' && (c != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		b = append(b, s[from:i]...)
		if i += size; c == utf8.RuneError {
			b = append(b, "\uFFFD"...)
		} else {
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

const hexDigits = "0123456789abcdef"

package codec

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Forms are how values are written and read of types whose tags do not say it. Other
// types are written and read as encoding/json does, but what is to be known of a type is
// found out once.
type Forms map[reflect.Type]Form

// Form is a Kind of which the type is not known.
type Form struct {
	write func(*Writer, reflect.Value)
	read  func(*Parser, reflect.Value)
	none  func(reflect.Value) bool
}

// Set gives a type its form.
func Set[V any](f Forms, k Kind[V]) {
	at := func(v reflect.Value) *V { return v.Addr().Interface().(*V) }
	f[reflect.TypeFor[V]()] = Form{
		func(w *Writer, v reflect.Value) { k.Write(w, at(v)) },
		func(p *Parser, v reflect.Value) { k.Read(p, at(v)) },
		func(v reflect.Value) bool { return k.None(at(v)) },
	}
}

// Tagged is the kind of a struct as its tags have it.
func Tagged[V any](f Forms) Kind[V] {
	members := f.Members(reflect.TypeFor[V]())
	return Kind[V]{
		Write: func(w *Writer, v *V) { WriteObject(w, reflect.ValueOf(v).Elem(), members) },
		Read:  func(p *Parser, v *V) { ReadObject(p, reflect.ValueOf(v).Elem(), members) },
		None:  func(*V) bool { return false },
	}
}

// Members are the keys of a struct, in the order of its tags.
func (f Forms) Members(t reflect.Type) (all []Member[reflect.Value]) {
	for i := range t.NumField() {
		field := t.Field(i)
		key, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && key == "" {
			for _, m := range f.Members(field.Type) {
				all = append(all, within(i, m))
			}
		} else if field.IsExported() && key != "-" {
			k := f.of(field.Type)
			all = append(all, within(i, Member[reflect.Value]{`"` + key + `":`, option == "", k.none, k.write, k.read}))
		}
	}
	return all
}

// within is a member of what field i of a struct holds, as one of the struct.
func within(i int, inner Member[reflect.Value]) Member[reflect.Value] {
	return Member[reflect.Value]{
		inner.Key, inner.always,
		func(v reflect.Value) bool { return inner.None(v.Field(i)) },
		func(w *Writer, v reflect.Value) { inner.Write(w, v.Field(i)) },
		func(p *Parser, v reflect.Value) { inner.Read(p, v.Field(i)) },
	}
}

var marshaler = reflect.TypeFor[json.Marshaler]()

func (f Forms) of(t reflect.Type) Form {
	own, known := f[t]
	switch kind := t.Kind(); {
	case known:
		return own
	case t.Implements(marshaler):
	case kind == reflect.String:
		return Form{func(w *Writer, v reflect.Value) { w.B = AppendString(w.B, v.String()) },
			func(p *Parser, v reflect.Value) { v.SetString(p.Term()) }, reflect.Value.IsZero}
	case kind == reflect.Bool:
		return Form{func(w *Writer, v reflect.Value) { w.B = strconv.AppendBool(w.B, v.Bool()) },
			func(p *Parser, v reflect.Value) { v.SetBool(p.Flag()) }, reflect.Value.IsZero}
	case kind == reflect.Float64:
		return Form{func(w *Writer, v reflect.Value) { w.Real(v.Float()) },
			func(p *Parser, v reflect.Value) { v.SetFloat(NumberOf[float64](p)) }, reflect.Value.IsZero}
	case kind == reflect.Int, kind == reflect.Int32, kind == reflect.Int64:
		return Form{func(w *Writer, v reflect.Value) { w.B = strconv.AppendInt(w.B, v.Int(), 10) },
			func(p *Parser, v reflect.Value) {
				n := NumberOf[int64](p)
				p.Odd = p.Odd || v.OverflowInt(n)
				v.SetInt(n)
			}, reflect.Value.IsZero}
	case kind == reflect.Pointer:
		return f.pointer(t)
	case kind == reflect.Slice:
		return f.list(t)
	case kind == reflect.Struct:
		members := f.Members(t)
		return Form{func(w *Writer, v reflect.Value) { WriteObject(w, v, members) },
			func(p *Parser, v reflect.Value) { ReadObject(p, v, members) }, reflect.Value.IsZero}
	}
	panic("codec: the type " + t.String() + " needs a form of its own")
}

func (f Forms) pointer(t reflect.Type) Form {
	k := f.of(t.Elem())
	return Form{func(w *Writer, v reflect.Value) {
		if v.IsNil() {
			w.Text("null")
		} else {
			k.write(w, v.Elem())
		}
	}, func(p *Parser, v reflect.Value) {
		if v.IsNil() {
			v.Set(reflect.New(t.Elem()))
		}
		k.read(p, v.Elem())
	}, reflect.Value.IsNil}
}

func (f Forms) list(t reflect.Type) Form {
	k := f.of(t.Elem())
	return Form{func(w *Writer, v reflect.Value) {
		if v.IsNil() {
			w.Text("null")
			return
		}
		w.List('[', v.Len(), func(i int) { k.write(w, v.Index(i)) })
	}, func(p *Parser, v reflect.Value) {
		p.Expect('[')
		v.Set(reflect.MakeSlice(t, 0, 0))
		for more := !p.Odd && !p.empty(']'); more && !p.Odd; more = p.More(']') {
			n := v.Len()
			v.Grow(1)
			v.SetLen(n + 1)
			k.read(p, v.Index(n))
		}
	}, func(v reflect.Value) bool { return v.Len() == 0 }}
}

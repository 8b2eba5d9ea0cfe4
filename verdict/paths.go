package verdict

import (
	"reflect"
	"slices"
	"strings"

	"tribunal/envelope"
)

// hidden are the parts of a test that dot paths do not reach: the trials
// themselves.
var hidden = []string{"rows", "details"}

// Target resolves a dot path such as reliability.passhat_k in a test. It is
// false when the path is unknown or its value absent.
func Target(t *envelope.Test, path string) (any, bool) {
	return walk(reflect.ValueOf(*t), strings.Split(path, "."))
}

// Targets lists the dot paths of a test. A path that ends in .* takes any name.
func Targets() []string { return names(testTargets()) }

// target is a dot path and a value of the kind it has.
type target struct {
	path string
	zero any
}

func testTargets() []target { return targets(reflect.TypeFor[envelope.Test](), "") }

func names(ts []target) []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = t.path
	}
	return out
}

// walk follows the names of JSON keys. An absent value ends it.
func walk(v reflect.Value, names []string) (any, bool) {
	v, ok := present(v)
	if !ok || len(names) == 0 {
		return leaf(v, ok)
	}
	switch v.Kind() {
	case reflect.Map:
		return entry(v, strings.Join(names, "."))
	case reflect.Struct:
		if f, ok := fieldOf(v, names[0]); ok {
			return walk(f, names[1:])
		}
	}
	return nil, false
}

// present looks behind pointers and Opts.
func present(v reflect.Value) (reflect.Value, bool) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return v, false
		}
		v = v.Elem()
	}
	if isOpt(v.Type()) {
		return v.FieldByName("V"), v.FieldByName("OK").Bool()
	}
	return v, true
}

func isOpt(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Opt[")
}

func leaf(v reflect.Value, ok bool) (any, bool) {
	if !ok {
		return nil, false
	}
	switch v.Kind() {
	case reflect.String:
		return v.String(), true
	case reflect.Struct, reflect.Slice, reflect.Map:
		return nil, false
	}
	return v.Interface(), true
}

// entry is a value of a map. A count that is not there is 0: nothing was
// counted. Any other value that is not there is absent.
func entry(m reflect.Value, name string) (any, bool) {
	if v := m.MapIndex(reflect.ValueOf(name)); v.IsValid() {
		return v.Interface(), true
	}
	if m.Type().Elem().Kind() == reflect.Int {
		return 0, true
	}
	return nil, false
}

// fieldOf is the field with a JSON key, embedded structs included.
func fieldOf(v reflect.Value, key string) (reflect.Value, bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if in, ok := fieldOf(v.Field(i), key); ok {
				return in, true
			}
			continue
		}
		if jsonKey(f) == key && !slices.Contains(hidden, key) {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func jsonKey(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// targets lists what walk can reach from a type.
func targets(t reflect.Type, prefix string) []target {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if isOpt(t) {
		t = t.Field(0).Type
	}
	switch t.Kind() {
	case reflect.Map:
		return []target{{prefix + ".*", reflect.Zero(t.Elem()).Interface()}}
	case reflect.Slice:
		return nil
	case reflect.Struct:
		return fieldTargets(t, prefix)
	case reflect.String:
		return []target{{prefix, ""}}
	}
	return []target{{prefix, reflect.Zero(t).Interface()}}
}

func fieldTargets(t reflect.Type, prefix string) []target {
	var out []target
	for i := range t.NumField() {
		f := t.Field(i)
		switch key := jsonKey(f); {
		case f.Anonymous:
			out = append(out, fieldTargets(f.Type, prefix)...)
		case slices.Contains(hidden, key) || key == "":
		case prefix == "":
			out = append(out, targets(f.Type, key)...)
		default:
			out = append(out, targets(f.Type, prefix+"."+key)...)
		}
	}
	return out
}

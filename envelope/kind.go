package envelope

import "tribunal/envelope/internal/codec"

import "math"

// kind is how values of one type are written to and read from JSON.
//
// encoding/json knows all this from the types, but finds it out anew for every
// value and reads every byte twice; reports of a million tests are what this
// package must be quick for. So the tables of fields.go say it once more, in
// the order of the types' tags, and a test holds the one against the other.
type kind[V any] struct {
	write func(*writer, *V)
	read  func(*parser, *V)
	none  func(*V) bool // what omitempty or omitzero leaves out
}

// member is one key of an object that is kept in a T.
type member[T any] struct {
	key    string // as it is written, with quotes and colon
	always bool   // written even when there is none
	none   func(*T) bool
	write  func(*writer, *T)
	read   func(*parser, *T)
}

// name is the key without its quotes and colon.
func (m *member[T]) name() string { return m.key[1 : len(m.key)-2] }

// always is a key that is written whatever its value.
func always[T, V any](key string, k kind[V], at func(*T) *V) member[T] {
	m := unlessNone(key, k, at)
	m.always = true
	return m
}

// unlessNone is a key that is left out when there is no value.
func unlessNone[T, V any](key string, k kind[V], at func(*T) *V) member[T] {
	return member[T]{
		key:   `"` + key + `":`,
		none:  func(v *T) bool { return k.none(at(v)) },
		write: func(w *writer, v *T) { k.write(w, at(v)) },
		read:  func(p *parser, v *T) { k.read(p, at(v)) },
	}
}

// words are texts of any type.
func words[S ~string]() kind[S] {
	return kind[S]{
		write: func(w *writer, v *S) { w.b = codec.AppendString(w.b, string(*v)) },
		read:  func(p *parser, v *S) { *v = S(p.text()) },
		none:  func(v *S) bool { return *v == "" },
	}
}

// terms are texts that are the same in many tests.
func terms[S ~string]() kind[S] {
	k := words[S]()
	k.read = func(p *parser, v *S) { *v = S(p.term()) }
	return k
}

func wholes[I int | int32 | int64]() kind[I] {
	return kind[I]{
		write: func(w *writer, v *I) { w.b = appendInt(w.b, int64(*v)) },
		read: func(p *parser, v *I) {
			n := p.whole()
			*v = I(n)
			p.odd = p.odd || int64(*v) != n
		},
		none: func(v *I) bool { return *v == 0 },
	}
}

var reals = kind[float64]{
	write: func(w *writer, v *float64) { w.real(*v) },
	read:  func(p *parser, v *float64) { *v = p.real() },
	none:  func(v *float64) bool { return *v == 0 && !math.Signbit(*v) },
}

var flags = kind[bool]{
	write: func(w *writer, v *bool) { w.b = appendBool(w.b, *v) },
	read:  func(p *parser, v *bool) { *v = p.flag() },
	none:  func(v *bool) bool { return !*v },
}

// known is a value that may be absent.
func known[V any](k kind[V]) kind[Opt[V]] {
	return kind[Opt[V]]{
		write: func(w *writer, v *Opt[V]) {
			if v.OK {
				k.write(w, &v.V)
			} else {
				w.text("null")
			}
		},
		read: func(p *parser, v *Opt[V]) { k.read(p, &v.V); v.OK = true },
		none: func(v *Opt[V]) bool { return !v.OK },
	}
}

func object[V any](members []member[V]) kind[V] {
	return kind[V]{
		write: func(w *writer, v *V) { writeObject(w, v, members) },
		read:  func(p *parser, v *V) { readObject(p, v, members) },
		none:  func(*V) bool { return false },
	}
}

// pointed is an object that may not be there.
func pointed[V any](members []member[V]) kind[*V] {
	return kind[*V]{
		write: func(w *writer, v **V) {
			if *v == nil {
				w.text("null")
			} else {
				writeObject(w, *v, members)
			}
		},
		read: func(p *parser, v **V) { *v = new(V); readObject(p, *v, members) },
		none: func(v **V) bool { return *v == nil },
	}
}

func listsOf[V any](k kind[V]) kind[[]V] {
	return kind[[]V]{
		write: func(w *writer, v *[]V) { writeList(w, *v, k.write) },
		read:  func(p *parser, v *[]V) { *v = readList(p, k.read) },
		none:  func(v *[]V) bool { return len(*v) == 0 },
	}
}

// number is what stands in JSON as a number.
type number interface {
	~int | ~int32 | ~int64 | ~float64
}

// numbers are lists whose length shows before they are read.
func numbers[V number]() kind[[]V] {
	return kind[[]V]{
		write: func(w *writer, v *[]V) { writeNumbers(w, *v) },
		read: func(p *parser, v *[]V) {
			*v = make([]V, 0, p.cells())
			for more := !p.odd; more && !p.odd; more = p.more(']') {
				*v = append(*v, numberOf[V](p))
			}
		},
		none: func(v *[]V) bool { return len(*v) == 0 },
	}
}

func mapsOf[V any](k kind[V]) kind[map[string]V] {
	return kind[map[string]V]{
		write: func(w *writer, v *map[string]V) { writeMap(w, *v, k.write) },
		read:  func(p *parser, v *map[string]V) { *v = readMap(p, k.read) },
		none:  func(v *map[string]V) bool { return len(*v) == 0 },
	}
}

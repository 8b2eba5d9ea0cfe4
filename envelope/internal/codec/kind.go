// Package codec writes and reads JSON by tables of keys.
//
// It is faster than encoding/json, which inspects the type of every value and reads every byte
// twice. It also escapes control sequences that build servers, terminals and editors would obey.
//
// The tables of an envelope's types are elsewhere: the columns of a test in package envelope, all
// others in package wire. A Parser that meets unusual JSON reports it as odd, and its caller then
// uses encoding/json.
package codec

import (
	"math"
	"strconv"
)

// Kind writes and reads values of one type as JSON.
type Kind[V any] struct {
	Write func(*Writer, *V)
	Read  func(*Parser, *V)
	None  func(*V) bool // what omitempty or omitzero leaves out
}

// Member is one key of an object that a T leads to, as a pointer does.
type Member[T any] struct {
	Key    string // as it is written, with quotes and colon
	always bool   // written even when there is none
	None   func(T) bool
	Write  func(*Writer, T)
	Read   func(*Parser, T)
}

// name is the key without its quotes and colon.
func (m *Member[T]) name() string { return m.Key[1 : len(m.Key)-2] }

// Always is a key that is written whatever its value.
func Always[T, V any](key string, k Kind[V], at func(T) *V) Member[T] {
	m := UnlessNone(key, k, at)
	m.always = true
	return m
}

// UnlessNone is a key that is left out when there is no value.
func UnlessNone[T, V any](key string, k Kind[V], at func(T) *V) Member[T] {
	return Member[T]{
		Key:   `"` + key + `":`,
		None:  func(v T) bool { return k.None(at(v)) },
		Write: func(w *Writer, v T) { k.Write(w, at(v)) },
		Read:  func(p *Parser, v T) { k.Read(p, at(v)) },
	}
}

// Texts is the Kind of strings.
func Texts[S ~string]() Kind[S] {
	return Kind[S]{
		Write: func(w *Writer, v *S) { w.B = AppendString(w.B, string(*v)) },
		Read:  func(p *Parser, v *S) { *v = S(p.text()) },
		None:  func(v *S) bool { return *v == "" },
	}
}

// Terms are texts that are the same in many tests.
func Terms[S ~string]() Kind[S] {
	k := Texts[S]()
	k.Read = func(p *Parser, v *S) { *v = S(p.Term()) }
	return k
}

func Wholes[I int | int32 | int64]() Kind[I] {
	return Kind[I]{
		Write: func(w *Writer, v *I) { w.B = strconv.AppendInt(w.B, int64(*v), 10) },
		Read:  func(p *Parser, v *I) { *v = NumberOf[I](p) },
		None:  func(v *I) bool { return *v == 0 },
	}
}

var Reals = Kind[float64]{
	Write: func(w *Writer, v *float64) { w.Real(*v) },
	Read:  func(p *Parser, v *float64) { *v = NumberOf[float64](p) },
	None:  func(v *float64) bool { return *v == 0 && !math.Signbit(*v) },
}

var Flags = Kind[bool]{
	Write: func(w *Writer, v *bool) { w.B = strconv.AppendBool(w.B, *v) },
	Read:  func(p *Parser, v *bool) { *v = p.Flag() },
	None:  func(v *bool) bool { return !*v },
}

func Object[V any](members []Member[*V]) Kind[V] {
	return Kind[V]{
		Write: func(w *Writer, v *V) { WriteObject(w, v, members) },
		Read:  func(p *Parser, v *V) { ReadObject(p, v, members) },
		None:  func(*V) bool { return false },
	}
}

func ListsOf[V any](k Kind[V]) Kind[[]V] {
	return Kind[[]V]{
		Write: func(w *Writer, v *[]V) { writeList(w, *v, k.Write) },
		Read:  func(p *Parser, v *[]V) { *v = readList(p, k.Read) },
		None:  func(v *[]V) bool { return len(*v) == 0 },
	}
}

// Number is a type that JSON writes as a number.
type Number interface {
	~int | ~int32 | ~int64 | ~float64
}

// Numbers is the Kind of lists of numbers, whose length is known before they are read.
func Numbers[V Number]() Kind[[]V] {
	return Kind[[]V]{
		Write: func(w *Writer, v *[]V) { writeNumbers(w, *v) },
		Read: func(p *Parser, v *[]V) {
			*v = make([]V, 0, p.Cells())
			for more := !p.Odd; more && !p.Odd; more = p.More(']') {
				*v = append(*v, NumberOf[V](p))
			}
		},
		None: func(v *[]V) bool { return len(*v) == 0 },
	}
}

func MapsOf[V any](k Kind[V]) Kind[map[string]V] {
	return Kind[map[string]V]{
		Write: func(w *Writer, v *map[string]V) { writeMap(w, *v, k.Write) },
		Read:  func(p *Parser, v *map[string]V) { *v = readMap(p, k.Read) },
		None:  func(v *map[string]V) bool { return len(*v) == 0 },
	}
}

// appendFloat writes a finite number in the shortest form that reads back as the same float64.
func appendFloat(b []byte, f float64) []byte {
	if whole, behind, ok := inMillionths(f); ok {
		if f < 0 {
			b = append(b, '-')
		}
		return appendMillionths(strconv.AppendUint(b, whole, 10), behind)
	}
	abs := math.Abs(f)
	switch {
	case f == math.Trunc(f) && abs < 1e15:
		return strconv.AppendInt(b, int64(f), 10)
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'e', -1, 64)
}

// inMillionths parts a number of at most six digits behind the point, as those of milliseconds and
// millionths of a dollar are, and takes them for a whole number. Decimals of up to 15 digits differ
// as float64, so the one that reads back as f is the shortest there is.
func inMillionths(f float64) (whole, behind uint64, ok bool) {
	const scale = 1e6
	abs := math.Abs(f)
	scaled := abs*scale + 0.5
	if !(scaled < 1e15) {
		return 0, 0, false
	}
	n := uint64(scaled)
	return n / scale, n % scale, float64(n)/scale == abs
}

// appendMillionths appends what is behind the point, without the zeros that end it.
func appendMillionths(b []byte, n uint64) []byte {
	if n == 0 {
		return b
	}
	first, second, third := 2*(n/10_000), 2*(n/100%100), 2*(n%100)
	b = append(b, '.', pairs[first], pairs[first+1], pairs[second], pairs[second+1], pairs[third], pairs[third+1])
	end := len(b)
	for b[end-1] == '0' {
		end--
	}
	return b[:end]
}

// pairs are the numbers of two digits.
var pairs = func() (p [200]byte) {
	for n := range byte(100) {
		p[2*n], p[2*n+1] = '0'+n/10, '0'+n%10
	}
	return p
}()

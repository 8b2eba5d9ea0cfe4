package jsonwalk

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// Reuse is which memory of a decoded value is used again. Readers that hand on what they
// decode before they decode more save most of what they allocate.
type Reuse int

const (
	reuseNothing Reuse = iota
	ReuseValues        // slices, and what pointers point to; texts stay
	ReuseAll           // texts as well
)

// DecodeReusing is Decode in memory that is used again the next time.
func (t *Text) DecodeReusing(what Reuse, v any) error {
	defer t.memory.reusing(what)()
	return t.Decode(v)
}

// DecodeReusing is Decode in memory that is used again the next time.
func (l *Line) DecodeReusing(what Reuse, v any) bool {
	defer l.memory.reusing(what)()
	return l.Decode(v)
}

func (k *memory) reusing(what Reuse) (end func()) {
	k.reuse = what
	return k.stay
}

func (k *memory) stay() { k.reuse = reuseNothing }

// mostReused is how much memory is kept, in bytes: one long record is no reason to keep so
// much for short ones.
const mostReused = 1 << 20

// again begins a value in the memory of the one before.
func (k *memory) again() {
	if k.reuse == reuseNothing {
		return
	}
	for i := range k.slabs {
		k.slabs[i].again()
	}
	if k.used = k.used[:0]; cap(k.used) > mostReused {
		k.used = nil
	}
}

// slab is memory for values of a type.
type slab struct {
	all         reflect.Value // a slice
	size, taken int           // bytes of a value; values
}

// slabs numbers them, a number for each slice and each pointer there is a decoder of.
var slabs atomic.Int32

// slab is the slab of a number for slices of a type.
func (k *memory) slab(number int, slices reflect.Type) *slab {
	for len(k.slabs) <= number {
		k.slabs = append(k.slabs, slab{})
	}
	s := &k.slabs[number]
	if !s.all.IsValid() {
		*s = slab{all: reflect.New(slices).Elem(), size: int(slices.Elem().Size())}
	}
	return s
}

func (s *slab) again() {
	if s.taken == 0 {
		return
	}
	s.all.SetLen(s.taken)
	s.all.Clear()
	s.all.SetLen(s.all.Cap())
	if s.taken = 0; s.all.Cap()*s.size > mostReused {
		s.all.SetZero()
	}
}

// take takes n values, all of them zero.
func (s *slab) take(n int) unsafe.Pointer {
	const few = 16
	from := s.taken
	if s.taken += n; s.taken > s.all.Len() {
		from, s.taken = 0, n
		room := max(n, 2*s.all.Len(), few)
		s.all.Set(reflect.MakeSlice(s.all.Type(), room, room))
	}
	return unsafe.Add(s.all.UnsafePointer(), from*s.size)
}

// grow makes a slice twice as long.
func (k *memory) grow(to reflect.Value, number int) {
	const first = 4 // elements there is room for
	n := to.Len()
	if k.reuse == reuseNothing {
		to.Grow(max(n, first))
		return
	}
	s, most := k.slab(number, to.Type()), max(2*n, first)
	at := s.take(most)
	if n > 0 {
		reflect.Copy(s.all.Slice(s.taken-most, s.taken), to)
	}
	*(*header)(to.Addr().UnsafePointer()) = header{at, n, most}
}

// header is a slice.
type header struct {
	at       unsafe.Pointer
	len, cap int
}

// one is what a pointer points to.
func (k *memory) one(number int, slices reflect.Type) unsafe.Pointer {
	if k.reuse == reuseNothing {
		return reflect.New(slices.Elem()).UnsafePointer()
	}
	return k.slab(number, slices).take(1)
}

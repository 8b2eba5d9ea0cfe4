package jsonwalk

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// Reuse is which memory of a decoded value is used again for the next one. Readers that
// hand on what they decode before they decode more save most of what they allocate.
type Reuse int

const (
	reuseNothing Reuse = iota
	ReuseValues        // slices, and what pointers point to; texts stay
	ReuseAll           // texts as well
)

// Reuse says what of a value that is decoded from now on is gone when the next one is.
func (t *Text) Reuse(what Reuse) { t.memory.reuse = what }

// mostReused is how much of it is kept, in bytes: one long record is no reason to keep so
// much for short ones.
const mostReused = 1 << 20

// again begins the next value in the memory of the one before.
func (k *memory) again() {
	if k.reuse == reuseNothing {
		return
	}
	for i := range k.slabs {
		k.slabs[i].again()
	}
	if k.reuse == ReuseAll && cap(k.piece) <= mostReused {
		k.piece = k.piece[:0]
	} else if k.reuse == ReuseAll {
		k.piece = nil
	}
}

// slab is memory for values of a type.
type slab struct {
	used reflect.Value // a slice
	size int           // of a value
}

// slabs numbers them, a number for each slice and each pointer there is a decoder of.
var slabs atomic.Int32

// slab is the slab of a number for slices of a type.
func (k *memory) slab(number int, slices reflect.Type) *slab {
	for len(k.slabs) <= number {
		k.slabs = append(k.slabs, slab{})
	}
	s := &k.slabs[number]
	if s.size == 0 {
		*s = slab{reflect.New(slices).Elem(), int(slices.Elem().Size())}
	}
	return s
}

func (s *slab) again() {
	switch {
	case s.size == 0:
	case s.used.Cap()*s.size > mostReused:
		s.used.SetZero()
	default:
		s.used.Clear()
		s.used.SetLen(0)
	}
}

// take takes n values, all of them zero.
func (s *slab) take(n int) unsafe.Pointer {
	const few = 16
	from := s.used.Len()
	if from+n > s.used.Cap() {
		s.used.Set(reflect.MakeSlice(s.used.Type(), 0, max(n, 2*s.used.Cap(), few)))
		from = 0
	}
	s.used.SetLen(from + n)
	return unsafe.Add(s.used.UnsafePointer(), from*s.size)
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
		reflect.Copy(s.used.Slice(s.used.Len()-most, s.used.Len()), to)
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

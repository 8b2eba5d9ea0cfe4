// Package index finds numbers by keys of three texts.
//
// It exists because a map holds the 48 bytes of a key beside each number, and moves
// them all whenever it grows. A slot here is half a hash and a number, 8 bytes: it
// grows without looking at a key, and garbage collection does not look at it at all.
// Where the keys are is the business of whoever numbers them.
package index

import "hash/maphash"

// Index is empty at first.
type Index struct {
	seed  maphash.Seed
	slots []slot // a power of two of them, half of which are free
	used  int
}

// slot is free when its number is 0: numbers are one more than those given.
type slot struct{ hash, number uint32 }

// Hash is that of a key, for this index alone.
func (x *Index) Hash(a, b, c string) uint32 {
	if x.slots == nil {
		const first = 64
		x.seed, x.slots = maphash.MakeSeed(), make([]slot, first)
	}
	h := maphash.String(x.seed, a) ^ 31*maphash.String(x.seed, b) ^ 37*maphash.String(x.seed, c)
	return uint32(h >> 32)
}

// Find is the number of a key with that hash of which is says that it is the one.
func (x *Index) Find(hash uint32, is func(number uint32) bool) (number uint32, ok bool) {
	mask := uint32(len(x.slots) - 1)
	for at := hash & mask; x.slots[at].number != 0; at = (at + 1) & mask {
		if s := x.slots[at]; s.hash == hash && is(s.number-1) {
			return s.number - 1, true
		}
	}
	return 0, false
}

// Add puts in a key that is not there yet.
func (x *Index) Add(hash, number uint32) {
	if x.used++; 2*x.used > len(x.slots) {
		old := x.slots
		x.slots = make([]slot, 2*len(old))
		for _, s := range old {
			if s.number != 0 {
				x.put(s)
			}
		}
	}
	x.put(slot{hash, number + 1})
}

func (x *Index) put(s slot) {
	mask := uint32(len(x.slots) - 1)
	at := s.hash & mask
	for x.slots[at].number != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = s
}

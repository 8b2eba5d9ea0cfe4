package count

import (
	"hash/maphash"

	"tribunal/envelope"
)

// keyIndex finds the number of a test by its key. A slot is half a hash and a
// number, 8 bytes, so that it grows without looking at a key, and garbage collection
// does not look at it at all: a map holds the 48 bytes of a key beside each number,
// and moves them all whenever it grows.
type keyIndex struct {
	seed  maphash.Seed
	slots []keySlot // a power of two of them, half of which are free
	used  int
}

// keySlot is free when its number is 0: numbers are one more than those of tests.
type keySlot struct{ hash, number uint32 }

func newKeyIndex() keyIndex {
	return keyIndex{seed: maphash.MakeSeed(), slots: make([]keySlot, 64)}
}

func (x *keyIndex) hash(k envelope.Key) uint32 {
	h := maphash.String(x.seed, k.Test) ^ 31*maphash.String(x.seed, k.Suite) ^ 37*maphash.String(x.seed, k.Variant)
	return uint32(h >> 32)
}

// find is the number of the test of that key, if it is one of tests.
func (x *keyIndex) find(hash uint32, k envelope.Key, tests []*tally) (uint32, bool) {
	mask := uint32(len(x.slots) - 1)
	for at := hash & mask; x.slots[at].number != 0; at = (at + 1) & mask {
		if s := x.slots[at]; s.hash == hash && tests[s.number-1].Key == k {
			return s.number - 1, true
		}
	}
	return 0, false
}

// add puts in a test that is not there yet.
func (x *keyIndex) add(hash, number uint32) {
	if x.used++; 2*x.used > len(x.slots) {
		old := x.slots
		x.slots = make([]keySlot, 2*len(old))
		for _, s := range old {
			if s.number != 0 {
				x.put(s)
			}
		}
	}
	x.put(keySlot{hash, number + 1})
}

func (x *keyIndex) put(s keySlot) {
	mask := uint32(len(x.slots) - 1)
	at := s.hash & mask
	for x.slots[at].number != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = s
}

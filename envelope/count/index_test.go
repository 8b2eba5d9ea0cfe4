package count

import (
	"fmt"
	"testing"

	"tribunal/envelope"
)

// TestKeyIndex: it finds each key under the number that it was added with and no
// other, however large it grows, and where all keys have one of three hashes.
func TestKeyIndex(t *testing.T) {
	for name, hash := range map[string]func(*keyIndex, envelope.Key, int) uint32{
		"hashes of keys":           func(x *keyIndex, k envelope.Key, _ int) uint32 { return x.hash(k) },
		"hashes that are the same": func(_ *keyIndex, _ envelope.Key, i int) uint32 { return uint32(i%3) - 1 }, // the largest among them
	} {
		x, tests := newKeyIndex(), []*tally{}
		key := func(i int) envelope.Key {
			return envelope.Key{Suite: fmt.Sprint(i % 7), Test: fmt.Sprint(i / 7), Variant: fmt.Sprint(i % 2)}
		}
		for i := range 1000 {
			if n, found := x.find(hash(&x, key(i), i), key(i), tests); found {
				t.Fatalf("%s: key %d is found as %d before it is added", name, i, n)
			}
			one := &tally{}
			one.Key = key(i)
			x.add(hash(&x, key(i), i), uint32(i))
			tests = append(tests, one)
			for j := i; j >= 0; j -= 97 {
				if n, found := x.find(hash(&x, key(j), j), key(j), tests); !found || n != uint32(j) {
					t.Fatalf("%s: of %d keys, key %d is found as %d (%v)", name, i+1, j, n, found)
				}
			}
		}
		swapped := envelope.Key{Suite: "1", Test: "0", Variant: "1"}
		if n, found := x.find(x.hash(swapped), swapped, tests); found && tests[n].Key != swapped {
			t.Errorf("%s: %v is found as %v", name, swapped, tests[n].Key)
		}
	}
}

package index

import (
	"fmt"
	"testing"
)

// TestIndex: it finds each key under the number that it was added with and no
// other, however large it grows, and where all keys have one of three hashes.
func TestIndex(t *testing.T) {
	type key [3]string
	for name, hash := range map[string]func(*Index, key, int) uint32{
		"hashes of keys":           func(x *Index, k key, _ int) uint32 { return x.Hash(k[0], k[1], k[2]) },
		"hashes that are the same": func(_ *Index, _ key, i int) uint32 { return uint32(i%3) - 1 }, // the largest among them
	} {
		var x Index
		var keys []key
		x.Hash("", "", "") // as whoever looks for the first key
		find := func(hash uint32, k key) (uint32, bool) {
			return x.Find(hash, func(n uint32) bool { return keys[n] == k })
		}
		of := func(i int) key { return key{fmt.Sprint(i % 7), fmt.Sprint(i / 7), fmt.Sprint(i % 2)} }
		for i := range 1000 {
			if n, found := find(hash(&x, of(i), i), of(i)); found {
				t.Fatalf("%s: key %d is found as %d before it is added", name, i, n)
			}
			x.Add(hash(&x, of(i), i), uint32(i))
			keys = append(keys, of(i))
			for j := i; j >= 0; j -= 97 {
				if n, found := find(hash(&x, of(j), j), of(j)); !found || n != uint32(j) {
					t.Fatalf("%s: of %d keys, key %d is found as %d (%v)", name, i+1, j, n, found)
				}
			}
		}
		swapped := key{"1", "0", "1"}
		if n, found := find(x.Hash(swapped[0], swapped[1], swapped[2]), swapped); found && keys[n] != swapped {
			t.Errorf("%s: %v is found as %v", name, swapped, keys[n])
		}
	}
}

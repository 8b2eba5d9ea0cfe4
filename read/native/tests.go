package native

import (
	"hash/maphash"

	"tribunal/envelope"
)

// tests finds the tests of a stream by the JSON text of their names, which need
// not be decoded for it. One test may be here under several texts.
type tests struct {
	seed  maphash.Seed
	table []uint32 // number+1 of a test, where its hash says or behind that
	all   []*knownTest
}

// knownTest is a test that was met before.
type knownTest struct {
	id   envelope.TestID
	hash uint64
	name string // suite, test and variant with a quote between them
	told []byte // what the last record said of it
}

func newTests() tests { return tests{seed: maphash.MakeSeed(), table: make([]uint32, 64)} }

// find finds a test, or makes it.
func (t *tests) find(suite, test, variant []byte) (_ *knownTest, known bool) {
	hash := maphash.Bytes(t.seed, test) ^ 31*maphash.Bytes(t.seed, suite) ^ 37*maphash.Bytes(t.seed, variant)
	at := hash
	for ; ; at++ {
		n := t.table[at&uint64(len(t.table)-1)]
		if n == 0 {
			break
		}
		if k := t.all[n-1]; k.hash == hash && k.is(suite, test, variant) {
			return k, true
		}
	}
	k := &knownTest{hash: hash, name: string(suite) + `"` + string(test) + `"` + string(variant)}
	t.all = append(t.all, k)
	t.table[at&uint64(len(t.table)-1)] = uint32(len(t.all))
	if 2*len(t.all) > len(t.table) {
		t.grow()
	}
	return k, false
}

// is reports whether these are the names of the test. A quote stands in none of
// them but behind a backslash, so there is one way to part the name.
func (k *knownTest) is(suite, test, variant []byte) bool {
	first, second := len(suite), len(suite)+1+len(test)
	return len(k.name) == second+1+len(variant) && k.name[:first] == string(suite) && k.name[first] == '"' &&
		k.name[first+1:second] == string(test) && k.name[second] == '"' && k.name[second+1:] == string(variant)
}

func (t *tests) grow() {
	t.table = make([]uint32, 4*len(t.table))
	for i, k := range t.all {
		at := k.hash
		for t.table[at&uint64(len(t.table)-1)] != 0 {
			at++
		}
		t.table[at&uint64(len(t.table)-1)] = uint32(i + 1)
	}
}

package native

import (
	"hash/maphash"

	"tribunal/envelope"
)

// tests finds the tests of a stream by the JSON text of their names, which need
// not be decoded for it. One test may be here under several texts.
//
// A runner goes through its tests in the same order again and again, so the one
// that followed last time is looked at first. They lie in memory in the order
// they were met for the same reason.
type tests struct {
	seed  maphash.Seed
	table []*knownTest // where the hash says or behind that
	count int
	last  *knownTest  // the one found before
	room  []knownTest // for tests to come
	names []byte      // for their names
}

// knownTest is a test that was met before.
type knownTest struct {
	ref  envelope.TestRef
	hash uint64
	name []byte // suite, test and variant with a quote between them
	next *knownTest
	told []byte // what the last record said of it
}

func newTests() tests {
	return tests{seed: maphash.MakeSeed(), table: make([]*knownTest, 64), last: &knownTest{}}
}

// find finds a test, or makes it.
func (t *tests) find(suite, test, variant []byte) (_ *knownTest, known bool) {
	if next := t.last.next; next != nil && next.is(suite, test, variant) {
		t.last = next
		return next, true
	}
	k, known := t.lookUp(suite, test, variant)
	t.last.next, t.last = k, k
	return k, known
}

func (t *tests) lookUp(suite, test, variant []byte) (_ *knownTest, known bool) {
	hash := maphash.Bytes(t.seed, test) ^ 31*maphash.Bytes(t.seed, suite) ^ 37*maphash.Bytes(t.seed, variant)
	at := hash
	for ; ; at++ {
		k := t.table[at&t.mask()]
		if k == nil {
			break
		}
		if k.hash == hash && k.is(suite, test, variant) {
			return k, true
		}
	}
	k := t.make(suite, test, variant)
	k.hash, t.table[at&t.mask()] = hash, k
	if t.count++; 2*t.count > len(t.table) {
		t.grow()
	}
	return k, false
}

func (t *tests) mask() uint64 { return uint64(len(t.table) - 1) }

// is reports whether these are the names of the test. A quote stands in none of
// them but behind a backslash, so there is one way to part the name.
func (k *knownTest) is(suite, test, variant []byte) bool {
	first, second := len(suite), len(suite)+1+len(test)
	return len(k.name) == second+1+len(variant) && k.name[first] == '"' && k.name[second] == '"' &&
		string(k.name[first+1:second]) == string(test) && string(k.name[:first]) == string(suite) && string(k.name[second+1:]) == string(variant)
}

// make makes a test behind the one made before.
func (t *tests) make(suite, test, variant []byte) *knownTest {
	const some, textOfSome = 128, 8 << 10
	if len(t.room) == 0 {
		t.room = make([]knownTest, some)
	}
	size := len(suite) + len(test) + len(variant) + 2
	if cap(t.names)-len(t.names) < size {
		t.names = make([]byte, 0, max(size, textOfSome))
	}
	begin := len(t.names)
	t.names = append(append(t.names, suite...), '"')
	t.names = append(append(t.names, test...), '"')
	t.names = append(t.names, variant...)
	k := &t.room[0]
	t.room, k.name = t.room[1:], t.names[begin:len(t.names):len(t.names)]
	return k
}

func (t *tests) grow() {
	old := t.table
	t.table = make([]*knownTest, 4*len(old))
	for _, k := range old {
		if k == nil {
			continue
		}
		at := k.hash
		for t.table[at&t.mask()] != nil {
			at++
		}
		t.table[at&t.mask()] = k
	}
}

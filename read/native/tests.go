package native

import (
	"hash/maphash"
	"slices"

	"tribunal/envelope"
	"tribunal/read/marks"
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
	next *knownTest
	told []byte // what the last record said of it
	// The names as they stood in the record, with what was between them.
	text  []byte
	names [3]stretch
	given fields
}

// stretch is a part of a text.
type stretch struct{ begin, end uint32 }

// called are the names of a test in a record.
type called struct {
	names [3][]byte // suite, test and variant
	at    [3]int    // where they begin in text
	text  []byte    // all of them, and what is between them
	given fields    // which of them there are
}

// nameFields are those that name a test.
const nameFields fields = 1<<fieldSuite | 1<<fieldTest | 1<<fieldVariant

// called are the names of the test, of which there must be one, in this text.
func (v *values) called(m *marks.Text) (c called) {
	begin, end := len(m.Bytes), 0
	for i, f := range [...]field{fieldSuite, fieldTest, fieldVariant} {
		if v.present.has(f) {
			c.names[i], c.at[i] = v.texts[f], offset(m, v.texts[f])
			begin, end = min(begin, c.at[i]), max(end, c.at[i]+len(c.names[i]))
		}
	}
	for i := range c.at {
		c.at[i] = max(0, c.at[i]-begin)
	}
	c.text, c.given = m.Bytes[begin:end], v.present&nameFields
	return c
}

func newTests() tests {
	return tests{seed: maphash.MakeSeed(), table: make([]*knownTest, 64), last: &knownTest{}}
}

// find finds the test of a record, or makes it.
func (t *tests) find(v *values, m *marks.Text) (_ *knownTest, known bool) {
	if next := t.last.next; next != nil && next.standsIn(v, m) {
		t.last = next
		return next, true
	}
	c := v.called(m)
	k, known := t.lookUp(&c)
	t.last.next, t.last = k, k
	return k, known
}

// standsIn reports whether the names of the test stand in a record as they stood
// in one before, which is one comparison and mostly enough. Which name the text
// begins with is not in it: it is the one that is given and not named there.
func (k *knownTest) standsIn(v *values, m *marks.Text) bool {
	first := fieldSuite
	if !v.present.has(first) {
		first = fieldTest
	}
	begin := offset(m, v.texts[first])
	end := begin + len(k.text)
	return k.given == v.present&nameFields && end < len(m.Bytes) && m.Bytes[end] == '"' && string(m.Bytes[begin:end]) == string(k.text)
}

func (t *tests) lookUp(c *called) (_ *knownTest, known bool) {
	hash := maphash.Bytes(t.seed, c.names[1]) ^ 31*maphash.Bytes(t.seed, c.names[0]) ^ 37*maphash.Bytes(t.seed, c.names[2])
	at := hash
	for ; ; at++ {
		k := t.table[at&t.mask()]
		if k == nil {
			break
		}
		if k.hash == hash && k.is(c) {
			return k, true
		}
	}
	k := t.make(c)
	k.hash, t.table[at&t.mask()] = hash, k
	if t.count++; 2*t.count > len(t.table) {
		t.grow()
	}
	return k, false
}

func (t *tests) mask() uint64 { return uint64(len(t.table) - 1) }

// is reports whether these are the names of the test.
func (k *knownTest) is(c *called) bool {
	for i, name := range k.names {
		if string(k.text[name.begin:name.end]) != string(c.names[i]) {
			return false
		}
	}
	return true
}

// make makes a test behind the one made before. Names that stand far from each
// other are put together, and look like nothing.
func (t *tests) make(c *called) *knownTest {
	const some, between = 128, 64
	if len(t.room) == 0 {
		t.room = make([]knownTest, some)
	}
	k := &t.room[0]
	t.room = t.room[1:]
	if size := len(c.names[0]) + len(c.names[1]) + len(c.names[2]); len(c.text) <= size+between {
		k.text, k.given = t.copied(c.text), c.given
		for i, name := range c.names {
			k.names[i] = stretch{uint32(c.at[i]), uint32(c.at[i] + len(name))}
		}
		return k
	}
	joined := slices.Concat(c.names[:]...)
	at := 0
	for i, name := range c.names {
		k.names[i] = stretch{uint32(at), uint32(at + len(name))}
		at += len(name)
	}
	k.text = t.copied(joined)
	return k
}

// copied is the text in memory of the tests.
func (t *tests) copied(text []byte) []byte {
	const some = 8 << 10
	if cap(t.names)-len(t.names) < len(text) {
		t.names = make([]byte, 0, max(len(text), some))
	}
	begin := len(t.names)
	t.names = append(t.names, text...)
	return t.names[begin:len(t.names):len(t.names)]
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

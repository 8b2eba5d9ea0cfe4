package native

import (
	"hash/maphash"
	"slices"

	"tribunal/envelope/count"
	"tribunal/internal/jsontext"
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

type knownTest struct {
	ref   count.TestRef
	hash  uint64
	next  *knownTest
	facts []byte // what the last record said of it
	// The names as they stood in the record, with what was between them.
	text         []byte
	names        [3]stretch
	given        fields
	first, final field // which of the names is the first and which the last; edge when other fields stood between them
}

type stretch struct{ begin, end uint32 }

// called are the names of a test in a record.
type called struct {
	names [3][]byte // suite, test and variant
	at    [3]int    // where they begin in text
	begin int       // where text begins
	text  []byte    // all of them, and what is between them
	given fields    // which of them there are
}

const nameFields fields = 1<<fieldSuite | 1<<fieldTest | 1<<fieldVariant

// called are the names of the test, of which there must be one, in this text.
func (v *values) called(m *jsontext.Text) (c called) {
	begin, end := len(m.Bytes), 0
	for i, f := range [...]field{fieldSuite, fieldTest, fieldVariant} {
		if v.present.has(f) {
			c.names[i], c.at[i] = v.text(m.Bytes, f), int(v.texts[f].begin)
			begin, end = min(begin, c.at[i]), max(end, c.at[i]+len(c.names[i]))
		}
	}
	for i := range c.at {
		c.at[i] = max(0, c.at[i]-begin)
	}
	c.begin, c.text, c.given = begin, m.Bytes[begin:end], v.present&nameFields
	return c
}

// order tells which name is the first and which the last, edge if other fields
// stand between them.
func (c *called) order(m *jsontext.Text) (first, final field) {
	for i, f := range [...]field{fieldSuite, fieldTest, fieldVariant} {
		if c.given.has(f) && c.at[i] == 0 {
			first = f
		}
	}
	final = first
	for at := len(c.names[final-fieldSuite]); at < len(c.text); {
		next, value := follow(m.Bytes, c.begin+at+1, false)
		if value < 0 || !c.given.has(next) {
			return edge, edge
		}
		final = next
		at = value + 1 - c.begin + len(c.names[next-fieldSuite])
	}
	return first, final
}

func newTests() tests {
	return tests{seed: maphash.MakeSeed(), table: make([]*knownTest, 64), last: &knownTest{}}
}

func (t *tests) find(v *values, m *jsontext.Text) (_ *knownTest, known bool) {
	c := v.called(m)
	k, known := t.lookUp(&c)
	if !known {
		k.first, k.final = c.order(m)
	}
	t.last.next, t.last = k, k
	return k, known
}

// standsAt reports whether the names of the test stand at the offset as they
// stood in a record before, which is one comparison.
func (k *knownTest) standsAt(text []byte, p int) bool {
	behind := p + len(k.text)
	return behind < len(text) && text[behind] == '"' && string(text[p:behind]) == string(k.text)
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

package native

import (
	"bytes"
	"slices"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/index"
	"tribunal/internal/jsontext"
)

// tests finds the tests of a stream by the JSON text of their names, without decoding it.
// It keeps tests from their second trial on, perhaps under several texts.
//
// Runners go through their tests in the same order again and again, so the test that came
// next the last time is compared first.
type tests struct {
	index index.Index
	all   []*knownTest
	last  *knownTest // the one found before
	first knownTest  // the last one that had its first trial
}

type knownTest struct {
	testNames
	ref   count.TestRef
	next  *knownTest
	facts []byte // file, line and labels of the last record
	// passed is the digest of a trial that passed with these labels, once there was one.
	passed envelope.Opt[int64]
}

// testNames are the names of a test as they stand in a record: suite, test and variant,
// with the text between them.
type testNames struct {
	text         []byte
	names        [3]stretch // in text
	given        fields     // the names that there are
	first, final field      // the first and the last of them; edge if other fields are between them
}

type stretch struct{ begin, end uint32 }

const nameFields fields = 1<<fieldSuite | 1<<fieldTest | 1<<fieldVariant

// find finds or adds the test that the values name. number gives the test its number, and
// says whether it had one.
func (t *tests) find(v *values, m *jsontext.Part, number func() (count.TestRef, bool)) *knownTest {
	names, begin := v.testNames(m.B)
	hash := t.index.Hash(names.name(1), names.name(0), names.name(2))
	var k *knownTest
	if n, kept := t.index.Find(hash, func(n uint32) bool { return t.all[n].same(&names) }); kept {
		k = t.all[n]
	} else if ref, again := number(); again {
		k = &knownTest{testNames: names.kept(m, begin), ref: ref}
		t.index.Add(hash, uint32(len(t.all)))
		t.all = append(t.all, k)
	} else {
		k = &t.first
		*k = knownTest{testNames: testNames{first: edge}, ref: ref, facts: k.facts[:0]}
	}
	t.last.next, t.last = k, k
	return k
}

// testNames returns the names in the values, one of which is that of the test, and where
// they begin.
func (v *values) testNames(text []byte) (n testNames, begin int) {
	first, last := uint32(len(text)), uint32(0)
	for f := fieldSuite; f <= fieldVariant; f++ {
		if v.present.has(f) {
			first, last = min(first, v.texts[f].begin), max(last, v.texts[f].end)
		}
	}
	for f := fieldSuite; f <= fieldVariant; f++ {
		if at := v.texts[f]; v.present.has(f) {
			n.names[f-fieldSuite] = stretch{at.begin - first, at.end - first}
		}
	}
	n.text, n.given, n.first, n.final = text[first:last], v.present&nameFields, edge, edge
	return n, int(first)
}

func (n *testNames) name(i int) string {
	return jsontext.InPlace(n.text[n.names[i].begin:n.names[i].end])
}

func (n *testNames) same(other *testNames) bool {
	return n.name(1) == other.name(1) && n.name(0) == other.name(0) && n.name(2) == other.name(2)
}

// kept returns a copy. Names far from each other are put together, and will not be looked
// for in place.
func (n testNames) kept(m *jsontext.Part, begin int) testNames {
	const between = 64
	if len(n.text) <= len(n.name(0))+len(n.name(1))+len(n.name(2))+between {
		n.text = bytes.Clone(n.text)
		n.order(m, begin)
		return n
	}
	all := slices.Concat([]byte(n.name(0)), []byte(n.name(1)), []byte(n.name(2)))
	at := uint32(0)
	for i, name := range n.names {
		size := name.end - name.begin
		n.names[i] = stretch{at, at + size}
		at += size
	}
	n.text, n.given = all, 0
	return n
}

// order finds the first and the last name, unless other fields are between them.
func (n *testNames) order(m *jsontext.Part, begin int) {
	first := fieldSuite
	for f := fieldSuite; f <= fieldVariant; f++ {
		if n.given.has(f) && n.names[f-fieldSuite].begin == 0 {
			first = f
		}
	}
	final := first
	for at := int(n.names[final-fieldSuite].end); at < len(n.text); at = int(n.names[final-fieldSuite].end) {
		next, value := follow(m.B, begin+at+1, false)
		if value < 0 || !n.given.has(next) {
			return
		}
		final = next
	}
	n.first, n.final = first, final
}

// standsAt reports whether the names of the test are at the offset as they were in an
// earlier record.
func (n *testNames) standsAt(text []byte, p int) bool {
	behind := p + len(n.text)
	return behind < len(text) && text[behind] == '"' && string(text[p:behind]) == string(n.text)
}

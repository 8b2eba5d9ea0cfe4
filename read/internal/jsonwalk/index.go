package jsonwalk

import "tribunal/internal/jsontext"

// index is what was found in the objects of one record that were looked into: readers ask
// an object for one name after the other. Its memory is used again for the next record.
type index struct {
	record  []jsontext.Member
	objects []indexed
	members []jsontext.Member
}

// indexed are the members of an object, by its first byte.
type indexed struct {
	first    *byte
	from, to int
}

// Bounds of it: objects in it, members of one that is, and members of a record whose memory is kept.
const (
	mostIndexed = 16
	fewMembers  = 32
	keptMembers = 1 << 10
)

// fresh is the index for another record.
func (k *memory) fresh() *index {
	x := &k.index
	x.objects, x.members = x.objects[:0], x.members[:0]
	if cap(x.record) > keptMembers {
		x.record = nil
	}
	return x
}

// of are the members of an object, and whether they are all: one with many is not
// indexed.
func (x *index) of(v Value) (found []jsontext.Member, all bool) {
	first := &v.raw[0]
	for i := len(x.objects) - 1; i >= 0; i-- {
		if o := &x.objects[i]; o.first == first {
			return x.members[o.from:o.to], o.to-o.from < fewMembers
		}
	}
	if len(x.objects) == mostIndexed {
		x.objects, x.members = x.objects[:0], x.members[:0]
	}
	from := len(x.members)
	for m := range jsontext.Members(v.raw, v.marks()) {
		if x.members = append(x.members, m); len(x.members)-from == fewMembers {
			break
		}
	}
	x.objects = append(x.objects, indexed{first, from, len(x.members)})
	return x.members[from:], len(x.members)-from < fewMembers
}

package native

import "tribunal/envelope"

// labels reads the members of a labels object into dst. Values that are numbers
// or booleans are taken as their JSON text; of a name met twice the last value
// counts. bad is called for each label that is left out, twice for each name
// that is met again.
func (s *scanner) labels(v value, dst []envelope.Label, bad func(wrong), twice func(name string, at int)) []envelope.Label {
	if v.kind != kindObject {
		bad(wrong{field: fieldLabels, at: v.at, reason: mismatch(v, "an object of strings")})
		return dst
	}
	var index labelIndex
	s.pos = v.at
	s.members(func(name string, at int) {
		label := s.value()
		switch label.kind {
		case kindNull:
			return
		case kindObject, kindArray:
			bad(wrong{field: fieldLabels, at: label.at, reason: "the label " + quoted(name) + ": " + mismatch(label, "a string")})
			return
		}
		if i := index.find(dst, name); i >= 0 {
			dst[i].Value = label.text
			twice(name, at)
			return
		}
		dst = append(dst, envelope.Label{Name: name, Value: label.text})
	})
	return dst
}

// labelIndex finds labels by name: the usual few by looking, many by a map, so
// that a line with a million of them takes no longer than it should.
type labelIndex map[string]int

func (x *labelIndex) find(labels []envelope.Label, name string) int {
	const few = 16
	if len(labels) <= few {
		for i := range labels {
			if labels[i].Name == name {
				return i
			}
		}
		return -1
	}
	if *x == nil {
		*x = labelIndex{}
	}
	for i := len(*x); i < len(labels); i++ {
		(*x)[labels[i].Name] = i
	}
	if i, ok := (*x)[name]; ok {
		return i
	}
	return -1
}

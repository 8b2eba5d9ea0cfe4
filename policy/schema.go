package policy

import (
	"encoding/json"
	"reflect"
	"slices"

	"tribunal/envelope"
)

// Plain reports a key whose value is one word, number or switch, or a list of them. The others are
// lists of what has keys of its own, and stand in the schemas themselves.
func (k *Key) Plain() bool {
	_, plain := k.fragment()
	return plain
}

// Schema is the JSON Schema of the key on the wire.
func (k *Key) Schema() json.RawMessage {
	f, _ := k.fragment()
	f.Description = k.Doc
	return f.text()
}

// FileSchema is that of the key in tribunal.yaml, where a rule is one of the given names.
func (k *Key) FileSchema(rules []string) json.RawMessage {
	f, _ := k.fragment()
	switch {
	case k.OfRules:
		f = fragment{Enum: rules}
	case len(k.written) > 0:
		f = fragment{AnyOf: k.written}
	}
	f.Description = k.Doc
	return f.text()
}

func (k *Key) fragment() (f fragment, plain bool) {
	switch k.In(new(envelope.Policy)).(type) {
	case *string:
		if len(k.Words) > 0 {
			return fragment{Enum: k.Words}, true
		}
		return fragment{Type: "string", Pattern: k.pattern}, true
	case *envelope.Opt[bool]:
		return fragment{Type: "boolean"}, true
	case *envelope.Opt[float64]:
		return k.Range.schema("number"), true
	case *envelope.Opt[int], *envelope.Opt[int64]:
		return k.Range.schema("integer"), true
	case *[]int:
		return k.list(k.Range.schema("integer")), true
	case *[]float64:
		return k.list(k.Range.schema("number")), true
	case *[]string:
		return k.list(fragment{Type: "string", MinLength: 1}), true
	}
	return fragment{}, false
}

func (k *Key) list(items fragment) fragment {
	return fragment{Type: "array", Items: &items, MinItems: k.least}
}

// ByName returns the row of a key, for code that means this one.
func ByName(name string) *Key {
	for i := range Keys {
		if Keys[i].Name == name {
			return &Keys[i]
		}
	}
	panic("policy: no key is called " + name) // names are written in code
}

// Fill is the policy with the gaps filled by another.
func Fill(p, gaps envelope.Policy) envelope.Policy {
	for i := range Keys {
		if Keys[i].IsSet(&p) {
			Keys[i].field(&gaps).Set(Keys[i].field(&p))
		}
	}
	return gaps
}

// Agreed is what some policies all say alike, and the keys under which they differ.
func Agreed(ps []envelope.Policy) (agreed envelope.Policy, differ []*Key) {
	agreed = ps[0]
	for i := range Keys {
		k := &Keys[i]
		other := func(p envelope.Policy) bool { return !reflect.DeepEqual(k.In(&p), k.In(&ps[0])) }
		if slices.ContainsFunc(ps[1:], other) {
			k.field(&agreed).SetZero()
			differ = append(differ, k)
		}
	}
	return agreed, differ
}

// Defaults is what holds when nobody says anything, whatever the rule is.
func Defaults() envelope.Policy {
	var p envelope.Policy
	for i := range Keys {
		if Keys[i].Default != nil {
			Keys[i].set(&p, Keys[i].Default)
		}
	}
	return p
}

// Differing names the keys under which verdicts cannot be compared and which
// differ between two policies.
func Differing(a, b envelope.Effective) []string {
	var names []string
	for i := range Keys {
		k := &Keys[i]
		if k.Compared && !reflect.DeepEqual(k.In(&a.Policy), k.In(&b.Policy)) {
			names = append(names, k.Name)
		}
	}
	return names
}

// Outcomes is the part of a policy that decides what trials count as.
func Outcomes(p envelope.Effective) envelope.Policy {
	var part envelope.Policy
	for i := range Keys {
		if k := &Keys[i]; k.Outcomes {
			k.field(&part).Set(k.field(&p.Policy))
		}
	}
	return part
}

package policy

import (
	"reflect"
	"slices"

	"tribunal/envelope"
)

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
	copySaid(&gaps, &p)
	return gaps
}

// copySaid copies every key that a layer says.
func copySaid(to, layer *envelope.Policy) {
	for i := range Keys {
		if Keys[i].Said(layer) {
			Keys[i].field(to).Set(Keys[i].field(layer))
		}
	}
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

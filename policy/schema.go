package policy

import (
	"encoding/json"

	"tribunal/envelope"
)

// Plain reports a key whose value is one word, number or switch, or a list of
// them. The others are lists of what has keys of its own, and stand in the
// schemas themselves.
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

// FileSchema is that of the key in tribunal.yaml, where a rule is one of the given
// names.
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

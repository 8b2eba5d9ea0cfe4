package policy

import "encoding/json"

// fragment is the part of a JSON Schema that a key needs.
type fragment struct {
	Type             string     `json:"type,omitempty"`
	Description      string     `json:"description,omitempty"`
	Enum             []string   `json:"enum,omitempty"`
	Pattern          string     `json:"pattern,omitempty"`
	MinLength        int        `json:"minLength,omitempty"`
	Minimum          *float64   `json:"minimum,omitempty"`
	Maximum          *float64   `json:"maximum,omitempty"`
	ExclusiveMinimum *float64   `json:"exclusiveMinimum,omitempty"`
	ExclusiveMaximum *float64   `json:"exclusiveMaximum,omitempty"`
	AnyOf            []fragment `json:"anyOf,omitempty"`
	Items            *fragment  `json:"items,omitempty"`
	MinItems         int        `json:"minItems,omitempty"`
}

func (r Range) schema(kind string) fragment {
	f := fragment{Type: kind}
	if r.min != nil && r.min.open {
		f.ExclusiveMinimum = &r.min.at
	} else if r.min != nil {
		f.Minimum = &r.min.at
	}
	if r.max != nil && r.max.open {
		f.ExclusiveMaximum = &r.max.at
	} else if r.max != nil {
		f.Maximum = &r.max.at
	}
	return f
}

func (f fragment) text() json.RawMessage {
	text, err := json.Marshal(f)
	if err != nil {
		panic("policy: a schema that does not marshal: " + err.Error()) // its numbers are finite constants
	}
	return text
}

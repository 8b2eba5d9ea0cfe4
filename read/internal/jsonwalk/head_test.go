package jsonwalk

import (
	"maps"
	"testing"
)

func TestKeys(t *testing.T) {
	cases := []struct {
		head    string
		keys    map[string]string
		inArray bool
		reason  string
	}{
		{``, nil, false, "nothing"},
		{`hello`, nil, false, "no JSON"},
		{`"a"`, nil, false, "no object"},
		{`[`, nil, true, "an array, nothing known of it"},
		{`[1,{"a":1}]`, nil, true, "only the first element counts"},
		{`{}`, map[string]string{}, false, "an object without keys"},
		{` {"a":"x","b":{"c":1},"d":[{"e":2}],"f":null} {"g":1}`, map[string]string{"a": "x", "b": "", "d": "", "f": ""}, false, "keys of the top level of the first object"},
		{`[ {"a":1, "b":"y"}`, map[string]string{"a": "", "b": "y"}, true, "the first element"},
		{`{"a":"x","b":{"c":`, map[string]string{"a": "x", "b": ""}, false, "cut in a value: its key is known"},
		{`{"a":"x","b`, map[string]string{"a": "x"}, false, "cut in a key"},
		{`{"a":"x" "b":1}`, map[string]string{"a": "x"}, false, "broken behind a key"},
	}
	for _, c := range cases {
		keys, inArray := Keys([]byte(c.head))
		if !maps.Equal(keys, c.keys) || (keys == nil) != (c.keys == nil) || inArray != c.inArray {
			t.Errorf("Keys(%q) = %v, %v, want %v, %v: %s", c.head, keys, inArray, c.keys, c.inArray, c.reason)
		}
	}
}

package jsonwalk

import (
	"slices"
	"testing"
	"unsafe"
)

// TestNamesOfDetachedValues: values of their own that share names have those they have
// alone, and one memory for each.
func TestNamesOfDetachedValues(t *testing.T) {
	var n Names
	places := map[*byte]string{}
	for range 3 {
		text := []byte(`{"city":1,"c\u0069ty":2,"day":{"city":3}}`)
		var names []string
		v := n.Detached("arguments", text)
		for name := range v.Members() {
			names = append(names, name)
			places[unsafe.StringData(name)] = name
		}
		clear(text)
		if want := []string{"city", "city", "day"}; !slices.Equal(names, want) {
			t.Errorf("%q, want %q", names, want)
		}
	}
	if len(places) != 3 { // "c\u0069ty" is written in another way
		t.Errorf("names lie in %d places: %v", len(places), places)
	}
}

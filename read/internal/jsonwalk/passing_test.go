package jsonwalk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"tribunal/read/internal/readtest"
)

// passed reads records by Passing, and what their names say outside of it.
func passed(t *testing.T, text string) (names, texts []string) {
	t.Helper()
	err := Documents(strings.NewReader(text), &readtest.Sink{}, func(v Value) {
		before := v.Get("name").Text()
		v.Passing(func() { texts = append(texts, strings.Clone(v.Get("text").Text())) })
		names = append(names, before, v.Get("name").Text())
	})
	if err != nil {
		t.Error(err)
	}
	return names, texts
}

// TestPassing: what is said in passing is what stands there, and names that were asked for
// before and behind it stay when the next records are read: those that lie in the buffer
// and those that are longer.
func TestPassing(t *testing.T) {
	for _, size := range []int{1, shortText, mostInPlace} {
		var text strings.Builder
		var names, texts []string
		for n := range 5 {
			name, long := fmt.Sprint("name ", n), strings.Repeat(string(rune('a'+n)), size)
			fmt.Fprintf(&text, `{"name":"name\u0020%d","text":"%s"}`, n, long)
			names, texts = append(names, name, name), append(texts, long)
		}
		gotNames, gotTexts := passed(t, text.String())
		if !slices.Equal(gotNames, names) || !slices.Equal(gotTexts, texts) {
			t.Errorf("texts of %d: %q", size, gotNames)
		}
	}
}

// TestPassingUsesMemoryAgain: what is said in passing lies where that of the record before
// lay, whether they lie in the buffer or are longer.
func TestPassingUsesMemoryAgain(t *testing.T) {
	for _, size := range []int{shortText + 1, mostInPlace} {
		record := fmt.Sprintf(`{"text":"%s"}`, strings.Repeat("x", size))
		places := map[*byte]bool{}
		err := Documents(strings.NewReader(strings.Repeat(record, 20)), &readtest.Sink{}, func(v Value) {
			v.Passing(func() { places[unsafe.StringData(v.Get("text").Text())] = true })
		})
		if err != nil || len(places) != 1 {
			t.Errorf("texts of %d bytes: %d places, %v", size, len(places), err)
		}
	}
}

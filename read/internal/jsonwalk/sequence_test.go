package jsonwalk

import (
	"slices"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

// TestDocumentsInTheSameMemory: a document that is cut off inside of a value leaves nothing
// behind for the next one, which begins at line 1.
func TestDocumentsInTheSameMemory(t *testing.T) {
	var walk Sequence
	var said []string
	s := &readtest.Sink{}
	for _, text := range []string{`{"a":"one","b":[{"c":`, "\n{\"a\":\"two\",\n\"b\":5}", `{"a":"three"} {}`} {
		err := walk.Document(strings.NewReader(text), s, func(t *Text) error {
			return t.Object(func(key string) error {
				v, err := t.Value()
				said = append(said, key, v.String())
				return err
			})
		})
		if err != nil {
			t.Error(err)
		}
	}
	if want := []string{"a", "one", "b", "", "a", "two", "b", "5", "a", "three"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
	if got, want := s.Told(), []string{"truncated-line 1:22", "unreadable-input 1:15"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

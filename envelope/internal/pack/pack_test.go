package pack

import (
	"bytes"
	"strings"
	"testing"
)

// What was packed is appended as it was, also behind other text and to memory that has
// room for it.
func TestUnpack(t *testing.T) {
	for _, text := range []string{"", "a", "Où est le vol?", strings.Repeat("change the flight of Sofia to noon. ", 10_000)} {
		packed := Pack([]byte(text))
		for _, to := range [][]byte{nil, []byte("before"), append(make([]byte, 0, 1<<20), "before"...)} {
			if got, want := Unpack(to, packed), string(to)+text; string(got) != want {
				t.Errorf("%.50q behind %q is %.50q", text, to, got)
			}
		}
		if again := Pack([]byte(text)); !bytes.Equal(again, packed) {
			t.Errorf("%.50q is packed in two ways", text)
		}
	}
}

func TestPackTakesLessRoom(t *testing.T) {
	text := strings.Repeat("change the flight of Sofia to noon. ", 10_000)
	if n := len(Pack([]byte(text))); n > len(text)/10 {
		t.Errorf("%d bytes of %d", n, len(text))
	}
}

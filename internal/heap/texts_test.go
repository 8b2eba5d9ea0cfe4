package heap

import (
	"strings"
	"testing"
	"unsafe"
)

// TestTexts: texts are kept as they were, whatever becomes of where they came from
// and of those kept behind them.
func TestTexts(t *testing.T) {
	var texts Texts
	var kept, want []string
	for n := range 3000 {
		text := strings.Repeat(string(rune('a'+n%26)), n%(smallestPiece/shareOfPiece+20))
		kept, want = append(kept, texts.Keep(text)), append(want, text)
	}
	for i := range kept {
		if kept[i] != want[i] {
			t.Fatalf("text %d is %q, want %q", i, kept[i], want[i])
		}
	}
	scratch := []byte("some")
	shown := unsafe.String(&scratch[0], len(scratch))
	some := texts.Keep(shown)
	copy(scratch, "none")
	if some != "some" {
		t.Errorf("a text that was kept became %q", some)
	}
}

package inspect

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestReferences: ten thousand references to a text of a megabyte are one text.
func TestReferences(t *testing.T) {
	const text = start + `{"id":"s","epoch":1,"attachments":{"a":"`
	seen := &sizes{}
	if err := ReadWith(strings.NewReader(text+strings.Repeat("x", 1<<20)+`"},"messages":[`+strings.Repeat(`{"role":"user","content":"attachment://a"},`, 9_999)+`{}]}]}`), seen, Options{}); err != nil {
		t.Fatal(err)
	}
	if seen.turns != 10_000 || seen.last != 1<<20 {
		t.Errorf("%d turns, of %d bytes", seen.turns, seen.last)
	}
}

// sizes is a sink that keeps nothing of a conversation: copied, that of TestReferences would
// be 10 GB.
type sizes struct {
	readtest.Sink
	turns, last int
}

func (s *sizes) Trial(t *envelope.Trial) {
	s.turns, s.last = len(t.Transcript), len(t.Transcript[len(t.Transcript)-2].Text)
}

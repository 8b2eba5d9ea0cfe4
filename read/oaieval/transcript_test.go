package oaieval

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestHeld: where there is room for them, 52 of 70 conversations of 1,000 bytes and
// 256 for their turn wait for their samples to be judged, and the rest is told once. A
// match makes room.
func TestHeld(t *testing.T) {
	long := strings.Repeat("x", 1000)
	sampling := func(id int) string {
		return fmt.Sprintf(`{"run_id":"r","event_id":1,"sample_id":"%d","type":"sampling","data":{"prompt":"%s"}}`+"\n", id, long)
	}
	var text strings.Builder
	for range 70 {
		text.WriteString(sampling(0) + `{"run_id":"r","event_id":1,"sample_id":"0","type":"match","data":{"correct":true}}` + "\n")
	}
	for i := range 70 {
		text.WriteString(sampling(i + 1))
	}
	s, kept := readtest.Text(t, func(r io.Reader, to envelope.Sink) error { return read(r, to, 52*1256) }, text.String()), 0
	for _, trial := range s.Trials[70:] {
		if trial.Transcript != nil {
			kept++
		}
	}
	if len(s.Trials) != 140 || s.Trials[69].Transcript == nil || kept != 52 || !slices.Equal(s.Reported(), []string{"conversations-left-out 193:1"}) {
		t.Errorf("%d trials, %d conversations, %v", len(s.Trials), kept, s.Reported())
	}
}
